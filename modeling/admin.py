"""Judge models and what they said in the Django admin, read-only (see annotation.admin)."""

from annotation.admin import register_read_only
from modeling import models

register_read_only(
    models.JudgeModel,
    "id study talker model host prompt allowed_by allowed_at",
    filters="talker",
    search="=study__id model",
)
register_read_only(models.JudgeRun, "id judge job ended_at", search="=judge__id")
register_read_only(
    models.CachedReply, "id project refused tokens_in tokens_out created_at", search="=digest"
)
register_read_only(
    models.ModelJudgment,
    "id judge item swapped outcome cached created_at",
    filters="outcome",
    search="=judge__id =item__study__id",
    related=("judge", "item__study"),
)
