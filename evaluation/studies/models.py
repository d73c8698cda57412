"""Studies: which answers people judge, how, and what they judged."""

import datetime as dt

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.models import Project, Question, Split, Submission
from evaluation.systems.models import System

MOST_SEED = 2**53  # the largest number that JSON and every language read exactly
KEPT_FOR = dt.timedelta(days=30)
"""How long a deleted draft can be brought back."""


class Study(models.Model):
    """A blind evaluation of systems on a sample of questions, with a seed that repeats the draw.

    criteria: in order, each {"key", "label", "wording"}; steps: 3 (left, tie, right) or 5 (each
    side better or much better); repeats: per cent of the pairs that are shown a second time to
    the same people, sides swapped; minutes: what one judgment is expected to take;
    judgments_digest: of judgments made elsewhere (`judgments.given.digest_of`), else empty;
    saved_at: when its design was last changed, null if it never was; form_key: of the page on
    which it was designed, which makes one draft however often it is sent.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        RUNNING = "running", "Running"
        CLOSED = "closed", "Closed"

    class Pairing(models.TextChoices):
        ALL = "all", "Every two systems"
        MATCHING = "matching", "Each system in one pair per question"
        BLOCKS = "blocks", "A balanced part of all pairs"
        REFERENCE = "reference", "Each system with one of them"
        ALONE = "alone", "One answer at a time, without pairs"
        EXPERT = "expert", "One answer at a time, judged by experts"

    class Shown(models.TextChoices):
        LOWER = "lower", "Lower case, without formatting"
        PLAIN = "plain", "Without formatting"
        AS_IS = "as_is", "As it is"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="studies")
    title = models.CharField(max_length=120)
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    split = models.CharField(max_length=5, choices=Split, default=Split.DEV)
    systems = models.ManyToManyField(System, related_name="studies")
    size = models.PositiveIntegerField(
        default=45, validators=[MinValueValidator(1), MaxValueValidator(5_000)]
    )
    seed = models.BigIntegerField(validators=[MinValueValidator(0), MaxValueValidator(MOST_SEED)])
    stratified = models.BooleanField(default=True)
    pairing = models.CharField(max_length=9, choices=Pairing, default=Pairing.MATCHING)
    reference = models.ForeignKey(
        System, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    raters = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(25)]
    )
    repeats = models.PositiveSmallIntegerField(default=10, validators=[MaxValueValidator(100)])
    criteria = models.JSONField(default=list, blank=True)
    steps = models.PositiveSmallIntegerField(default=3)
    accuracy = models.BooleanField(
        default=True, help_text="Whether it is asked what each answer says."
    )
    shown = models.CharField(max_length=5, choices=Shown, default=Shown.LOWER)
    minutes = models.FloatField(default=3.0, validators=[MinValueValidator(0.1)])
    judgments_digest = models.CharField(
        max_length=64, blank=True, default="", db_default="", editable=False
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    saved_at = models.DateTimeField(null=True)
    form_key = models.UUIDField(null=True, editable=False)
    started_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(state="draft", started_at__isnull=True, closed_at__isnull=True)
                | Q(state="running", started_at__isnull=False, closed_at__isnull=True)
                | Q(state="closed", started_at__isnull=False, closed_at__isnull=False),
                name="study_times_fit_state",
            ),
            models.CheckConstraint(
                condition=Q(
                    pairing__in=["all", "matching", "blocks", "reference", "alone", "expert"]
                ),
                name="study_pairing_known",
            ),
            models.CheckConstraint(
                condition=~Q(pairing="reference") | Q(reference__isnull=False),
                name="study_reference_named",
            ),
            models.CheckConstraint(condition=Q(steps__in=[3, 5]), name="study_steps_3_or_5"),
            models.CheckConstraint(
                condition=Q(shown__in=["lower", "plain", "as_is"]), name="study_shown_known"
            ),
            models.CheckConstraint(
                condition=Q(raters__gte=1, raters__lte=25), name="study_raters_1_to_25"
            ),
            models.CheckConstraint(condition=Q(repeats__lte=100), name="study_repeats_a_share"),
            models.CheckConstraint(
                condition=Q(seed__gte=0, seed__lte=MOST_SEED), name="study_seed_exact"
            ),
            models.UniqueConstraint(
                fields=["project", "judgments_digest"],
                condition=~Q(judgments_digest=""),
                name="study_judgments_once_per_project",
            ),
            models.UniqueConstraint(
                fields=["project", "form_key"], name="study_once_per_form_of_project"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def stage(self) -> str:
        """The key of the stage in which its items are judged."""
        return {"alone": "accuracy", "expert": "expert"}.get(self.pairing, "comparison")


class DeletedDraft(models.Model):
    """A draft that was deleted and can be brought back, apart from all studies.

    number: the id that it had and will have again; design: its fields as JSON, the reference as an
    id; systems: ids of those that were chosen.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="deleted_drafts")
    number = models.BigIntegerField()
    title = models.CharField(max_length=120)
    design = models.JSONField()
    systems = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    deleted_at = models.DateTimeField()

    class Meta:
        ordering = ["-deleted_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["number"], name="deleted_draft_once"),
        ]

    def __str__(self) -> str:
        return self.title


class Item(models.Model):
    """What one person judges at a time: the answers of two systems to a question, or of one.

    swapped: whether the first person sees the second system on the left; after that sides
    alternate. repeats: the item that is shown again. The task of an item has its `unit`.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField(help_text="In the order in which it is handed out.")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="study_items")
    first = models.ForeignKey(System, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(System, null=True, on_delete=models.PROTECT, related_name="+")
    swapped = models.BooleanField(default=False)
    repeats = models.ForeignKey(
        "self", null=True, on_delete=models.CASCADE, related_name="repeated_by"
    )

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="item_position_unique"),
            models.CheckConstraint(
                condition=Q(second__isnull=True) | ~Q(first=F("second")),
                name="item_of_two_systems",
            ),
            models.CheckConstraint(
                condition=Q(second__isnull=False) | Q(swapped=False), name="item_swaps_two"
            ),
        ]
        indexes = [
            # The judgments of two systems, a page at a time.
            models.Index(fields=["study", "first", "second", "position"], name="item_of_a_pair")
        ]

    def __str__(self) -> str:
        return self.unit

    @property
    def unit(self) -> str:
        """The unit of its task."""
        return f"{self.study_id}-{self.position}"


class Judgment(models.Model):
    """What one person was shown of an item, and said.

    swapped: the second system was on the left. The response is that of the submission, or, for
    judgments made elsewhere, its own (`response`, with the person's name in `judge_name`); in both,
    left and right are as they were shown.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgments")
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="judgments"
    )
    judge_name = models.CharField(max_length=80, blank=True)
    swapped = models.BooleanField(default=False)
    first_author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    second_author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    submission = models.OneToOneField(
        Submission, null=True, on_delete=models.CASCADE, related_name="judgment"
    )
    response = models.JSONField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["item", "judge"], name="judgment_once_per_person"),
            models.CheckConstraint(
                condition=(Q(judge__isnull=True) | Q(first_author__isnull=True))
                | ~Q(judge=F("first_author")),
                name="judgment_not_of_own_first_text",
            ),
            models.CheckConstraint(
                condition=(Q(judge__isnull=True) | Q(second_author__isnull=True))
                | ~Q(judge=F("second_author")),
                name="judgment_not_of_own_second_text",
            ),
            models.CheckConstraint(
                condition=Q(submission__isnull=False, judge__isnull=False, response__isnull=True)
                | Q(submission__isnull=True, judge__isnull=True, response__isnull=False),
                name="judgment_submitted_or_imported",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.judge or self.judge_name}"
