"""The stored figures of agreement, computed by a job."""

from django.db import models

from annotation.models import Project


class Agreement(models.Model):
    """The figures of a project and of each of its splits, all from one state of its data.

    `data_state` identifies that state (annotation.core.data_state): while the project is
    still in it, the figures are current.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="agreement")
    reports = models.JSONField(
        help_text='By split, "" is all: validation.agreement.reporting.Report.'
    )
    data_state = models.CharField(max_length=80)
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project"], name="agreement_once_a_project"),
        ]
        verbose_name_plural = "agreement"

    def __str__(self) -> str:
        return f"Agreement of {self.project_id}, {self.computed_at:%Y-%m-%d %H:%M}"
