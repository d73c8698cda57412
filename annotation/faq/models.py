"""Frequently asked questions, with the team's answers."""

from django.conf import settings
from django.db import models
from django.db.models import Deferrable, Q

from annotation.core.models.projects import Project
from annotation.threads.models import Thread


class FaqEntry(models.Model):
    """One question and its answer in Markdown. The project's log has earlier versions."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="faq")
    question = models.CharField(max_length=300)
    answer = models.TextField(max_length=20_000)
    position = models.PositiveIntegerField()
    thread = models.OneToOneField(
        Thread, null=True, on_delete=models.SET_NULL, related_name="faq_entry"
    )
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        verbose_name = "FAQ entry"
        verbose_name_plural = "FAQ entries"
        ordering = ["position"]
        constraints = [
            # Deferred, so that two can swap places.
            models.UniqueConstraint(
                fields=["project", "position"],
                deferrable=Deferrable.DEFERRED,
                name="faq_position_unique",
            ),
            models.CheckConstraint(condition=~Q(question=""), name="faq_question_not_empty"),
            models.CheckConstraint(condition=~Q(answer=""), name="faq_answer_not_empty"),
        ]

    def __str__(self) -> str:
        return self.question
