"""What models suggest for a question, and what people did with it."""

from django.db import models
from django.db.models import Q

from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment


class Suggestion(models.Model):
    """One suggestion of one version of a system for a question. It is never changed.

    `content` holds question, answers, text, title, path and box, as far as its kind has them; that
    of a verdict also verdict and score.
    """

    class Kind(models.TextChoices):
        PAIR = "pair", "Question and answer"
        ANSWER = "answer", "Answer"
        PASSAGE = "passage", "Passage"
        LONG_ANSWER = "long_answer", "Long answer"
        VERDICT = "verdict", "Verdict"

    question = models.ForeignKey(
        Question,
        on_delete=models.CASCADE,
        related_name="suggestions",
        db_index=False,  # suggestion_once_per_position begins with it
    )
    system = models.CharField(max_length=80, help_text="The name of the system, as people read it.")
    version = models.CharField(max_length=80, blank=True)
    position = models.PositiveSmallIntegerField(help_text="Its place among the system's, from 0.")
    kind = models.CharField(max_length=11, choices=Kind)
    content = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["question", "system", "version", "position"],
                name="suggestion_once_per_position",
            ),
            models.CheckConstraint(condition=~Q(system=""), name="suggestion_system_named"),
            models.CheckConstraint(
                condition=Q(kind__in=["pair", "answer", "passage", "long_answer", "verdict"]),
                name="suggestion_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system}, {self.get_kind_display().lower()} {self.position + 1}"


class SuggestionUse(models.Model):
    """What one person did with a suggestion that they were shown.

    The fate is empty while they have not decided, and stays so if they never do.
    """

    class Fate(models.TextChoices):
        ACCEPTED = "accepted", "Accepted as it was"
        EDITED = "edited", "Accepted and edited"
        DISMISSED = "dismissed", "Dismissed"

    assignment = models.ForeignKey(
        Assignment,
        on_delete=models.CASCADE,
        related_name="suggestion_uses",
        db_index=False,  # suggestion_use_once begins with it
    )
    suggestion = models.ForeignKey(Suggestion, on_delete=models.RESTRICT, related_name="uses")
    fate = models.CharField(max_length=9, choices=Fate, blank=True, default="")
    reason = models.CharField(
        max_length=20, blank=True, default="", help_text="Why it was dismissed, if they said so."
    )
    before = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="The verdict that they had chosen before they were shown this one.",
    )
    shown_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "suggestion"], name="suggestion_use_once"
            ),
            models.CheckConstraint(
                condition=Q(fate__in=["", "accepted", "edited", "dismissed"]),
                name="suggestion_fate_known",
            ),
            models.CheckConstraint(
                condition=Q(fate="", decided_at__isnull=True)
                | (~Q(fate="") & Q(decided_at__isnull=False)),
                name="suggestion_decided_iff_fate",
            ),
            models.CheckConstraint(
                condition=Q(reason="") | Q(fate="dismissed"),
                name="suggestion_reason_only_if_dismissed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.suggestion_id} in {self.assignment_id}: {self.fate or 'undecided'}"
