"""Short feedback on a submission, for the person who wrote it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.work import Assignment


class Feedback(models.Model):
    """What somebody of staff says of one submission: a tag, a text, or both."""

    class Tag(models.TextChoices):
        GOOD = "good", "Good example"
        MORE_ANSWERS = "more_answers", "There are more answers"
        READ_ON = "read_on", "Read the page to the end"
        CLOSER = "closer", "Stay closer to the prompt"
        EXACT = "exact", "Say exactly what differs"
        FORMS = "forms", "Give more forms of the answer"
        WHY_SEVERAL = "why_several", "Explain why there are several answers"
        NAME_EVERY = "name_every", "Name every answer"
        A_LIST = "a_list", "Reads like a list"
        EVIDENCE = "evidence", "Add evidence"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="feedback_on")
    tag = models.CharField(max_length=12, choices=Tag, blank=True)
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
            models.CheckConstraint(
                condition=Q(
                    tag__in=[
                        "",
                        *("good", "more_answers", "read_on", "closer", "exact", "forms"),
                        *("why_several", "name_every", "a_list", "evidence"),
                    ]
                ),
                name="feedback_tag_known",
            ),
            # A press twice gives one.
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
        return self.text or self.get_tag_display()


_TAGS = Feedback.Tag
_OF_PROTOCOL = {
    "ambigqa": (
        *(_TAGS.GOOD, _TAGS.MORE_ANSWERS, _TAGS.READ_ON, _TAGS.CLOSER, _TAGS.EXACT, _TAGS.FORMS),
    ),
    "asqa": (_TAGS.GOOD, _TAGS.WHY_SEVERAL, _TAGS.NAME_EVERY, _TAGS.A_LIST, _TAGS.EVIDENCE),
}


def tags_of(protocol: str) -> list[tuple[str, str]]:
    """Return the tags that fit the work of a protocol, each with its words."""
    return [(tag.value, str(tag.label)) for tag in _OF_PROTOCOL[protocol]]
