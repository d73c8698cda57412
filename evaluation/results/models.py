"""The stored figures of a study."""

from django.db import models

from evaluation.studies.models import Study


class Results(models.Model):
    """The figures of a study as a job computed them, from how many judgments, and when.

    last_judgment: the newest of them by id, 0 without any; those after it came later.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="results")
    figures = models.JSONField()
    judgments = models.PositiveIntegerField()
    last_judgment = models.BigIntegerField(default=0)
    computed_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "results"

    def __str__(self) -> str:
        return f"Results of {self.study}"
