"""Every row of the validation floor in the Django admin, to look at (see annotation.admin)."""

from django.contrib import admin

from annotation.admin import ReadOnlyAdmin, ReadOnlyInline
from validation import models


class VerdictInline(ReadOnlyInline):
    model = models.Verdict
    fields = ("annotation", "author", "correct", "derived")


@admin.register(models.Validation)
class ValidationAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "validator", "created_at")
    search_fields = ("question__external_id", "question__text", "validator__email")
    list_select_related = ("question", "validator")
    inlines = (VerdictInline,)


@admin.register(models.Verdict)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ("id", "validation", "annotation", "author", "correct", "derived")
    list_filter = ("correct",)
    search_fields = ("=validation__id", "author__email")
    list_select_related = ("validation", "annotation", "author")


class AcceptedInline(ReadOnlyInline):
    model = models.AcceptedAnnotation
    fields = ("position", "kind", "annotation")


class ExcludedInline(ReadOnlyInline):
    model = models.ExcludedAnswer
    fields = ("position", "answers", "questions", "reason")


@admin.register(models.Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("id", "question", "source", "outcome", "change", "in_force", "created_at")
    list_filter = ("source", "outcome", "change", "in_force")
    search_fields = ("question__external_id", "question__text", "reason")
    list_select_related = ("question",)
    inlines = (AcceptedInline, ExcludedInline)


@admin.register(models.AcceptedAnnotation)
class AcceptedAnnotationAdmin(ReadOnlyAdmin):
    list_display = ("id", "decision", "position", "kind", "annotation")
    list_filter = ("kind",)
    search_fields = ("=decision__id", "pairs__answers__text")
    list_select_related = ("decision", "annotation")


@admin.register(models.AcceptedPair)
class AcceptedPairAdmin(ReadOnlyAdmin):
    list_display = ("id", "accepted", "position")
    search_fields = ("answers__text", "questions__text")
    list_select_related = ("accepted",)


@admin.register(models.ExcludedAnswer)
class ExcludedAnswerAdmin(ReadOnlyAdmin):
    list_display = ("id", "decision", "answers", "reason")
    search_fields = ("answers", "reason")
    list_select_related = ("decision",)


@admin.register(models.AcceptedQuestion, models.AcceptedAnswer)
class AcceptedTextAdmin(ReadOnlyAdmin):
    list_display = ("text", "pair", "position", "source", "edited")
    list_filter = ("edited",)
    search_fields = ("text",)
    list_select_related = ("pair", "source")


@admin.register(models.Ruling)
class RulingAdmin(ReadOnlyAdmin):
    list_display = ("id", "thread", "verdict", "decision", "made_by", "created_at", "undone_at")
    list_filter = ("verdict", ("undone_at", admin.EmptyFieldListFilter))
    search_fields = ("reason", "=thread__id")
    list_select_related = ("thread", "decision", "made_by")


@admin.register(models.AuditSample)
class AuditSampleAdmin(ReadOnlyAdmin):
    list_display = ("id", "project", "split", "population", "drawn_from", "drawn_by", "created_at")
    list_filter = ("project", "split", "population")
    search_fields = ("project__slug", "=seed")
    list_select_related = ("project", "drawn_by")


@admin.register(models.AuditItem)
class AuditItemAdmin(ReadOnlyAdmin):
    list_display = ("id", "sample", "question", "position")
    search_fields = ("question__external_id", "question__text")
    list_select_related = ("sample", "question")


@admin.register(models.Agreement)
class AgreementAdmin(ReadOnlyAdmin):
    list_display = ("project", "computed_at", "data_state")
    search_fields = ("project__slug",)
    list_select_related = ("project",)
