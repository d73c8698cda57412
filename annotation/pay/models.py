"""The pay ledger. Entries are never changed or deleted; a mistake is corrected by another entry."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment

WORK_KINDS = ("submitted", "accepted", "pairs", "match")
STAFF_KINDS = ("correction", "bonus")


class PayEntry(models.Model):
    """One line of the ledger: money that a person has earned in a project, or owes back.

    Entries for work are posted automatically: their sum per assignment, kind and currency is what
    the assignment is worth at that moment, so work that no longer counts gets an entry of the
    opposite amount. `number` counts them per assignment and kind, so that of two transactions
    that post the same, one fails. Staff post corrections and bonuses, with a reason.
    """

    class Kind(models.TextChoices):
        SUBMITTED = "submitted", "Submitted"
        ACCEPTED = "accepted", "Accepted"
        PAIRS = "pairs", "Accepted pairs"
        MATCH = "match", "Matched an expert’s audit"
        CORRECTION = "correction", "Correction"
        BONUS = "bonus", "Bonus"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="pay_entries"
    )
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="pay_entries")
    assignment = models.ForeignKey(
        Assignment,
        null=True,
        on_delete=models.PROTECT,
        related_name="pay_entries",
        help_text="The work it is for; null if staff posted it.",
    )
    kind = models.CharField(max_length=10, choices=Kind)
    number = models.PositiveSmallIntegerField(null=True)
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    currency = models.CharField(max_length=3)
    units = models.SmallIntegerField(default=0, help_text="Questions: 1, or -1 when taken back.")
    seconds = models.IntegerField(default=0, help_text="Active seconds, negative when taken back.")
    note = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The member of staff who posted it; null if it was posted automatically.",
    )
    at = models.DateTimeField()
    corrects = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="corrected_by"
    )
    key = models.UUIDField(
        null=True,
        unique=True,
        help_text="Key of the form, so that sending it twice posts one entry.",
    )

    class Meta:
        verbose_name = "pay entry"
        verbose_name_plural = "pay entries"
        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["assignment", "kind", "number"], name="pay_posted_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=[*WORK_KINDS, *STAFF_KINDS]), name="pay_kind_known"
            ),
            models.CheckConstraint(condition=~Q(amount=0), name="pay_amount_not_zero"),
            models.CheckConstraint(
                condition=Q(currency__regex=r"^[A-Z]{3}$"), name="pay_currency_three_letters"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=WORK_KINDS, assignment__isnull=False, number__isnull=False)
                & Q(by__isnull=True, key__isnull=True)
                | Q(kind__in=STAFF_KINDS, assignment__isnull=True, number__isnull=True)
                & Q(by__isnull=False, key__isnull=False),
                name="pay_work_by_the_machine_rest_by_staff",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=STAFF_KINDS) | ~Q(note=""), name="pay_correction_has_reason"
            ),
            models.CheckConstraint(
                condition=~Q(kind="bonus") | Q(amount__gt=0, corrects__isnull=True),
                name="pay_bonus_is_positive",
            ),
            models.CheckConstraint(
                condition=Q(corrects__isnull=True) | ~Q(corrects=models.F("id")),
                name="pay_corrects_another",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # Statements of a person or a project over a period.
            models.Index(fields=["user", "at"], name="pay_by_person"),
            models.Index(fields=["project", "at"], name="pay_by_project"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}, {self.get_kind_display().lower()}"

    @property
    def label(self) -> str:
        """The description of the entry on a statement."""
        if self.amount < 0 and self.kind == self.Kind.SUBMITTED:
            return "Submission taken back"
        if self.amount < 0 and self.kind == self.Kind.ACCEPTED:
            return "No longer accepted"
        if self.amount < 0 and self.kind == self.Kind.PAIRS:
            return "Pairs no longer accepted"
        if self.amount < 0 and self.kind == self.Kind.MATCH:
            return "No longer matches an expert’s audit"
        return self.get_kind_display()
