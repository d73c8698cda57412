"""Submissions of stages without tables of their own: the response as JSON."""

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.lookups import Exact

from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment


class Submission(models.Model):
    """The response to one assignment as JSON, as the sheet of its stage reads and writes it.

    keeps: the warnings that were kept, each {"rule", "field", "reason"}. quotes: the quotes named
    in the response, all of them the author's own.
    """

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="submission"
    )
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="submissions")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    stage = models.CharField(max_length=20)
    response = models.JSONField()
    keeps = models.JSONField(default=list, blank=True)
    quotes = models.ManyToManyField("wikipedia.Quote", related_name="submissions")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~Q(stage=""), name="submission_of_a_stage"),
            models.CheckConstraint(
                condition=Exact(
                    Func(
                        F("response"),
                        function="jsonb_typeof",
                        output_field=models.CharField(),
                    ),
                    Value("object"),
                ),
                name="submission_response_is_an_object",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage}: {self.question}"
