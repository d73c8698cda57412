"""Judge models of studies, their runs, and what they said."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Job, Project
from evaluation.models import Item, Study


class JudgeModel(models.Model):
    """A language model that judges the items of a study beside people.

    talker: where it is (`talkers`); model: its name there; host: of its endpoint, empty where it
    runs here; prompt: the number of our words to it (`prompts.PROMPT`). It is sent something only
    while somebody allows that.
    """

    class Talker(models.TextChoices):
        ENDPOINT = "endpoint", "The endpoint of this installation"
        LOCAL = "local", "A model on this installation’s own machines"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="judge_models")
    talker = models.CharField(max_length=8, choices=Talker)
    model = models.CharField(max_length=200)
    host = models.CharField(max_length=255, blank=True)
    prompt = models.PositiveSmallIntegerField()
    as_json = models.BooleanField(default=True, help_text="Whether it is told to reply in JSON.")
    reasons = models.BooleanField(default=False, help_text="Whether it thinks before it replies.")
    allowed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    allowed_at = models.DateTimeField(null=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    added_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "talker", "model", "host", "prompt"],
                name="judge_model_once_per_study",
            ),
            models.CheckConstraint(
                condition=Q(talker__in=["endpoint", "local"]), name="judge_model_talker_known"
            ),
            models.CheckConstraint(condition=~Q(model=""), name="judge_model_named"),
            models.CheckConstraint(
                condition=Q(allowed_by__isnull=True, allowed_at__isnull=True)
                | Q(allowed_by__isnull=False, allowed_at__isnull=False),
                name="judge_model_allowed_by_someone",
            ),
        ]

    def __str__(self) -> str:
        return self.model


class JudgeRun(models.Model):
    """A job that asks a judge model. It is over once `ended_at` is set."""

    judge = models.ForeignKey(
        JudgeModel, on_delete=models.CASCADE, related_name="runs", db_index=False
    )
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="judge_run")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge"], condition=Q(ended_at__isnull=True), name="judge_run_one_at_a_time"
            ),
        ]
        indexes = [models.Index(fields=["judge"], name="judge_run_of_judge")]

    def __str__(self) -> str:
        return f"{self.judge}: {self.job_id}"


class CachedReply(models.Model):
    """What a model replied to a prompt. digest: of both (`prompts.digest_prompt`)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    refused = models.BooleanField(default=False)
    tokens_in = models.PositiveIntegerField()
    tokens_out = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "cached replies"
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="cached_reply_once"),
        ]

    def __str__(self) -> str:
        return self.digest


class ModelJudgment(models.Model):
    """What a judge model said of one item in one order of its answers.

    swapped: the second system was on the left; response: as stages keep one, null where there is no
    verdict, and `problem` says why. Tokens and cost are what this judgment took: none where the
    reply was known from before.
    """

    class Outcome(models.TextChoices):
        JUDGED = "judged", "Judged"
        REFUSED = "refused", "Refused"
        UNREADABLE = "unreadable", "Unreadable"

    judge = models.ForeignKey(
        JudgeModel, on_delete=models.CASCADE, related_name="judgments", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="model_judgments")
    swapped = models.BooleanField(default=False)
    outcome = models.CharField(max_length=10, choices=Outcome)
    response = models.JSONField(null=True)
    problem = models.CharField(max_length=500, blank=True)
    digest = models.CharField(max_length=64)
    cached = models.BooleanField(default=False)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "item", "swapped"], name="model_judgment_once_per_order"
            ),
            models.CheckConstraint(
                condition=Q(outcome="judged", response__isnull=False)
                | Q(outcome__in=["refused", "unreadable"], response__isnull=True),
                name="model_judgment_has_response",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge}: {self.item}"
