"""What a project remembers of the files that were imported into it."""

from django.db import models
from django.db.models import Q

from annotation.core.models.projects import Project


class RememberedColumns(models.Model):
    """What the columns of a file became, for the next file of the project with the same ones.

    `columns` is a digest of their names (`annotation.imports.recognition.digest_columns`).
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="remembered_columns"
    )
    columns = models.CharField(max_length=64)
    mapping = models.JSONField(help_text="As `ColumnMapping.as_json` gives it.")
    remembered_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "remembered columns"
        constraints = [
            models.UniqueConstraint(
                fields=["project", "columns"], name="columns_remembered_once_per_project"
            ),
            models.CheckConstraint(condition=~Q(columns=""), name="columns_remembered_named"),
        ]

    def __str__(self) -> str:
        return f"{self.project}: {', '.join(self.mapping.get('uses', {}))}"
