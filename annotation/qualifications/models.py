"""Exams with prepared answers as items, the attempts at them, and who is qualified.

A qualification can require training before its exam (S17-S19): samples that people answer on their
own, and a walk-through that the team holds with each of them. Items are separate rows, not
questions of the project, so nothing in an exam can get into the data.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Deferrable, F, Q

from annotation.core.models.qualifications import Qualification


class Part(models.TextChoices):
    """The part of a qualification that an item or an attempt belongs to."""

    STUDY = "study", "Self-study"
    EXAM = "exam", "Exam"


class QualificationItem(models.Model):
    """One prompt of an exam, or a sample to learn from, with its prepared answers.

    `expected`: what is known of the answer, as `items.Item` says. `threshold`: the F1 (or share of
    correct verdicts) from which the item passes.
    """

    qualification = models.ForeignKey(Qualification, on_delete=models.CASCADE, related_name="items")
    part = models.CharField(
        max_length=5, choices=Part, default=Part.EXAM, db_default=Part.EXAM.value
    )
    position = models.PositiveIntegerField()
    prompt = models.CharField(max_length=2000)
    expected = models.JSONField(default=dict)
    threshold = models.FloatField(
        default=1.0, validators=[MinValueValidator(0.01), MaxValueValidator(1.0)]
    )
    hint = models.TextField(max_length=2000, blank=True)
    hint_seconds = models.PositiveIntegerField(default=120, validators=[MaxValueValidator(3600)])
    explanation = models.TextField(max_length=5000, blank=True)
    pages = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            # Deferred, so that two can swap places.
            models.UniqueConstraint(
                fields=["qualification", "position"],
                deferrable=Deferrable.DEFERRED,
                name="qualification_item_position_unique",
            ),
            models.CheckConstraint(
                condition=~Q(prompt=""), name="qualification_item_prompt_not_empty"
            ),
            models.CheckConstraint(
                condition=Q(part__in=["study", "exam"]), name="qualification_item_part_known"
            ),
            models.CheckConstraint(
                condition=Q(threshold__gt=0, threshold__lte=1),
                name="qualification_item_threshold_a_share",
            ),
        ]

    def __str__(self) -> str:
        return self.prompt


class QualificationAttempt(models.Model):
    """One person's attempt at the exam, or their self-study. `score` counts items that passed.

    Numbers are consecutive per person and part, so that simultaneous starts cannot make more than
    are allowed. Self-study is submitted sample by sample, and never passed or failed.
    """

    class State(models.TextChoices):
        IN_PROGRESS = "in_progress", "In progress"
        SUBMITTED = "submitted", "Submitted"
        IN_REVIEW = "in_review", "Under review"
        PASSED = "passed", "Passed"
        FAILED = "failed", "Not passed"
        ENDED = "ended", "Ended by the team"

    qualification = models.ForeignKey(
        Qualification, on_delete=models.CASCADE, related_name="attempts"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="qualification_attempts"
    )
    part = models.CharField(
        max_length=5, choices=Part, default=Part.EXAM, db_default=Part.EXAM.value
    )
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=11, choices=State, default=State.IN_PROGRESS)
    guideline_version = models.PositiveIntegerField()
    score = models.PositiveSmallIntegerField(null=True)
    total = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True)
    asked = models.TextField(max_length=2000, blank=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    note = models.TextField(max_length=5000, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["qualification", "user", "part", "number"],
                name="attempt_number_once_per_part",
            ),
            models.UniqueConstraint(
                fields=["qualification", "user"],
                condition=Q(state="in_progress"),
                name="attempt_one_in_progress",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["in_progress", "submitted", "in_review", "passed", "failed", "ended"]
                ),
                name="attempt_state_known",
            ),
            models.CheckConstraint(
                condition=Q(part="exam")
                | Q(part="study", state__in=["in_progress", "submitted", "ended"]),
                name="attempt_study_decides_nothing",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["in_progress", "ended"], submitted_at__isnull=True)
                | Q(
                    state__in=["submitted", "in_review", "passed", "failed"],
                    submitted_at__isnull=False,
                    score__isnull=False,
                ),
                name="attempt_submitted_has_time_and_score",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.qualification}, attempt {self.number}"


class QualificationAnswer(models.Model):
    """A person's answer to one item: a draft with its version, then its result.

    `checked`: the last check, with the fingerprint of the answer that was checked.
    `result`: the verdict on the submission, with the prompt and the prepared answers of that day.
    `graded`: the team's verdict, which overrides the automatic one.
    `handed_in_at`: in self-study, when this sample was submitted on its own.
    """

    attempt = models.ForeignKey(
        QualificationAttempt, on_delete=models.CASCADE, related_name="answers"
    )
    item = models.ForeignKey(QualificationItem, on_delete=models.RESTRICT, related_name="answers")
    number = models.PositiveIntegerField()
    draft = models.JSONField(default=dict, blank=True)
    draft_version = models.PositiveIntegerField(default=0)
    draft_saved_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)
    handed_in_at = models.DateTimeField(null=True)
    hint_at = models.DateTimeField(null=True)
    checks = models.PositiveIntegerField(default=0)
    checked = models.JSONField(default=dict, blank=True)
    result = models.JSONField(default=dict, blank=True)
    passed = models.BooleanField(null=True)
    graded = models.BooleanField(null=True)
    feedback = models.TextField(max_length=5000, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "item"], name="qualification_answer_once_per_item"
            ),
            models.UniqueConstraint(
                fields=["attempt", "number"], name="qualification_answer_number_unique"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1), name="qualification_answer_number_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"Item {self.number} of {self.attempt}"

    @property
    def stands(self) -> bool | None:
        """Whether the item counts as passed: the team's verdict, else the automatic one."""
        return self.passed if self.graded is None else self.graded


class WalkThrough(models.Model):
    """The team went through the full instructions with a person (S18), until it is taken back.

    `notes` are for that person to read.
    """

    qualification = models.ForeignKey(
        Qualification, on_delete=models.CASCADE, related_name="walk_throughs"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="walk_throughs"
    )
    held_on = models.DateField()
    held_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    notes = models.TextField(max_length=5000, blank=True)
    created_at = models.DateTimeField()
    taken_back_at = models.DateTimeField(null=True)
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    take_back_note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["qualification", "user"],
                condition=Q(taken_back_at__isnull=True),
                name="walk_through_once_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(taken_back_at__isnull=True, taken_back_by__isnull=True)
                | Q(taken_back_at__isnull=False, taken_back_by__isnull=False),
                name="walk_through_taken_back_by_iff_at",
            ),
            models.CheckConstraint(
                condition=~Q(user=F("held_by")), name="walk_through_held_by_somebody_else"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.qualification}, {self.held_on}"


class Qualified(models.Model):
    """A person is qualified, by an attempt or by staff, until this is revoked."""

    qualification = models.ForeignKey(
        Qualification, on_delete=models.CASCADE, related_name="qualified"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="qualified"
    )
    attempt = models.ForeignKey(
        QualificationAttempt, null=True, on_delete=models.CASCADE, related_name="+"
    )
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    given_at = models.DateTimeField()
    note = models.CharField(max_length=500, blank=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    revoke_note = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name_plural = "qualified people"
        constraints = [
            # "next" uses this, too, to see whether a person is qualified now.
            models.UniqueConstraint(
                fields=["qualification", "user"],
                condition=Q(revoked_at__isnull=True),
                name="qualified_once_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(attempt__isnull=False) | Q(given_by__isnull=False),
                name="qualified_by_attempt_or_staff",
            ),
            models.CheckConstraint(
                condition=Q(revoked_at__isnull=True, revoked_by__isnull=True)
                | Q(revoked_at__isnull=False, revoked_by__isnull=False),
                name="qualified_revoked_by_iff_at",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.qualification}"
