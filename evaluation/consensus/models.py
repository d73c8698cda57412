"""What experts agreed on."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluation.studies.models import Item


class Consensus(models.Model):
    """What experts agreed on after each of them had judged alone, and why (N9)."""

    class Verdict(models.TextChoices):
        CORRECT = "correct", "Correct"
        DEBATABLE = "debatable", "Correct, but debatable"
        WRONG = "wrong", "Wrong"

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="consensus")
    verdict = models.CharField(max_length=9, choices=Verdict)
    justification = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "consensuses"
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=["correct", "debatable", "wrong"]),
                name="consensus_verdict_known",
            ),
            models.CheckConstraint(
                condition=~Q(justification=""), name="consensus_has_justification"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.verdict}"
