"""Figures that take long: of large projects (ADR 25), and of reports (ADR 31)."""

from django.db import models

from annotation.core.models.projects import Project


class StoredFigures(models.Model):
    """The figures of one report on a project, counted beforehand by the worker.

    `subject` is the id of what in the project they are about, where that is not all of it;
    `filters` is what they were narrowed down to, as text; `data_state` identifies the data they
    were counted from (core/data_state.py); `asked_at` is when somebody last looked at them for the
    first time.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="stored_figures")
    report = models.CharField(max_length=40)
    subject = models.CharField(max_length=20, blank=True, default="")
    filters = models.CharField(max_length=200, blank=True, default="")
    figures = models.JSONField(help_text="By part of the report, as its function gives it.")
    data_state = models.CharField(max_length=80)
    seconds = models.FloatField(help_text="How long it took to count them.")
    counted_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "report", "subject", "filters"],
                name="stored_figures_once_a_report",
            ),
        ]
        verbose_name_plural = "stored figures"

    def __str__(self) -> str:
        return f"{self.report} of {self.project_id}, {self.counted_at:%Y-%m-%d %H:%M}"
