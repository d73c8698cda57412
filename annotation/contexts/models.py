"""Context paragraphs, which show writers where a short answer comes from (S3, S21)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.core.models.questions import Question


class ContextParagraph(models.Model):
    """The best paragraph found for one disambiguation, and whether writers are shown it.

    `position` is the disambiguation's, from 0; `score` its TF-IDF similarity with the
    disambiguated question, from 0 to 1. `shown` follows the project's threshold until someone
    has opened the question, so that a writer's inputs never change.
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="contexts")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    title = models.TextField()
    path = models.TextField()
    url = models.TextField(
        blank=True, default="", db_default="", help_text="On the real Wikipedia."
    )
    rev_id = models.BigIntegerField(null=True)
    score = models.FloatField()
    shown = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "position"], name="context_once_per_disambiguation"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="context_not_empty"),
            models.CheckConstraint(
                condition=Q(score__gte=0, score__lte=1), name="context_score_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class ContextSearch(models.Model):
    """A search for paragraphs: for which disambiguations, in which pages, with which result.

    It tells a question whose pages have no paragraph from one that has not been searched yet.
    """

    question = models.OneToOneField(
        Question, on_delete=models.CASCADE, related_name="context_search"
    )
    fingerprint = models.CharField(
        max_length=32, help_text="MD5 of the question's disambiguations and pages."
    )
    pages = models.PositiveSmallIntegerField(help_text="Number of pages to be read.")
    missing = ArrayField(
        models.TextField(), default=list, blank=True, help_text="Titles that were not found."
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "context searches"

    def __str__(self) -> str:
        return f"question {self.question_id}, {self.pages} pages"
