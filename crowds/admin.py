"""All models of this app in the Django admin, read-only (see annotation.admin)."""

from annotation.admin import register_read_only
from crowds import models

register_read_only(
    models.Briefing, "id project version created_by created_at", filters="project", search="=id"
)
register_read_only(
    models.Recruitment,
    "id project title platform stage state questions places ends_at",
    filters="project platform state",
    search="title",
)
# Neither the platform's ids nor what people said about themselves.
register_read_only(
    models.Participation,
    "id recruitment user status review flagged consented_at ended_at",
    filters="status review",
    search="=id user__name",
    fields=("recruitment", "user", "status", "review", "flagged", "consented_at", "ended_at"),
)
