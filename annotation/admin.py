"""Every row of the annotation floor in the Django admin.

To look at: a change past the services would leave no trace in the log, break the seats of tasks
or say something nobody did. A superuser changes projects and people on the project's own pages.
"""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from annotation import models


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows to look at."""

    show_full_result_count = False  # counts every row of what may be millions
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    """Rows of a row, to look at."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MembershipInline(ReadOnlyInline):
    model = models.Membership
    fields = ("user", "role", "paused_at", "pause_reason", "created_at")


class PolicyInline(ReadOnlyInline):
    model = models.StagePolicy
    fields = ("stage", "split", "people", "lease_minutes", "minimum_seconds", "pay_words")
    readonly_fields = ("pay_words",)


@admin.register(models.Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("title", "slug", "protocol", "state", "snapshot", "reference_date")
    list_filter = ("state", "protocol")
    search_fields = ("title", "slug")
    list_select_related = ("snapshot",)
    inlines = (MembershipInline, PolicyInline)


@admin.register(models.Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("user", "project", "role", "paused_at", "pause_reason", "created_at")
    list_filter = ("role", ("paused_at", admin.EmptyFieldListFilter), "project")
    search_fields = ("user__email", "user__name", "project__slug")
    list_select_related = ("user", "project")


@admin.register(models.Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ("email", "project", "role", "invited_by", "expires_at", "accepted_at")
    list_filter = ("role", ("accepted_at", admin.EmptyFieldListFilter), "project")
    search_fields = ("email", "project__slug")
    list_select_related = ("project", "invited_by")


@admin.register(models.Guideline)
class GuidelineAdmin(ReadOnlyAdmin):
    list_display = ("project", "version", "created_by", "created_at")
    list_filter = ("project",)
    search_fields = ("project__slug", "body")
    list_select_related = ("project", "created_by")


@admin.register(models.StagePolicy)
class StagePolicyAdmin(ReadOnlyAdmin):
    list_display = ("project", "stage", "split", "people", "lease_minutes", "pay", "currency")
    list_filter = ("stage", "split", "project")
    search_fields = ("project__slug",)
    list_select_related = ("project",)


@admin.register(models.Question)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ("external_id", "text", "split", "state", "project")
    list_filter = ("state", "split", "project")
    search_fields = ("=external_id", "text")
    list_select_related = ("project",)


@admin.register(models.Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ("id", "policy", "question", "unit", "seats", "position")
    list_filter = ("policy__stage", "policy__split", "policy__project")
    search_fields = ("=question__external_id", "question__text")
    list_select_related = ("policy", "question")


@admin.register(models.Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("id", "user", "question", "stage", "state", "started_at", "lease_ends_at")
    list_filter = ("state", "stage", "project")
    search_fields = ("=id", "user__email", "user__name", "=task__question__external_id")
    list_select_related = ("user", "task__question")
    date_hierarchy = "started_at"

    @admin.display(description="Question")
    def question(self, assignment: models.Assignment) -> str:
        return assignment.task.question.prompt


@admin.register(models.Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "kind", "assignment_id", "data")
    list_filter = ("kind",)
    search_fields = ("=assignment__id", "=assignment__user__email")
    ordering = ("-id",)


@admin.register(models.AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "actor", "action", "target", "project", "data")
    list_filter = ("action",)
    search_fields = ("=target", "=action", "=actor", "=project")
    ordering = ("-id",)


class PairInline(ReadOnlyInline):
    model = models.QAPair
    fields = ("position", "question")
    show_change_link = True


class KeptWarningInline(ReadOnlyInline):
    model = models.KeptWarning
    fields = ("rule", "field", "reason")


@admin.register(models.Annotation)
class AnnotationAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "author", "kind", "created_at")
    list_filter = ("kind", "question__project")
    search_fields = ("=id", "author__email", "=question__external_id", "question__text")
    list_select_related = ("question", "author")
    inlines = (PairInline, KeptWarningInline)


class AnswerInline(ReadOnlyInline):
    model = models.Answer
    fields = ("position", "text", "quote")


@admin.register(models.QAPair)
class QAPairAdmin(ReadOnlyAdmin):
    list_display = ("id", "annotation_id", "position", "question")
    search_fields = ("=annotation__id", "question")
    inlines = (AnswerInline,)


@admin.register(models.Answer)
class AnswerAdmin(ReadOnlyAdmin):
    list_display = ("id", "pair_id", "position", "text", "quote")
    list_filter = (("quote", admin.EmptyFieldListFilter),)
    search_fields = ("=pair__id", "text")
    list_select_related = ("quote",)


@admin.register(models.KeptWarning)
class KeptWarningAdmin(ReadOnlyAdmin):
    list_display = ("rule", "field", "reason", "annotation_id")
    list_filter = ("rule",)
    search_fields = ("=annotation__id", "reason")


@admin.register(models.PayEntry)
class PayEntryAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "user", "project", "kind", "amount", "currency", "note")
    list_filter = ("kind", "currency", "project")
    search_fields = ("=assignment__id", "user__email", "user__name", "note")
    list_select_related = ("user", "project")
    date_hierarchy = "at"


@admin.register(models.Qualification)
class QualificationAdmin(ReadOnlyAdmin):
    list_display = ("title", "project", "kind", "state", "pass_at", "guideline_version")
    list_filter = ("state", "kind", "project")
    search_fields = ("title", "project__slug")
    list_select_related = ("project",)


@admin.register(models.QualificationItem)
class QualificationItemAdmin(ReadOnlyAdmin):
    list_display = ("id", "qualification", "part", "position", "prompt", "threshold")
    list_filter = ("part", "qualification")
    search_fields = ("prompt",)
    list_select_related = ("qualification",)


@admin.register(models.QualificationAttempt)
class QualificationAttemptAdmin(ReadOnlyAdmin):
    list_display = ("id", "user", "qualification", "part", "number", "state", "submitted_at")
    list_filter = ("part", "state", "qualification")
    search_fields = ("=id", "user__email", "user__name")
    list_select_related = ("user", "qualification")


@admin.register(models.QualificationAnswer)
class QualificationAnswerAdmin(ReadOnlyAdmin):
    list_display = ("id", "attempt_id", "number", "checks", "passed", "graded")
    search_fields = ("=attempt__id",)


@admin.register(models.Qualified)
class QualifiedAdmin(ReadOnlyAdmin):
    list_display = ("user", "qualification", "given_at", "given_by", "revoked_at", "revoked_by")
    list_filter = ("qualification", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("user__email", "user__name")
    list_select_related = ("user", "qualification", "given_by", "revoked_by")


@admin.register(models.WalkThrough)
class WalkThroughAdmin(ReadOnlyAdmin):
    list_display = ("user", "qualification", "held_on", "held_by", "taken_back_at", "taken_back_by")
    list_filter = ("qualification", ("taken_back_at", admin.EmptyFieldListFilter))
    search_fields = ("user__email", "user__name")
    list_select_related = ("user", "qualification", "held_by", "taken_back_by")


@admin.register(models.Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "project", "state", "done", "total", "created_by", "created_at")
    list_filter = ("state", "kind", "project")
    search_fields = ("=id", "file_name", "problem")
    list_select_related = ("project", "created_by")


class MessageInline(ReadOnlyInline):
    model = models.Message
    fields = ("by_staff", "author", "text", "created_at")


@admin.register(models.Thread)
class ThreadAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "state", "project", "assignment", "waiting_since", "closed_at")
    list_filter = ("kind", "state", "project")
    search_fields = ("=assignment__id", "messages__text")
    list_select_related = ("project", "assignment__user")
    inlines = (MessageInline,)


@admin.register(models.Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ("id", "thread", "by_staff", "author", "text", "created_at")
    list_filter = ("by_staff",)
    search_fields = ("text", "=thread__id")
    list_select_related = ("thread", "author")


@admin.register(models.Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "stage", "author", "created_at")
    list_filter = ("stage", "question__project")
    search_fields = ("=id", "author__email", "=question__external_id", "question__text")
    list_select_related = ("question", "author")


@admin.register(models.Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    list_display = ("id", "assignment", "tag", "text", "given_by", "created_at", "read_at")
    list_filter = ("tag", ("read_at", admin.EmptyFieldListFilter))
    search_fields = ("text", "=assignment__id")
    list_select_related = ("assignment__user", "given_by")


@admin.register(models.FaqEntry)
class FaqEntryAdmin(ReadOnlyAdmin):
    list_display = ("question", "project", "position", "changed_by", "changed_at")
    list_filter = ("project",)
    search_fields = ("question", "answer")
    list_select_related = ("project", "changed_by")


class KnowledgeInline(ReadOnlyInline):
    model = models.Knowledge
    fields = ("position", "content", "page", "quote")


class OverrideInline(ReadOnlyInline):
    model = models.Override
    fields = ("disambiguation", "words", "start", "end")


@admin.register(models.LongAnswer)
class LongAnswerAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "author", "text", "created_at")
    list_filter = (("author", admin.EmptyFieldListFilter), "question__project")
    search_fields = ("=id", "author__email", "=question__external_id", "question__text", "text")
    list_select_related = ("question", "author")
    inlines = (KnowledgeInline, OverrideInline)


@admin.register(models.Knowledge)
class KnowledgeAdmin(ReadOnlyAdmin):
    list_display = ("id", "long_answer_id", "position", "content", "page", "quote")
    list_filter = (("quote", admin.EmptyFieldListFilter),)
    search_fields = ("=long_answer__id", "content", "page")
    list_select_related = ("quote",)


@admin.register(models.Override)
class OverrideAdmin(ReadOnlyAdmin):
    list_display = ("id", "long_answer_id", "disambiguation", "words", "start", "end")
    search_fields = ("=long_answer__id", "words")


@admin.register(models.ContextParagraph)
class ContextParagraphAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "position", "title", "score", "shown", "text")
    list_filter = ("shown", "question__project")
    search_fields = ("=question__external_id", "title", "text")
    list_select_related = ("question",)


@admin.register(models.ContextSearch)
class ContextSearchAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "pages", "missing", "created_at")
    list_filter = ("question__project",)
    search_fields = ("=question__external_id", "missing")
    list_select_related = ("question",)


@admin.register(models.Concern)
class ConcernAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "author", "about", "state", "created_at", "decided_by")
    list_filter = ("state", ("read_at", admin.EmptyFieldListFilter), "question__project")
    search_fields = ("=question__external_id", "question__text", "author__email", "reason", "note")
    list_select_related = ("question", "author", "decided_by")
