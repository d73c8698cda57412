"""What staff ruled on a claim. The decisions themselves are in `accepted`."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Thread
from validation.decisions.models import Decision


class Ruling(models.Model):
    """A ruling on a claim: the result was upheld, or changed by a decision of the team.

    `former` is the decision that was in force before (none if generators alone decided); undoing
    the ruling puts it back. `warnings` are the warnings that staff kept.
    """

    class Verdict(models.TextChoices):
        UPHELD = "upheld", "Upheld"
        CHANGED = "changed", "Changed"

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="rulings")
    verdict = models.CharField(max_length=7, choices=Verdict)
    decision = models.OneToOneField(
        Decision, null=True, on_delete=models.CASCADE, related_name="ruling"
    )
    former = models.ForeignKey(Decision, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.TextField()
    warnings = models.JSONField(default=list, help_text="Warnings kept: rule, field.")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=["upheld", "changed"]), name="ruling_verdict_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict="changed", decision__isnull=False)
                | Q(verdict="upheld", decision__isnull=True),
                name="ruling_decision_iff_changed",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="ruling_has_reason"),
            models.CheckConstraint(
                condition=Q(undone_at__isnull=True, undone_by__isnull=True)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="ruling_undone_by_iff_at",
            ),
            models.CheckConstraint(
                condition=Q(former__isnull=True) | ~Q(former=models.F("decision")),
                name="ruling_former_is_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()}: {self.reason[:60]}"
