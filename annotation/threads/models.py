"""Threads of messages between a person and the team about one assignment."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.protocols import registry as protocols


class TalkManager(models.Manager["Thread"]):
    """Threads in which both sides write."""

    def get_queryset(self) -> models.QuerySet["Thread"]:
        """Leave feedback out."""
        return super().get_queryset().exclude(kind=Thread.Kind.FEEDBACK)


class Thread(models.Model):
    """A claim, a question about a result, a question asked while parking, or the team's feedback.

    `waiting_since` is when its author last asked for something: staff see the longest wait first.
    Feedback is closed from its beginning, as it takes no reply, and only `every` has it.
    """

    class Kind(models.TextChoices):
        CLAIM = "claim", "Claim"
        QUESTION = "question", "Question"
        PARK = "park", "Question on parked work"
        FEEDBACK = "feedback", "Feedback"

    class State(models.TextChoices):
        OPEN = "open", "Open"
        ANSWERED = "answered", "Answered"
        CHANGED = "changed", "Result changed"
        UPHELD = "upheld", "Result upheld"
        WITHDRAWN = "withdrawn", "Withdrawn"
        CLOSED = "closed", "Closed"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="threads")
    # Copied from the assignment, so that an index can use it.
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="threads")
    kind = models.CharField(max_length=8, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    waiting_since = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    objects = TalkManager()
    every: "models.Manager[Thread]" = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(state="open"),
                name="thread_one_open_per_assignment_and_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind="claim", state__in=["open", "changed", "upheld", "withdrawn"])
                | Q(kind__in=["question", "park"], state__in=["open", "answered", "withdrawn"])
                | Q(kind="feedback", state="closed"),
                name="thread_state_fits_kind",
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(kind="feedback"),
                name="thread_one_of_feedback_per_assignment",
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
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} on {self.assignment_id}, {self.state}"

    @property
    def last_message(self) -> int:
        """The id of the newest message, 0 where there is none; messages may be prefetched."""
        return max((message.pk for message in self.messages.all()), default=0)


class Message(models.Model):
    """One message of a thread, never edited. Annotators see the team's messages without a name.

    `read_at` is when the other side first had it on its page. `receiver` of what the team writes is
    the thread's author, copied so that an index finds the news, which each page counts. `tag`:
    feedback is a tag, a text, or both.
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    by_staff = models.BooleanField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    receiver = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    tag = models.CharField(max_length=20, blank=True)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~Q(tag="", text=""), name="message_not_empty"),
            models.CheckConstraint(
                condition=Q(by_staff=True, receiver__isnull=False)
                | Q(by_staff=False, receiver__isnull=True),
                name="message_receiver_iff_by_staff",
            ),
            # Pressing the button of a tag twice gives one.
            models.UniqueConstraint(
                fields=["thread", "tag"],
                condition=Q(text="") & ~Q(tag=""),
                name="message_quick_tag_once",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80] or self.tag_label

    @property
    def tag_label(self) -> str:
        """The tag as people read it."""
        return protocols.tag_label(self.tag)
