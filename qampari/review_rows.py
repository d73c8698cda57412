"""What staff say of made questions and of the evidence for them, and the samples they look at."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Job, Project


class EvidenceOpinion(models.Model):
    """Whether a sentence shows its fact, by one person, who may change it. at: when it was said."""

    verdict = models.ForeignKey(
        "qampari.EvidenceVerdict", on_delete=models.CASCADE, related_name="opinions"
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    shows = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["verdict", "person"], name="evidence_opinion_once_per_verdict_and_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.verdict}: {'shows it' if self.shows else 'does not'}"


class QuestionReview(models.Model):
    """What the team says of a made question; later runs of the project follow it.

    query: `making.splitting.key_of_query`, which stays the same however the question is worded;
    question: the words that were judged; text: better ones, "" where there are none; version: how
    often it was decided, so that nobody changes what they did not see.
    """

    class Verdict(models.TextChoices):
        GOOD = "good", "Good"
        WORDING = "wording", "The wording is off"
        LEFT_OUT = "left_out", "Leave it out"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    query = models.TextField()
    question = models.TextField()
    verdict = models.CharField(max_length=10, choices=Verdict)
    text = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "query"], name="question_review_once"),
            models.CheckConstraint(condition=~Q(query=""), name="question_review_of_a_query"),
            models.CheckConstraint(
                condition=Q(verdict__in=["good", "wording", "left_out"]),
                name="question_review_verdict_known",
            ),
            models.CheckConstraint(
                condition=Q(text="") | Q(verdict="wording"), name="question_review_text_of_wording"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()}: {self.text or self.question}"


class SampledQuestion(models.Model):
    """A question that a job would add, drawn for people to look at; position counts from 1.

    query: as in `QuestionReview`; answers: those that are shown, each with its proofs; others: the
    names of the rest.
    """

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    query = models.TextField()
    kind = models.CharField(max_length=12)
    split = models.CharField(max_length=10)
    text = models.TextField()
    answers = models.JSONField()
    others = models.JSONField()

    class Meta:
        ordering = ["job", "position"]
        constraints = [
            models.UniqueConstraint(fields=["job", "position"], name="sampled_question_place"),
            models.UniqueConstraint(fields=["job", "query"], name="sampled_question_once"),
            models.CheckConstraint(condition=Q(position__gte=1), name="sampled_question_from_1"),
        ]

    def __str__(self) -> str:
        return self.text
