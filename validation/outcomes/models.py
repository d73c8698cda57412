"""The outcome of each submission in use on a decided question."""

from django.db import models
from django.db.models import Q

from annotation.models import Assignment
from validation.decisions.models import Decision
from validation.outcomes.values import DECIDED


class SubmissionOutcome(models.Model):
    """The result of one submission and its decision (none where answers alone decided).

    A row exists exactly while the submission is in use and its question is decided.
    `services.outcomes.settle` writes it, in the transaction that changes either.
    """

    assignment = models.OneToOneField(
        Assignment, primary_key=True, on_delete=models.CASCADE, related_name="outcome"
    )
    decision = models.ForeignKey(
        Decision, null=True, on_delete=models.CASCADE, related_name="outcomes"
    )
    status = models.CharField(
        max_length=9, choices=[(status.value, status.label) for status in DECIDED]
    )
    pairs = models.PositiveSmallIntegerField(
        null=True,
        help_text="How many of its pairs are accepted; null where the status says it: all as "
        "written, or none.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=[status.value for status in DECIDED]),
                name="submission_outcome_known",
            ),
            models.CheckConstraint(
                condition=Q(decision__isnull=False) | Q(status__in=["written", "excluded"]),
                name="submission_outcome_decided_or_as_written",
            ),
            models.CheckConstraint(
                condition=Q(pairs__isnull=True) | Q(status__in=["changed", "partly"]),
                name="submission_outcome_pairs_if_some_differ",
            ),
        ]

    def __str__(self) -> str:
        return self.get_status_display()
