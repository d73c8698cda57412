"""Concerns about the disambiguations of a question, with the decisions on them (S7, S23)."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment


class Concern(models.Model):
    """A person doubts the disambiguations. While it is open, no one else gets the question.

    `disambiguations` are the positions it is about, from 0; empty: the question as a whole.
    Without an assignment it was raised by staff. If it is upheld, the question is excluded, and
    `note` says why. A withdrawn concern was never decided.
    """

    class State(models.TextChoices):
        OPEN = "open", "Open"
        UPHELD = "upheld", "Question excluded"
        DISMISSED = "dismissed", "Question kept"
        WITHDRAWN = "withdrawn", "Withdrawn"

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="concerns")
    assignment = models.ForeignKey(
        Assignment, null=True, on_delete=models.CASCADE, related_name="concerns"
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="concerns"
    )
    disambiguations = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    reason = models.TextField()
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(null=True, help_text="When its author read the decision.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["open", "upheld", "dismissed", "withdrawn"]),
                name="concern_state_known",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="concern_has_reason"),
            models.CheckConstraint(
                condition=Q(
                    state__in=["open", "withdrawn"],
                    decided_at__isnull=True,
                    decided_by__isnull=True,
                )
                | Q(
                    state__in=["upheld", "dismissed"],
                    decided_at__isnull=False,
                    decided_by__isnull=False,
                ),
                name="concern_decided_iff_ruled",
            ),
            models.CheckConstraint(
                condition=~Q(state="upheld") | ~Q(note=""), name="concern_upheld_has_note"
            ),
            models.UniqueConstraint(
                fields=["question", "author"],
                condition=Q(state="open"),
                name="concern_one_open_per_question_and_author",
            ),
        ]
        indexes = [
            # The team's list and the state of a question: open concerns, and those that exclude.
            models.Index(
                fields=["question"],
                condition=Q(state__in=["open", "upheld"]),
                name="concern_that_rules",
            ),
        ]

    def __str__(self) -> str:
        return self.reason[:80]

    @property
    def about(self) -> str:
        """The doubted parts in words, such as Disambiguations 1 and 3."""
        numbers = [str(position + 1) for position in self.disambiguations]
        if not numbers:
            return "The question as a whole"
        if len(numbers) == 1:
            return f"Disambiguation {numbers[0]}"
        return f"Disambiguations {', '.join(numbers[:-1])} and {numbers[-1]}"
