"""Gold items: tasks whose right verdict is known, and what people did with them."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment, Task

MOST_RATE = 50


class GoldPlan(models.Model):
    """How gold items are mixed into one stage of a project, and who is paused for missing them.

    A person is flagged who has seen at least `enough` and missed at least `missed` of them, and
    (with `both`) or at least `share` per cent. `seed` draws the items: the same seed, the same
    items.
    """

    class Source(models.TextChoices):
        COPIES = "copies", "Known-wrong copies of open work"
        FINISHED = "finished", "Finished questions"
        BOTH = "both", "Half of each"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="gold_plans")
    stage = models.CharField(max_length=20)
    rate = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(MOST_RATE)],
        help_text="Per cent of the work handed out; 0 mixes nothing in.",
    )
    source = models.CharField(max_length=8, choices=Source, default=Source.COPIES)
    seed = models.BigIntegerField()
    enough = models.PositiveSmallIntegerField(default=5, validators=[MinValueValidator(1)])
    missed = models.PositiveSmallIntegerField(
        null=True, blank=True, default=3, validators=[MinValueValidator(1)]
    )
    share = models.PositiveSmallIntegerField(
        null=True, blank=True, default=25, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    both = models.BooleanField(
        default=True, help_text="False: either of number and share is enough to be flagged."
    )
    pauses = models.BooleanField(
        default=True, help_text="False: people are flagged on the page, and go on working."
    )
    drawn_until = models.BigIntegerField(
        default=0, help_text="Tasks up to this id have been looked at with the present settings."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "stage"], name="gold_plan_once_per_stage"),
            models.CheckConstraint(condition=~Q(stage=""), name="gold_plan_of_a_stage"),
            models.CheckConstraint(
                condition=Q(rate__lte=MOST_RATE), name="gold_plan_rate_at_most_half"
            ),
            models.CheckConstraint(
                condition=Q(source__in=["copies", "finished", "both"]),
                name="gold_plan_source_known",
            ),
            models.CheckConstraint(
                condition=Q(enough__gte=1)
                & (Q(missed__isnull=True) | Q(missed__gte=1))
                & (Q(share__isnull=True) | Q(share__gte=1, share__lte=100)),
                name="gold_plan_rule_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project}, {self.stage}: {self.rate} %"


class GoldItem(models.Model):
    """One gold item. Its task is handed out as any other; a crowd's attention check has none.

    content: what people are shown; expected: what the stage's judge compares with.
    """

    class Kind(models.TextChoices):
        COPY = "copy", "Known-wrong copy"
        FINISHED = "finished", "Finished question"
        CHECK = "check", "Attention check"

    plan = models.ForeignKey(GoldPlan, on_delete=models.CASCADE, related_name="items")
    kind = models.CharField(max_length=8, choices=Kind)
    task = models.OneToOneField(Task, null=True, on_delete=models.CASCADE, related_name="gold_item")
    host = models.OneToOneField(
        Task,
        null=True,
        on_delete=models.SET_NULL,
        related_name="gold_beside",
        help_text="The ordinary task it is handed out next to.",
    )
    unit = models.CharField(
        max_length=60, blank=True, help_text="The unit that its page shows; of a check, its digest."
    )
    content = models.JSONField(default=dict)
    expected = models.JSONField(default=dict)
    origin = models.ForeignKey(
        Question,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The question that its content comes from.",
    )
    origin_unit = models.CharField(
        max_length=60, blank=True, db_default="", help_text="Of which unit its content is."
    )
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, help_text="Not handed out from then on.")
    void_at = models.DateTimeField(
        null=True, help_text="Its known answer is in doubt: from then on it counts for no one."
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(void_at__isnull=True) | Q(retired_at__isnull=False),
                name="gold_item_void_is_retired",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["copy", "finished", "check"]), name="gold_item_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(kind="check", task__isnull=True)
                | (~Q(kind="check") & Q(task__isnull=False)),
                name="gold_item_task_unless_check",
            ),
            models.CheckConstraint(
                condition=Q(host__isnull=True) | ~Q(host=F("task")),
                name="gold_item_not_beside_itself",
            ),
            models.UniqueConstraint(
                fields=["plan", "unit"],
                condition=Q(kind="check"),
                name="gold_check_once_per_wording",
            ),
        ]

    def __str__(self) -> str:
        return f"Gold item {self.pk}"


class GoldVerdict(models.Model):
    """What one person's submission of a gold item was judged. It is never data."""

    item = models.ForeignKey(GoldItem, on_delete=models.CASCADE, related_name="verdicts")
    plan = models.ForeignKey(GoldPlan, on_delete=models.CASCADE, related_name="verdicts")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="gold_verdicts",
        db_index=False,  # gold_verdict_of_person begins with it
    )
    assignment = models.OneToOneField(
        Assignment, null=True, on_delete=models.CASCADE, related_name="gold_verdict"
    )
    given = models.CharField(max_length=300, blank=True, help_text="The answer to a check.")
    missed = models.BooleanField(null=True, help_text="Null: the judge could not decide.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["item", "user"], name="gold_verdict_once_per_person"),
        ]
        indexes = [
            # The rule counts a person's latest.
            models.Index(fields=["user", "plan", "id"], name="gold_verdict_of_person"),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.item_id}"


class GoldFlag(models.Model):
    """A person met the rule of a plan: `missed` of `seen` since the flag before."""

    plan = models.ForeignKey(GoldPlan, on_delete=models.CASCADE, related_name="flags")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="gold_flags"
    )
    verdict = models.OneToOneField(
        GoldVerdict,
        on_delete=models.CASCADE,
        related_name="flag",
        help_text="The last one counted.",
    )
    seen = models.PositiveIntegerField()
    missed = models.PositiveIntegerField()
    paused = models.BooleanField(help_text="Whether it stopped them from getting work.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(missed__gte=1, missed__lte=F("seen")), name="gold_flag_missed_some"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.missed} of {self.seen}"
