"""Projects, their guidelines and the policies of their stages."""

from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.core.models.questions import Split
from annotation.protocols import registry as protocols


class Project(models.Model):
    """A study: protocol, Wikipedia snapshot, guidelines, rule settings, stage policies."""

    class State(models.TextChoices):
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"
        ARCHIVED = "archived", "Archived"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    protocol = models.CharField(max_length=20)
    state = models.CharField(max_length=8, choices=State, default=State.RUNNING)
    archived_at = models.DateTimeField(null=True)
    reopens_as = models.CharField(
        max_length=8,
        blank=True,
        default="",
        db_default="",
        help_text="The state that an archived project had before, and gets back.",
    )
    snapshot = models.ForeignKey(
        "wikipedia.Snapshot", on_delete=models.PROTECT, related_name="projects"
    )
    reference_date = models.DateField(help_text="Answer as if the question were asked on this day.")
    rule_settings = models.JSONField(default=dict, blank=True)
    parked_limit = models.PositiveSmallIntegerField(default=5, validators=[MaxValueValidator(50)])
    skips_before_pause = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(2), MaxValueValidator(100)]
    )
    claim_days = models.PositiveSmallIntegerField(
        default=14,
        validators=[MaxValueValidator(365)],
        help_text="Days after a decision in which it can be disputed; 0 disables disputes.",
    )
    context_threshold = models.FloatField(
        default=0.1,
        db_default=0.1,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="TF-IDF similarity from which a context paragraph is shown to writers (ASQA).",
    )
    pay_floor = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        null=True,
        help_text="People who earn less per active hour are flagged; null flags no one.",
    )
    pay_floor_currency = models.CharField(max_length=3, default="USD", db_default="USD")
    weekly_minimum = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(2000)],
        help_text="How many tasks each person is asked to do in a week (A59); 0 asks for none.",
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(weekly_minimum__lte=2000), name="project_weekly_minimum_up_to_2000"
            ),
            models.CheckConstraint(
                condition=Q(pay_floor__isnull=True) | Q(pay_floor__gt=0),
                name="project_pay_floor_positive",
            ),
            models.CheckConstraint(
                condition=Q(context_threshold__gte=0, context_threshold__lte=1),
                name="project_context_threshold_a_share",
            ),
            models.CheckConstraint(condition=~Q(protocol=""), name="project_protocol_named"),
            models.CheckConstraint(
                condition=Q(state__in=["running", "paused", "closed", "archived"]),
                name="project_state_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    state="archived",
                    archived_at__isnull=False,
                    reopens_as__in=["running", "paused", "closed"],
                )
                | (~Q(state="archived") & Q(archived_at__isnull=True, reopens_as="")),
                name="project_archived_iff_it_can_reopen",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def protocol_label(self) -> str:
        """The name of the protocol as people read it."""
        return protocols.label_of(self.protocol)

    @property
    def over(self) -> bool:
        """Whether the project is closed or archived: no new work or imports, but exports."""
        return self.state in (self.State.CLOSED, self.State.ARCHIVED)


class Guideline(models.Model):
    """One version of a project's guidelines, in Markdown. Versions are never edited."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    body = models.TextField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="guideline_version_unique"),
            models.CheckConstraint(condition=Q(version__gte=1), name="guideline_version_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.project} v{self.version}"

    @classmethod
    def newest_of(cls, project_id: int) -> "Guideline | None":
        """Return the guidelines in force. One query."""
        return cls.objects.filter(project=project_id).order_by("-version").first()

    @classmethod
    def newest_version_of(cls, project_id: int) -> int:
        """Return the number of the guidelines in force; 0 where there are none. One query."""
        newest = cls.objects.filter(project=project_id).aggregate(version=models.Max("version"))
        return newest["version"] or 0


class StagePolicy(models.Model):
    """The settings of one stage on one split: number of people, times, pay."""

    class Inputs(models.TextChoices):
        FULL = "full", "Everything known: disambiguations, paragraphs, pages"
        QUESTION = "question", "Only the question"

    class PayBasis(models.TextChoices):
        UNIT = "unit", "For each question submitted"
        HOUR = "hour", "For each active hour"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="policies")
    stage = models.CharField(max_length=20)
    split = models.CharField(max_length=5, choices=Split)
    people = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(25)]
    )
    lease_minutes = models.PositiveIntegerField(
        default=120, validators=[MinValueValidator(1), MaxValueValidator(7 * 24 * 60)]
    )
    park_hours = models.PositiveIntegerField(
        default=24, validators=[MinValueValidator(1), MaxValueValidator(30 * 24)]
    )
    minimum_seconds = models.PositiveIntegerField(default=60, validators=[MaxValueValidator(3600)])
    pay_basis = models.CharField(
        max_length=4, choices=PayBasis, default=PayBasis.UNIT, db_default=PayBasis.UNIT
    )
    pay = models.DecimalField(
        max_digits=8, decimal_places=2, default=0, help_text="Per question or active hour."
    )
    pay_accepted = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        default=0,
        db_default=0,
        help_text="More per question, when the work is accepted.",
    )
    pay_pair = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        default=0,
        db_default=0,
        help_text="More per pair of the work that is accepted (A60).",
    )
    pay_pairs_max = models.PositiveSmallIntegerField(
        default=5,
        db_default=5,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text="The maximum of pairs that are paid, per question.",
    )
    pay_match = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        default=0,
        db_default=0,
        help_text="More per decision that an expert's answers in an audit match (A60).",
    )
    currency = models.CharField(max_length=3, default="USD")
    inputs = models.CharField(
        max_length=8,
        choices=Inputs,
        default=Inputs.FULL,
        db_default=Inputs.FULL,
        help_text="What writers of long answers are given (S9).",
    )
    suggestions = models.CharField(
        max_length=80,
        blank=True,
        default="",
        db_default="",
        help_text="The system whose suggestions people see; empty shows none.",
    )
    suggestions_held_out = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(100)],
        help_text="Per cent of the questions that show none, to measure anchoring.",
    )
    qualification = models.ForeignKey(
        "annotation.Qualification", null=True, on_delete=models.RESTRICT, related_name="policies"
    )

    class Meta:
        verbose_name_plural = "stage policies"
        ordering = ["stage", "split"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "stage", "split"], name="policy_once_per_stage_and_split"
            ),
            models.CheckConstraint(
                condition=Q(people__gte=1, people__lte=25), name="policy_people_1_to_25"
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=1), name="policy_lease_at_least_a_minute"
            ),
            models.CheckConstraint(condition=Q(pay__gte=0), name="policy_pay_not_negative"),
            models.CheckConstraint(
                condition=Q(pay_basis__in=["unit", "hour"]), name="policy_pay_basis_known"
            ),
            models.CheckConstraint(
                condition=Q(pay_accepted__gte=0), name="policy_pay_accepted_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(pay_pair__gte=0), name="policy_pay_pair_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(pay_pairs_max__gte=1, pay_pairs_max__lte=50),
                name="policy_paid_pairs_1_to_50",
            ),
            models.CheckConstraint(
                condition=Q(pay_match__gte=0), name="policy_pay_match_not_negative"
            ),
            models.CheckConstraint(condition=~Q(stage=""), name="policy_stage_named"),
            models.CheckConstraint(
                condition=Q(inputs__in=["full", "question"]), name="policy_inputs_known"
            ),
            models.CheckConstraint(
                condition=Q(suggestions_held_out__lte=100), name="policy_held_out_a_percentage"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage}, {self.split}"

    @property
    def lease_seconds(self) -> int:
        """The lease in seconds."""
        return self.lease_minutes * 60

    @property
    def pay_full(self) -> Decimal:
        """What a question brings that is paid in full: accepted, with as many pairs as are paid."""
        return self.pay + self.pay_accepted + self.pay_pair * self.pay_pairs_max

    @property
    def pay_words(self) -> str:
        """The pay for a table cell, such as 0.75 USD + 0.10 accepted; empty if unpaid."""
        hour = " an hour" if self.pay_basis == self.PayBasis.HOUR else ""
        first = f"{self.pay} {self.currency}{hour}" if self.pay else ""
        more = f"{self.pay_accepted} {self.currency} when accepted" if self.pay_accepted else ""
        pairs = f"{self.pay_pair} {self.currency} for each accepted pair" if self.pay_pair else ""
        match = f"{self.pay_match} {self.currency} when an audit matches" if self.pay_match else ""
        return " + ".join(filter(None, [first, more, pairs, match]))

    @property
    def pay_line(self) -> str:
        """The pay as a sentence for people who take a question; empty if unpaid."""
        parts = []
        if self.pay:
            hour = self.pay_basis == self.PayBasis.HOUR
            what = "an active hour on this question" if hour else "this question"
            parts.append(f"{self.pay} {self.currency} for {what}")
        if self.pay_accepted:
            when = "when it is accepted" if self.pay else "when your answer is accepted"
            parts.append(f"{self.pay_accepted} {self.currency} {when}")
        if self.pay_pair:
            parts.append(f"{self.pay_pair} {self.currency} for each accepted pair")
        if self.pay_match:
            when = "when an expert’s audit finds the same answers"
            parts.append(f"{self.pay_match} {self.currency} {when}")
        *first, last = parts or [""]
        said = f"{', '.join(first)}, and {last}" if first else last
        return f"You get {said}." if said else ""
