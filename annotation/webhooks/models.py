"""Webhooks: addresses that are told what happens in a project, and what each was told."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.projects import Project


class Webhook(models.Model):
    """An address of another program, told until somebody stops it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField("address", max_length=500)
    secret = models.CharField(max_length=64, help_text="Key of the signatures.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    stopped_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "url"],
                condition=Q(stopped_at__isnull=True),
                name="webhook_address_once",
            ),
        ]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One message for one address: sent again until it is taken or given up."""

    class Event(models.TextChoices):
        QUESTION = "question.accepted", "Question accepted"
        JOB = "job.done", "Job done"
        TEST = "test", "Test"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    key = models.UUIDField(
        default=uuid.uuid4, unique=True, help_text="The same each time it is sent."
    )
    event = models.CharField(max_length=20, choices=Event)
    data = models.JSONField()
    created_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, help_text="When it is sent next; null once over.")
    attempts = models.PositiveSmallIntegerField(default=0)
    taken_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=200, blank=True, help_text="Of the last attempt.")

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.CheckConstraint(
                condition=Q(event__in=["question.accepted", "job.done", "test"]),
                name="delivery_event_known",
            ),
            models.CheckConstraint(
                condition=Q(taken_at__isnull=True) | Q(due_at__isnull=True),
                name="delivery_over_once_taken",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="delivery_due"),
            models.Index(fields=["webhook", "-id"], name="delivery_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.key}"

    @property
    def outcome(self) -> str:
        """The outcome, in a word."""
        if self.taken_at:
            return "taken"
        return "waiting" if self.due_at else "given up"
