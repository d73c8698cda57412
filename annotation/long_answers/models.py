"""The rows of the long-answer stage: text, evidence, and overrides."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from wikipedia.models import Quote


class LongAnswer(models.Model):
    """A long answer to an ambiguous question (S5). One imported as finished work has no author.

    `keeps`: the warnings that were kept, each {"rule", "field", "reason"}.
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="long_answers")
    assignment = models.OneToOneField(
        Assignment, null=True, on_delete=models.CASCADE, related_name="long_answer"
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="long_answers"
    )
    text = models.TextField()
    keeps = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="long_answer_not_empty"),
            models.CheckConstraint(
                condition=Q(assignment__isnull=True, author__isnull=True)
                | Q(assignment__isnull=False, author__isnull=False),
                name="long_answer_author_iff_assignment",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class Knowledge(models.Model):
    """One piece of evidence for content that a long answer adds to its inputs (S6).

    `content` or `page` is null where the file of finished work has null. `more_quotes`: further
    quotes of the same piece, after the first.
    """

    long_answer = models.ForeignKey(LongAnswer, on_delete=models.CASCADE, related_name="knowledge")
    position = models.PositiveSmallIntegerField()
    content = models.TextField(null=True)  # noqa: DJ001 - the released files tell null from ""
    page = models.TextField(null=True, help_text="Title of the article.")  # noqa: DJ001
    quote = models.ForeignKey(
        "wikipedia.Quote", null=True, on_delete=models.PROTECT, related_name="knowledge"
    )
    more_quotes = models.ManyToManyField("wikipedia.Quote", related_name="more_knowledge")

    class Meta:
        verbose_name_plural = "knowledge"
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["long_answer", "position"], name="knowledge_position_unique"
            ),
        ]

    def __str__(self) -> str:
        return (self.content or self.page or "")[:80]

    @property
    def quotes(self) -> list[Quote]:
        """All quotes that support it, in order. Prefetch `more_quotes` before."""
        return [*filter(None, [self.quote]), *self.more_quotes.all()]


class Override(models.Model):
    """A short answer that the text gives in other words (S11): which words, and where.

    `disambiguation` counts from 0; `start` and `end` are code points of the long answer.
    """

    long_answer = models.ForeignKey(LongAnswer, on_delete=models.CASCADE, related_name="overrides")
    disambiguation = models.PositiveSmallIntegerField()
    words = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["disambiguation"]
        constraints = [
            models.UniqueConstraint(
                fields=["long_answer", "disambiguation"], name="override_once_per_disambiguation"
            ),
            models.CheckConstraint(condition=~Q(words=""), name="override_words_not_empty"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="override_span_in_order"),
        ]

    def __str__(self) -> str:
        return self.words[:80]
