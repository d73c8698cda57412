"""All models of this app in the Django admin, read-only (see annotation.admin)."""

from annotation.admin import build_inline, register_read_only
from validation import models

register_read_only(
    models.Validation,
    "id question validator created_at",
    search="question__external_id question__text validator__email",
    inlines=[build_inline(models.Verdict, "annotation author correct derived")],
)
register_read_only(
    models.Verdict,
    "id validation annotation author correct derived",
    filters="correct",
    search="=validation__id author__email",
)
register_read_only(
    models.Decision,
    "id question source outcome change in_force created_at",
    filters="source outcome change in_force",
    search="question__external_id question__text reason",
    inlines=[
        build_inline(models.AcceptedAnnotation, "position kind annotation"),
        build_inline(models.ExcludedAnswer, "position answers questions reason"),
    ],
)
register_read_only(
    models.AcceptedAnnotation,
    "id decision position kind annotation",
    filters="kind",
    search="=decision__id pairs__answers__text",
)
register_read_only(
    models.AcceptedPair, "id accepted position", search="answers__text questions__text"
)
register_read_only(models.ExcludedAnswer, "id decision answers reason", search="answers reason")
register_read_only(
    models.AcceptedQuestion, "text pair position source edited", filters="edited", search="text"
)
register_read_only(
    models.AcceptedAnswer, "text pair position source edited", filters="edited", search="text"
)
register_read_only(
    models.Ruling,
    "id thread verdict decision made_by created_at undone_at",
    filters="verdict undone_at?",
    search="reason =thread__id",
)
register_read_only(
    models.AuditSample,
    "id project split population drawn_from drawn_by created_at",
    filters="project split population",
    search="project__slug =seed",
)
register_read_only(
    models.AuditItem, "id sample question position", search="question__external_id question__text"
)
register_read_only(
    models.SubmissionOutcome,
    "assignment_id status decision",
    filters="status",
    search="=assignment__id",
)
