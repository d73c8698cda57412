"""The models of this app: what workers have in hand of a run, and judges of studies."""

from django.db import models

from annotation.models import Job
from modeling.judges.models import CachedReply, JudgeModel, JudgeRun, ModelJudgment

__all__ = ["Batch", "CachedReply", "JudgeModel", "JudgeRun", "ModelJudgment"]


class Batch(models.Model):
    """Questions of a run that a worker has taken; it goes when what they got is stored.

    Questions with ids after `after`, up to and including `last`. `token`: of the worker that has
    it; another takes it over where that shows no sign of life.
    """

    job = models.ForeignKey(
        Job,
        on_delete=models.CASCADE,
        related_name="batches",
        db_index=False,  # batch_taken_once begins with it
    )
    after = models.BigIntegerField()
    last = models.BigIntegerField()
    attempt = models.PositiveSmallIntegerField(help_text="Attempts of the job when it was taken.")
    token = models.UUIDField()
    seen_at = models.DateTimeField(
        null=True, help_text="Last sign of life of the worker; empty where it gave the batch back."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "last"], name="batch_taken_once"),
            models.CheckConstraint(
                condition=models.Q(last__gt=models.F("after")), name="batch_not_empty"
            ),
        ]
        verbose_name_plural = "batches"

    def __str__(self) -> str:
        return f"{self.job_id}: {self.after} to {self.last}"
