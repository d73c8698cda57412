"""The models of the annotation floor in the Django admin, read-only.

A change that bypasses the services would leave no trace in the log, break the seats of tasks or
record something that no one did. Superusers change projects and people on the project's own pages.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from annotation import models
from annotation.stages import registry as stages

Inline = type[admin.TabularInline]  # type: ignore[type-arg]


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The rows of a model, read-only."""

    show_full_result_count = False  # counts every row of what may be millions
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    """The rows that belong to another row, read-only."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def register_read_only(
    model: type[Model],
    columns: str,
    *,
    search: str,
    filters: str = "",
    related: Sequence[str] | None = None,
    inlines: Sequence[Inline] = (),
    **more: Any,
) -> None:
    """Register a model, read-only; names are separated by spaces.

    A filter with `?` asks whether there is a value. Rows that columns point to are read in the same
    query; `related` adds those that their names need.
    """
    names = columns.split()
    pointing = {field.name for field in model._meta.concrete_fields if field.is_relation}
    options = {
        "list_display": [_stage if name == "stage" else name for name in names],
        "list_filter": [_filter(name) for name in filters.split()],
        "search_fields": search.split(),
        "list_select_related": related or [name for name in names if name in pointing],
        "inlines": inlines,
    }
    admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), options | more))


@admin.display(description="stage", ordering="stage")
def _stage(row: Any) -> str:
    """Return the label of a row's stage."""
    return stages.label_of(row.stage)


def _filter(name: str) -> Any:
    return (name[:-1], admin.EmptyFieldListFilter) if name.endswith("?") else name


def build_inline(model: type[Model], columns: str, **more: Any) -> Inline:
    """Return an inline that shows the model's rows with the row they belong to."""
    options = {"model": model, "fields": columns.split()}
    return type(f"{model.__name__}Inline", (ReadOnlyInline,), options | more)


# --- what each shows -----------------------------------------------------------------------------

register_read_only(
    models.Project,
    "title slug protocol state snapshot reference_date",
    filters="state protocol",
    search="title slug",
    inlines=[
        build_inline(models.Membership, "user role paused_at pause_reason created_at"),
        build_inline(
            models.StagePolicy,
            "stage split people lease_minutes minimum_seconds pay_words",
            readonly_fields=("pay_words",),
        ),
    ],
)
register_read_only(
    models.Membership,
    "user project role paused_at pause_reason created_at",
    filters="role paused_at? project",
    search="user__email user__name project__slug",
)
register_read_only(
    models.Invitation,
    "email project roles invited_by expires_at accepted_at",
    filters="accepted_at? project",
    search="email project__slug",
)
register_read_only(
    models.ConsentText,
    "project version asks asks_training created_by created_at",
    filters="asks asks_training project",
    search="project__slug body",
)
register_read_only(
    models.Consent,
    "user project text given_at refused_at may_train withdrawn_at replaced_at",
    filters="may_train withdrawn_at? project",
    search="user__email user__name project__slug",
    related=["user", "project", "text__project"],
)
register_read_only(
    models.Background,
    "user project native_speaker full_time country said_at",
    filters="native_speaker full_time project",
    search="user__email user__name project__slug",
    related=["user", "project"],
)
register_read_only(
    models.Guideline,
    "project version created_by created_at",
    filters="project",
    search="project__slug body",
)
register_read_only(
    models.StagePolicy,
    "project stage split people lease_minutes pay currency",
    filters="stage split project",
    search="project__slug",
)
register_read_only(
    models.Question,
    "external_id text split state project",
    filters="state split project",
    search="=external_id text",
)
register_read_only(
    models.Task,
    "id policy question unit seats position",
    filters="policy__stage policy__split policy__project",
    search="=question__external_id question__text",
)
register_read_only(
    models.Assignment,
    "id user task__question stage state started_at lease_ends_at",
    filters="state stage project",
    search="=id user__email user__name =task__question__external_id",
    related=(
        "user",
        "task__question",
    ),
    date_hierarchy="started_at",
)
register_read_only(
    models.Event,
    "id at kind assignment_id data",
    filters="kind",
    search="=assignment__id =assignment__user__email",
    ordering=("-id",),
)
register_read_only(
    models.AuditEntry,
    "id at actor action target project data",
    filters="action",
    search="=target =action =actor =project",
    ordering=("-id",),
)
register_read_only(
    models.Annotation,
    "id question author kind created_at",
    filters="kind question__project",
    search="=id author__email =question__external_id question__text",
    inlines=[
        build_inline(models.QAPair, "position question", show_change_link=True),
        build_inline(models.KeptWarning, "rule field reason"),
    ],
)
register_read_only(
    models.QAPair,
    "id annotation_id position question suggestion_id",
    search="=annotation__id question",
    inlines=[build_inline(models.Answer, "position text quote")],
)
register_read_only(
    models.Answer, "id pair_id position text quote", filters="quote?", search="=pair__id text"
)
register_read_only(
    models.KeptWarning,
    "rule field reason annotation_id",
    filters="rule",
    search="=annotation__id reason",
)
register_read_only(
    models.PayEntry,
    "id at user project kind amount currency note",
    filters="kind currency project",
    search="=assignment__id user__email user__name note",
    date_hierarchy="at",
)
register_read_only(
    models.Qualification,
    "title project kind state pass_at guideline_version",
    filters="state kind project",
    search="title project__slug",
)
register_read_only(
    models.QualificationItem,
    "id qualification part position prompt threshold",
    filters="part qualification",
    search="prompt",
)
register_read_only(
    models.QualificationAttempt,
    "id user qualification part number state submitted_at",
    filters="part state qualification",
    search="=id user__email user__name",
)
register_read_only(
    models.QualificationAnswer, "id attempt_id number checks passed graded", search="=attempt__id"
)
register_read_only(
    models.Qualified,
    "user qualification given_at given_by revoked_at revoked_by",
    filters="qualification revoked_at?",
    search="user__email user__name",
)
register_read_only(
    models.WalkThrough,
    "user qualification held_on held_by taken_back_at taken_back_by",
    filters="qualification taken_back_at?",
    search="user__email user__name",
)
register_read_only(
    models.Job,
    "id kind project state done total created_by created_at",
    filters="state kind project",
    search="=id file_name problem",
)
register_read_only(
    models.Thread,
    "id kind state project assignment waiting_since closed_at",
    filters="kind state project",
    search="=assignment__id messages__text",
    related=(
        "project",
        "assignment__user",
    ),
    inlines=[build_inline(models.Message, "by_staff author text created_at")],
)
register_read_only(
    models.Message,
    "id thread by_staff author tag text created_at read_at",
    filters="by_staff tag read_at?",
    search="text =thread__id",
)
register_read_only(
    models.Submission,
    "id question stage author created_at",
    filters="stage question__project",
    search="=id author__email =question__external_id question__text",
)
register_read_only(
    models.FaqEntry,
    "question project position changed_by changed_at",
    filters="project",
    search="question answer",
)
register_read_only(
    models.LongAnswer,
    "id question author text created_at",
    filters="author? question__project",
    search="=id author__email =question__external_id question__text text",
    inlines=[
        build_inline(models.Knowledge, "position content page quote"),
        build_inline(models.Override, "disambiguation words start end"),
    ],
)
register_read_only(
    models.Knowledge,
    "id long_answer_id position content page quote",
    filters="quote?",
    search="=long_answer__id content page",
)
register_read_only(
    models.Override,
    "id long_answer_id disambiguation words start end",
    search="=long_answer__id words",
)
register_read_only(
    models.ContextParagraph,
    "id question position title score shown text",
    filters="shown question__project",
    search="=question__external_id title text",
)
register_read_only(
    models.ContextSearch,
    "id question pages missing created_at",
    filters="question__project",
    search="=question__external_id missing",
)
register_read_only(
    models.Concern,
    "id question author about state created_at decided_by",
    filters="state read_at? question__project",
    search="=question__external_id question__text author__email reason note",
)
register_read_only(
    models.Suggestion,
    "id question system version position kind created_at",
    filters="kind question__project",
    search="=question__external_id =system",
)
register_read_only(
    models.SuggestionUse,
    "id assignment_id suggestion fate reason shown_at decided_at",
    filters="fate",
    search="=assignment__id",
)
register_read_only(
    models.RememberedColumns, "project mapping remembered_at", search="project__slug"
)
register_read_only(
    models.StoredFigures, "project report counted_at seconds", search="project__slug"
)
register_read_only(
    models.Webhook,
    "url project created_by created_at stopped_at",
    filters="stopped_at? project",
    search="url project__slug",
    exclude=("secret",),
)
register_read_only(
    models.Delivery,
    "key event webhook created_at attempts taken_at problem",
    filters="event taken_at?",
    search="=key webhook__url",
)
register_read_only(
    models.GoldPlan,
    "id project stage rate source enough missed share pauses",
    filters="stage project",
    search="project__slug",
)
register_read_only(
    models.GoldItem,
    "id plan_id kind task_id host_id origin created_at retired_at",
    filters="kind retired_at?",
    search="=id =task__id plan__project__slug",
)
register_read_only(
    models.GoldVerdict,
    "id item_id user assignment_id given missed at",
    filters="missed plan__project",
    search="=item__id user__email",
)
register_read_only(
    models.GoldFlag,
    "id plan_id user seen missed paused at",
    filters="paused plan__project",
    search="user__email plan__project__slug",
)
register_read_only(
    models.SavedView,
    "id user project name query shared opens changed_at",
    filters="shared opens",
    search="name user__email project__slug",
)
register_read_only(
    models.SubmissionChange,
    "id assignment_id question_id started_at ends_at",
    search="=assignment__id =question__id",
)
register_read_only(
    models.ReplacedSubmission,
    "id assignment_id number submitted_at replaced_at",
    search="=assignment__id",
)
