"""One person's place in a recruitment, from consent to the team's decision on it."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowds.models.recruitments import Briefing, Recruitment


class Participation(models.Model):
    """What one participant was told, said and did. Their work is in the engine's assignments.

    `external_id` and `session` are the platform's; they are in no export of data, and empty once
    they are deleted, as is what the person said in the form: `id_hash` is what is left of them.
    """

    class Status(models.TextChoices):
        WORKING = "working", "Working"
        COMPLETED = "completed", "Completed"
        SCREENED_OUT = "screened_out", "Screened out"
        RETURNED = "returned", "Returned"
        TIMED_OUT = "timed_out", "Timed out"
        SKIPPED = "skipped", "Skipped too many"

    class Review(models.TextChoices):
        WAITING = "", "Waiting"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"

    recruitment = models.ForeignKey(
        Recruitment, on_delete=models.PROTECT, related_name="participations"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="participations"
    )
    briefing = models.ForeignKey(Briefing, on_delete=models.PROTECT, related_name="+")
    external_id = models.CharField(max_length=64, blank=True)
    session = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=12, choices=Status, default=Status.WORKING)
    consented_at = models.DateTimeField()
    deadline = models.DateTimeField()
    # Copied from the recruitment, as people were told; whoever began before there were limits has
    # none, as nothing told them of one.
    skip_limit = models.DecimalField(max_digits=3, decimal_places=2, null=True)
    answers = models.JSONField(null=True, help_text="What the person said in the form.")
    answered_at = models.DateTimeField(null=True)
    instructed_at = models.DateTimeField(null=True)
    next_check = models.PositiveIntegerField(
        null=True, help_text="After how many questions the next check comes."
    )
    checks = models.JSONField(default=list, help_text="Answers to the attention checks, in order.")
    ended_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0, help_text="Questions submitted, once it ended.")
    skipped = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Questions skipped or released, once it ended."
    )
    median_seconds = models.PositiveIntegerField(null=True)
    code = models.CharField(max_length=40, blank=True)
    comment = models.TextField(blank=True)
    flagged = models.BooleanField(default=False)
    review = models.CharField(max_length=8, choices=Review, blank=True, default=Review.WAITING)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    bonus = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    erased_at = models.DateTimeField(null=True)
    id_hash = models.CharField(
        max_length=64,
        blank=True,
        db_default="",
        help_text="A keyed hash of the recruitment and the id that was deleted, as long as the "
        "recruitment is open, so that no one takes part twice.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recruitment", "user"], name="participation_once_per_account"
            ),
            models.UniqueConstraint(
                fields=["recruitment", "external_id"],
                condition=~Q(external_id=""),
                name="participation_once_per_person",
            ),
            # The index also answers what the engine asks before it hands out work.
            models.UniqueConstraint(
                fields=["user"], condition=Q(status="working"), name="participation_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        *("working", "completed", "screened_out", "returned", "timed_out"),
                        "skipped",
                    ]
                ),
                name="participation_status_known",
            ),
            models.CheckConstraint(
                condition=Q(skip_limit__isnull=True) | Q(skip_limit__gte=0, skip_limit__lte=1),
                name="participation_skip_limit_is_a_share",
            ),
            models.CheckConstraint(
                condition=~Q(status="skipped") | Q(code=""),
                name="participation_skipped_has_no_code",
            ),
            models.CheckConstraint(
                condition=Q(status="working", ended_at__isnull=True)
                | ~Q(status="working") & Q(ended_at__isnull=False),
                name="participation_ended_iff_not_working",
            ),
            models.CheckConstraint(
                condition=Q(review="", reviewed_by__isnull=True, reviewed_at__isnull=True)
                | Q(review__in=["approved", "rejected"], reviewed_at__isnull=False)
                & Q(reviewed_by__isnull=False)
                & ~Q(status="working"),
                name="participation_reviewed_by_someone_after_its_end",
            ),
            models.CheckConstraint(
                condition=~Q(review="rejected") | ~Q(reason=""),
                name="participation_rejected_with_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(bonus__gte=0), name="participation_bonus_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True)
                | Q(external_id="", session="", answers__isnull=True, comment=""),
                name="participation_erased_is_empty",
            ),
            models.CheckConstraint(
                condition=Q(id_hash="") | Q(erased_at__isnull=False),
                name="participation_hash_of_erased",
            ),
            models.UniqueConstraint(
                fields=["recruitment", "id_hash"],
                condition=~Q(id_hash=""),
                name="participation_hash_once_per_person",
            ),
        ]
        indexes = [
            # The review queue of a recruitment, flagged ones first.
            models.Index(
                fields=["recruitment", "review", "-flagged", "ended_at"],
                name="participation_to_review",
            ),
            # The clock ends those whose time is over.
            models.Index(
                fields=["deadline"], condition=Q(status="working"), name="participation_deadline"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.recruitment}"

    @property
    def failed(self) -> int:
        """How many attention checks were answered wrongly."""
        return sum(not check["right"] for check in self.checks)

    @property
    def said(self) -> list[tuple[str, str]]:
        """What the person said in the form, in its order."""
        answers = self.answers or {}
        return [(asked.label, answers.get(asked.label, "")) for asked in self.briefing.asked]

    @property
    def worth(self) -> Decimal:
        """What approval posts to the ledger."""
        recruitment = self.recruitment
        screened = self.status == self.Status.SCREENED_OUT
        return recruitment.reward_screened_out if screened else recruitment.reward

    @property
    def flags(self) -> list[str]:
        """Why the team should look before it approves."""
        flags = []
        if self.status == self.Status.TIMED_OUT:
            flags.append(f"Out of time after {self.done} of {self.recruitment.questions}")
        if self.status == self.Status.SKIPPED:
            flags.append(f"Skipped {self.skipped} of {self.given} questions")
        if self.failed:
            flags.append(f"{self.failed} of {len(self.checks)} checks wrong")
        floor, median = self.recruitment.fast_seconds, self.median_seconds
        if median is not None and median < floor:
            flags.append(f"{median} s a question, less than {floor} s")
        return flags

    @property
    def skip_percent(self) -> int | None:
        """How many of a hundred questions may be skipped; None where any number may be."""
        limit = self.skip_limit
        return None if limit is None or limit >= 1 else int(limit * 100)

    @property
    def given(self) -> int:
        """How many questions were submitted, skipped or released, once it ended."""
        return self.done + self.skipped

    @property
    def minutes(self) -> int | None:
        """How long it took, from consent to its end."""
        if self.ended_at is None:
            return None
        return round((self.ended_at - self.consented_at).total_seconds() / 60)
