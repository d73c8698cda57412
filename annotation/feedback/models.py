"""Short feedback on a submission, for the person who wrote it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.work import Assignment
from annotation.protocols import registry as protocols


class Feedback(models.Model):
    """Feedback from staff on one submission: a tag, a text, or both."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="feedback_on")
    tag = models.CharField(max_length=20, blank=True)
    text = models.CharField(max_length=1000, blank=True)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, help_text="When its receiver opened it.")

    class Meta:
        verbose_name_plural = "feedback"
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~Q(tag="", text=""), name="feedback_says_something"),
            # Pressing the button twice gives one.
            models.UniqueConstraint(
                fields=["assignment", "tag"],
                condition=Q(text="") & ~Q(tag=""),
                name="feedback_quick_tag_once",
            ),
        ]
        indexes = [
            # News under My work.
            models.Index(
                fields=["assignment"], condition=Q(read_at__isnull=True), name="feedback_unread"
            ),
        ]

    def __str__(self) -> str:
        return self.text or self.tag_label

    @property
    def tag_label(self) -> str:
        """The tag as people read it."""
        return protocols.tag_label(self.tag)
