"""What participants are asked to read, answer and do, and under which terms."""

import datetime as dt
from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.pseudonyms import keyed_hash
from annotation.models import Project
from crowds import platforms
from crowds.links import RecruitmentLink
from crowds.questions import (
    SCREEN_OUT,
    OptionQuestion,
    questions_before_check,
    read_checks,
    read_questions,
)


class Briefing(models.Model):
    """One version of a project's consent page and form about participants. Never edited."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="briefings")
    version = models.PositiveIntegerField()
    # Named on the consent page and wherever a participant may need help; empty in versions that are
    # older than these columns.
    institution = models.CharField(max_length=200, blank=True, db_default="")
    contact = models.CharField(max_length=200, blank=True, db_default="")
    consent = models.TextField(help_text="In Markdown.")
    form = models.TextField(blank=True, help_text="As crowds.questions reads it.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="briefing_version_unique"),
            models.CheckConstraint(condition=Q(version__gte=1), name="briefing_version_from_one"),
            models.CheckConstraint(condition=~Q(consent=""), name="briefing_has_consent"),
        ]

    def __str__(self) -> str:
        return f"{self.project} v{self.version}"

    @property
    def asked(self) -> list[OptionQuestion]:
        """The questions of the form."""
        return read_questions(self.form, mark=SCREEN_OUT)


class Recruitment(models.Model):
    """Places for participants in one stage of a project, on one platform, under one set of terms.

    `places` counts people who have one: those who returned it, ran out of time or were screened
    out have none.
    """

    class State(models.TextChoices):
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="recruitments")
    title = models.CharField(max_length=120)
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    platform = models.CharField(max_length=10, choices=platforms.CHOICES)
    study = models.CharField(
        max_length=64, blank=True, help_text="The platform's id of the study; empty takes any."
    )
    signed = models.BooleanField(
        default=False, help_text="Whether only links that the platform has signed let people in."
    )
    stage = models.CharField(max_length=20)
    questions = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(1), MaxValueValidator(500)]
    )
    places = models.PositiveIntegerField(
        validators=[MinValueValidator(1), MaxValueValidator(100_000)]
    )
    minutes = models.PositiveIntegerField(
        validators=[MinValueValidator(1), MaxValueValidator(7 * 24 * 60)],
        help_text="From consent, after which the place is free again.",
    )
    about_minutes = models.PositiveIntegerField(
        validators=[MinValueValidator(1), MaxValueValidator(7 * 24 * 60)]
    )
    reward = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    reward_screened_out = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    currency = models.CharField(max_length=3, default="USD")
    code = models.CharField(max_length=40, blank=True)
    code_screened_out = models.CharField(max_length=40, blank=True)
    code_failed = models.CharField(
        max_length=40, blank=True, help_text="For who answered a check wrongly; empty: the first."
    )
    code_declined = models.CharField(max_length=40, blank=True)
    checks = models.TextField(blank=True, help_text="As crowds.questions reads it.")
    fast_seconds = models.PositiveIntegerField(
        default=0, help_text="A median of less active time per question is flagged; 0 flags no one."
    )
    skip_limit = models.DecimalField(
        max_digits=3,
        decimal_places=2,
        default=Decimal("0.33"),
        db_default=Decimal("0.33"),
        help_text="The share of questions that a participant may skip or release. Beyond it there "
        "is no completion code.",
    )
    ends_at = models.DateTimeField(help_text="No one can begin after it.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["open", "closed"]), name="recruitment_state_known"
            ),
            models.CheckConstraint(
                condition=Q(platform__in=list(platforms.PLATFORMS)),
                name="recruitment_platform_known",
            ),
            models.CheckConstraint(
                condition=Q(questions__gte=1, places__gte=1, minutes__gte=1, about_minutes__gte=1),
                name="recruitment_asks_for_something",
            ),
            models.CheckConstraint(
                condition=Q(reward__gte=0, reward_screened_out__gte=0),
                name="recruitment_rewards_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(skip_limit__gte=0, skip_limit__lte=1),
                name="recruitment_skip_limit_is_a_share",
            ),
            models.CheckConstraint(
                condition=Q(currency__regex=r"^[A-Z]{3}$"),
                name="recruitment_currency_three_letters",
            ),
            models.CheckConstraint(condition=~Q(stage=""), name="recruitment_stage_named"),
            models.CheckConstraint(
                condition=Q(platform="prolific") | Q(signed=False),
                name="recruitment_signed_by_prolific_only",
            ),
            models.CheckConstraint(
                condition=Q(platform="personal") | ~Q(code=""),
                name="recruitment_code_where_the_platform_has_one",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def source(self) -> platforms.Platform:
        """The platform that participants come from."""
        return platforms.PLATFORMS[self.platform]

    @property
    def attention(self) -> list[OptionQuestion]:
        """The attention checks, in their order."""
        return read_checks(self.checks)

    def is_open(self, now: dt.datetime) -> bool:
        """Return whether people can come, as far as the recruitment itself is concerned."""
        return self.state == self.State.OPEN and now < self.ends_at

    def hash_of(self, external_id: str) -> str:
        """Return what is kept of a deleted id; it says nothing outside this recruitment."""
        return keyed_hash("crowds.recruitment", self.pk, external_id)

    def check_due(self, number: int) -> int | None:
        """Return after how many questions check `number` (from 0) comes, None if there is none."""
        count = len(self.attention)
        if number >= count:
            return None
        return questions_before_check(number, checks=count, questions=self.questions)

    def build_link(
        self, external_id: str = "", ends_at: dt.datetime | None = None
    ) -> RecruitmentLink:
        """Return the link for everyone, or for one person until `ends_at`."""
        ends = int(ends_at.timestamp()) if ends_at else 0
        return RecruitmentLink(self.pk, int(self.created_at.timestamp()), external_id, ends)
