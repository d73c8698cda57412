"""Threads of messages between an annotator and the team about one assignment."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment


class Thread(models.Model):
    """A claim, a question about a result, or a question asked while parking.

    `waiting_since` is when its author last asked for something: staff see the longest wait first.
    The four times at the end say when each side last wrote and read.
    """

    class Kind(models.TextChoices):
        CLAIM = "claim", "Claim"
        QUESTION = "question", "Question"
        PARK = "park", "Question on parked work"

    class State(models.TextChoices):
        OPEN = "open", "Open"
        ANSWERED = "answered", "Answered"
        CHANGED = "changed", "Result changed"
        UPHELD = "upheld", "Result upheld"
        WITHDRAWN = "withdrawn", "Withdrawn"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="threads")
    # Copied from the assignment, so that an index can use it.
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="threads")
    kind = models.CharField(max_length=8, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    waiting_since = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    author_wrote_at = models.DateTimeField()
    staff_wrote_at = models.DateTimeField(null=True)
    author_read_at = models.DateTimeField(null=True)
    staff_read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(state="open"),
                name="thread_one_open_per_assignment_and_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["claim", "question", "park"]), name="thread_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "answered", "changed", "upheld", "withdrawn"]),
                name="thread_state_known",
            ),
            models.CheckConstraint(
                condition=Q(kind="claim", state__in=["open", "changed", "upheld", "withdrawn"])
                | (~Q(kind="claim") & Q(state__in=["open", "answered", "withdrawn"])),
                name="thread_state_fits_kind",
            ),
            models.CheckConstraint(
                condition=Q(state="open", closed_at__isnull=True)
                | (~Q(state="open") & Q(closed_at__isnull=False)),
                name="thread_closed_at_iff_closed",
            ),
        ]
        indexes = [
            # The team's list and the count in the project's tabs: waiting threads, longest first.
            models.Index(
                fields=["project", "waiting_since"],
                condition=Q(state="open"),
                name="thread_open_of_project",
            ),
            # The number of news, on each page of everyone.
            models.Index(
                fields=["assignment"],
                condition=Q(staff_wrote_at__isnull=False)
                & (Q(author_read_at__isnull=True) | Q(author_read_at__lt=F("staff_wrote_at"))),
                name="thread_new_to_author",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} on {self.assignment_id}, {self.state}"

    @property
    def last_message(self) -> int:
        """The id of the newest message, 0 where there is none; messages may be prefetched."""
        return max((message.pk for message in self.messages.all()), default=0)


class Message(models.Model):
    """One message of a thread, never edited. Annotators see the team's messages without a name."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    by_staff = models.BooleanField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="message_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
