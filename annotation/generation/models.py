"""What a generator submitted: one answer, several question-answer pairs, or none."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from wikipedia.models import Quote


class Annotation(models.Model):
    """The response to one assignment. At most one per assignment, whoever races."""

    class Kind(models.TextChoices):
        MULTIPLE = "multiple", "Several answers"
        SINGLE = "single", "One clear answer"
        NONE = "none", "Not found"

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="annotation"
    )
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="annotations")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="annotations"
    )
    kind = models.CharField(max_length=8, choices=Kind)
    none_reason = models.TextField(blank=True)
    no_conflict = models.BooleanField(
        null=True, help_text="True: they said to have no conflict of interest; null: not asked."
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["multiple", "single", "none"]), name="annotation_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(kind="none") | Q(none_reason=""), name="annotation_reason_only_if_none"
            ),
            models.CheckConstraint(
                condition=Q(no_conflict__isnull=True) | Q(no_conflict=True),
                name="annotation_without_conflict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} for {self.question_id}"


class QAPair(models.Model):
    """A disambiguated question with its answer. A single answer is one pair whose question is
    empty: x1 = q, the prompt itself (A7)."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="pairs")
    position = models.PositiveSmallIntegerField()
    question = models.TextField(blank=True)
    suggestion = models.ForeignKey(
        "annotation.Suggestion",
        null=True,
        on_delete=models.RESTRICT,
        related_name="pairs",
        db_index=False,  # few pairs began as one; pair_of_suggestion has only those
    )

    class Meta:
        verbose_name = "question-answer pair"
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "position"], name="pair_position_unique"),
            models.UniqueConstraint(
                fields=["annotation", "suggestion"],
                condition=Q(suggestion__isnull=False),
                name="pair_once_per_suggestion",
            ),
        ]
        indexes = [
            models.Index(
                fields=["suggestion"],
                condition=Q(suggestion__isnull=False),
                name="pair_of_suggestion",
            ),
        ]

    def __str__(self) -> str:
        return self.question


class Answer(models.Model):
    """One string accepted as the pair's answer, with the quote it was taken from, if any.

    `more_quotes`: further quotes that support it, in the order of their making.
    """

    pair = models.ForeignKey(QAPair, on_delete=models.CASCADE, related_name="answers")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    quote = models.ForeignKey(
        "wikipedia.Quote", null=True, on_delete=models.PROTECT, related_name="answers"
    )
    more_quotes = models.ManyToManyField("wikipedia.Quote", related_name="more_answers")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "position"], name="answer_position_unique"),
            models.CheckConstraint(condition=~Q(text=""), name="answer_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def quotes(self) -> list[Quote]:
        """All quotes that support it, in order. Prefetch `more_quotes` before."""
        return [*filter(None, [self.quote]), *self.more_quotes.all()]


class KeptWarning(models.Model):
    """A warning the author read and kept, with the reason (A33)."""

    annotation = models.ForeignKey(
        Annotation, on_delete=models.CASCADE, related_name="kept_warnings"
    )
    rule = models.CharField(max_length=40)
    field = models.CharField(max_length=60)
    reason = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "rule", "field"], name="kept_warning_once_per_field"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="kept_warning_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.rule}: {self.reason}"
