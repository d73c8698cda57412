"""The assignment engine's rows: tasks with seats, assignments with leases, their events."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question

# The distance between positions of tasks with different priorities; larger than any question's id.
PRIORITY_STEP = 2**40


class Task(models.Model):
    """One unit of work of one stage on one question. `seats` is the number of free seats.

    Invariant: seats + active, parked and submitted assignments = `people`, or, where that is null,
    the people its policy asks for.
    """

    policy = models.ForeignKey(StagePolicy, on_delete=models.PROTECT, related_name="tasks")
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="tasks")
    unit = models.CharField(
        max_length=60,
        blank=True,
        help_text="Which part of the question, where a stage has several.",
    )
    seats = models.PositiveSmallIntegerField()
    position = models.BigIntegerField(
        help_text="The question's id and PRIORITY_STEP times its priority: smaller comes first."
    )
    slot = models.BigIntegerField(
        null=True,
        help_text="Its place among the tasks of its position, where that is not the one of its id: "
        "a gold item comes among those that were made before it.",
    )
    people = models.PositiveSmallIntegerField(
        null=True, help_text="How many people it asks for, whatever its policy says."
    )
    barred = ArrayField(
        models.BigIntegerField(),
        default=list,
        db_default=[],
        help_text="The ids of people who never get it, such as the author of a text to judge.",
    )
    after = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.CASCADE,
        related_name="followed_by",
        help_text="Only people who have submitted this task get the other one.",
    )
    gold = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A gold item: handed out as any other, but never data.",
    )
    held_until = models.DateTimeField(
        null=True,
        help_text="Given to nobody until then: somebody changes what it is about.",
    )
    created_at = models.DateTimeField()

    # Of a gold item, what `queries.turns` has read: the unit and the content that its page shows.
    gold_shown: Sequence[Any] | None = None

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["question", "policy", "unit"], name="task_once_per_question_and_unit"
            ),
            models.CheckConstraint(condition=Q(seats__gte=0), name="task_seats_not_negative"),
            models.CheckConstraint(
                condition=Q(after__isnull=True) | ~Q(after=models.F("id")),
                name="task_not_after_itself",
            ),
        ]
        indexes = [
            # take_next scans this from the person's last position; full tasks are not in it.
            models.Index(
                "policy",
                "position",
                Coalesce("slot", "id"),
                "id",
                condition=Q(seats__gt=0),
                name="task_open_by_position",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.policy}: {self.question}"


# The path of each page opened in an assignment, with the id of the page as it was shown.
Opened = tuple[tuple[str, int | None], ...]


class Assignment(models.Model):
    """One person's seat at one task: lease, draft with version, state, times."""

    class State(models.TextChoices):
        ACTIVE = "active", "In work"
        PARKED = "parked", "Parked"
        SUBMITTED = "submitted", "Submitted"
        EXPIRED = "expired", "Time ended"
        RETURNED = "returned", "Released"
        SKIPPED = "skipped", "Skipped"

    class SkipReason(models.TextChoices):
        NOT_IN_WIKIPEDIA = "not_in_wikipedia", "The answer is not in Wikipedia"
        ILL_FORMED = "ill_formed", "It is not a proper question"
        SUBJECTIVE = "subjective", "It depends on opinion"
        TOO_AMBIGUOUS = "too_ambiguous", "It could mean too many things"

    task = models.ForeignKey(
        Task,
        on_delete=models.CASCADE,
        related_name="assignments",
        db_index=False,  # assignment_once_per_person begins with it
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="assignments",
        db_index=False,  # assignment_of_person begins with it
    )
    # Copied from the task, so that constraints and indexes can use them.
    project = models.ForeignKey(
        Project,
        on_delete=models.CASCADE,
        related_name="assignments",
        db_index=False,  # assignment_of_project begins with it
    )
    policy = models.ForeignKey(StagePolicy, on_delete=models.PROTECT, related_name="assignments")
    stage = models.CharField(max_length=20)
    position = models.BigIntegerField()

    state = models.CharField(max_length=9, choices=State, default=State.ACTIVE)
    started_at = models.DateTimeField()
    lease_ends_at = models.DateTimeField(
        null=True, help_text="While active or parked: when the seat is given back automatically."
    )
    ended_at = models.DateTimeField(null=True, help_text="When it left active and parked.")
    submitted_at = models.DateTimeField(null=True)
    handed_over_at = models.DateTimeField(
        null=True,
        help_text="When the steps after a submission were done; a sweep repeats missing ones.",
    )

    draft = models.JSONField(default=dict, blank=True)
    draft_version = models.PositiveIntegerField(default=0)
    draft_saved_at = models.DateTimeField(null=True)
    steps = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="How far a sheet of several steps is, as annotation.sheets.steps writes it.",
    )
    active_seconds = models.PositiveIntegerField(default=0)
    seen_at = models.DateTimeField(
        help_text="Last sign of the person; active time is counted on it."
    )
    guideline_version = models.PositiveIntegerField(default=0)
    inputs = models.CharField(
        max_length=8,
        choices=StagePolicy.Inputs,
        default=StagePolicy.Inputs.FULL,
        db_default=StagePolicy.Inputs.FULL,
        help_text="What a writer of long answers was given: the policy's when it was taken (S9).",
    )

    limit_ends_at = models.DateTimeField(
        null=True,
        help_text="When the time limit of its stage ends, counted from when it was taken.",
    )
    at_limit = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="What happened at the end of the limit: who submitted it (by), how late the text "
        "was (late_seconds), and text that came too late to be submitted (left_out).",
    )

    # The pay agreed when it was submitted: later changes of the policy do not affect it. The
    # entries of the pay ledger add up to the part of it that is due.
    pay = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    pay_accepted = models.DecimalField(max_digits=8, decimal_places=2, default=0, db_default=0)
    pay_pair = models.DecimalField(max_digits=8, decimal_places=2, default=0, db_default=0)
    pay_pairs_max = models.PositiveSmallIntegerField(default=0, db_default=0)
    pay_match = models.DecimalField(max_digits=8, decimal_places=2, default=0, db_default=0)
    currency = models.CharField(max_length=3, blank=True, default="", db_default="")

    skip_reason = models.CharField(max_length=16, choices=SkipReason, blank=True)
    park_reason = models.CharField(max_length=500, blank=True)
    feedback = models.TextField(blank=True)
    staff_note = models.TextField(blank=True)
    returned_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the team returned it to its author, until it is submitted again.",
    )
    used = models.BooleanField(default=True, help_text="False: paid, but left out of the data.")
    gold = models.BooleanField(
        default=False, db_default=False, help_text="Copied from the task: never data."
    )

    # No columns: what a page of work needs besides, read with the turn (queries.turns). A change of
    # a submission ends at `changing_until`; None where there is none.
    newest_guideline: int = 0
    opened_pages: Opened | None = None
    has_log: bool = True  # False: nothing has been searched for, opened or quoted
    changing_until: dt.datetime | None = None
    leads_to: str = ""  # the address of what has to be done before it is shown

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "user"], name="assignment_once_per_person"),
            models.UniqueConstraint(
                fields=["user", "project", "stage"],
                condition=Q(state="active"),
                name="assignment_one_active_per_stage",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["active", "parked", "submitted", "expired", "returned", "skipped"]
                ),
                name="assignment_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["active", "parked"], lease_ends_at__isnull=False)
                | (~Q(state__in=["active", "parked"]) & Q(lease_ends_at__isnull=True)),
                name="assignment_lease_iff_held",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["active", "parked"], ended_at__isnull=True)
                | (~Q(state__in=["active", "parked"]) & Q(ended_at__isnull=False)),
                name="assignment_ended_iff_not_held",
            ),
            models.CheckConstraint(
                condition=Q(state="submitted", submitted_at__isnull=False)
                | (~Q(state="submitted") & Q(submitted_at__isnull=True)),
                name="assignment_submitted_at_iff_submitted",
            ),
            models.CheckConstraint(
                condition=~Q(state="submitted") | Q(returned_at__isnull=True),
                name="assignment_returned_until_submitted",
            ),
            models.CheckConstraint(
                condition=Q(gold=False) | Q(used=False), name="assignment_gold_is_never_data"
            ),
            models.CheckConstraint(
                condition=(Q(state="skipped") & ~Q(skip_reason=""))
                | (~Q(state="skipped") & Q(skip_reason="")),
                name="assignment_skip_reason_iff_skipped",
            ),
        ]
        indexes = [
            # take_next: where did this person stop last in this policy?
            models.Index(fields=["user", "policy", "-id"], name="assignment_last_position"),
            # Reclaiming ended leases when someone asks for work.
            models.Index(
                fields=["policy", "lease_ends_at"],
                condition=Q(state__in=["active", "parked"]),
                name="assignment_lease_end",
            ),
            # The clock looks for work whose time limit has ended.
            models.Index(
                fields=["limit_ends_at"],
                condition=Q(state__in=["active", "parked"], limit_ends_at__isnull=False),
                name="assignment_limit_end",
            ),
            # My work: the person's newest by state.
            models.Index(fields=["user", "state", "-id"], name="assignment_mine_by_state"),
            # The list of questions, newest work first.
            models.Index(fields=["project", "-id"], name="assignment_of_project"),
            # My submissions: everything of a person, newest first.
            models.Index(fields=["user", "-id"], name="assignment_of_person"),
            # My work and monitoring: what the person submitted last, in one project or in all.
            models.Index(
                fields=["user", "-submitted_at", "project"],
                condition=Q(state="submitted"),
                name="assignment_mine_submitted",
            ),
            # My work: what the person left in the last days.
            models.Index(
                fields=["user", "-ended_at"],
                condition=Q(state__in=["expired", "returned", "skipped"]),
                name="assignment_mine_left",
            ),
            # Export and progress read submissions of a policy in id order.
            models.Index(
                fields=["policy", "id"],
                condition=Q(state="submitted"),
                name="assignment_submitted",
            ),
            # How long people take, from the newest submissions; the pace of a stage.
            models.Index(
                fields=["policy", "-submitted_at"],
                condition=Q(state="submitted"),
                name="assignment_lately_submitted",
            ),
            # The sweep for submissions a killed worker left behind.
            models.Index(
                fields=["submitted_at"],
                condition=Q(state="submitted", handed_over_at__isnull=True),
                name="assignment_not_handed_over",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.task_id}, {self.state}"

    @property
    def held(self) -> bool:
        """Whether this person holds the seat now (active or parked)."""
        return self.state in (self.State.ACTIVE, self.State.PARKED)

    @property
    def is_changing(self) -> bool:
        """Whether its author changes what they submitted now, as it was read with the turn."""
        return self.changing_until is not None and self.changing_until > timezone.now()


class Event(models.Model):
    """Append-only log of an assignment (A67). A trigger in the database refuses changes."""

    class Kind(models.TextChoices):
        SEARCH = "search", "Search"
        PAGE_OPEN = "page_open", "Page opened"
        PAGE_CLOSE = "page_close", "Page closed"
        FIND_IN_PAGE = "find_in_page", "Find in page"
        EXTERNAL_CLICK = "external_click", "External link"
        QUOTE = "quote", "Quote"
        WARNING_SHOWN = "warning_shown", "Warning shown"
        WARNING_KEPT = "warning_kept", "Warning kept"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=14, choices=Kind)
    at = models.DateTimeField(help_text="When it happened; it may have been written later.")
    data = models.JSONField(default=dict)
    key = models.CharField(
        max_length=40,
        blank=True,
        editable=False,
        default="",
        db_default="",
        help_text="Chosen by the browser, so that a report sent twice counts once.",
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "key"],
                condition=~Q(key=""),
                name="event_reported_once",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "search",
                        "page_open",
                        "page_close",
                        "find_in_page",
                        "external_click",
                        "quote",
                        "warning_shown",
                        "warning_kept",
                    ]
                ),
                name="event_kind_known",
            ),
        ]
        indexes = [
            # Export and the history column read one assignment's events in order.
            models.Index(fields=["assignment", "id"], name="event_by_assignment"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%H:%M:%S}"
