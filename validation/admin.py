"""All models of this app in the Django admin, read-only (see annotation.admin)."""

from annotation.admin import inline, show
from validation import models

show(
    models.Validation,
    "id question validator created_at",
    search="question__external_id question__text validator__email",
    inlines=[inline(models.Verdict, "annotation author correct derived")],
)
show(
    models.Verdict,
    "id validation annotation author correct derived",
    filters="correct",
    search="=validation__id author__email",
)
show(
    models.Decision,
    "id question source outcome change in_force created_at",
    filters="source outcome change in_force",
    search="question__external_id question__text reason",
    inlines=[
        inline(models.AcceptedAnnotation, "position kind annotation"),
        inline(models.ExcludedAnswer, "position answers questions reason"),
    ],
)
show(
    models.AcceptedAnnotation,
    "id decision position kind annotation",
    filters="kind",
    search="=decision__id pairs__answers__text",
)
show(models.AcceptedPair, "id accepted position", search="answers__text questions__text")
show(models.ExcludedAnswer, "id decision answers reason", search="answers reason")
show(models.AcceptedQuestion, "text pair position source edited", filters="edited", search="text")
show(models.AcceptedAnswer, "text pair position source edited", filters="edited", search="text")
show(
    models.Ruling,
    "id thread verdict decision made_by created_at undone_at",
    filters="verdict undone_at?",
    search="reason =thread__id",
)
show(
    models.AuditSample,
    "id project split population drawn_from drawn_by created_at",
    filters="project split population",
    search="project__slug =seed",
)
show(models.AuditItem, "id sample question position", search="question__external_id question__text")
show(models.Agreement, "project computed_at data_state", search="project__slug")
show(
    models.SubmissionOutcome,
    "assignment_id status decision",
    filters="status",
    search="=assignment__id",
)
