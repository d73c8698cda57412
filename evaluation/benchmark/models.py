"""A public page, the questions that are on it, teams, who sits in them, and what they sent."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from annotation.models import Job, Project, Split

HIDDEN = Split.TEST
"""The split whose references never leave."""
A_MONTH, A_YEAR = 5, 20
OVER = (Job.State.FAILED, Job.State.CANCELLED)
"""States of a job that ended without doing its work."""
LONGEST_NAME = 60


class Benchmark(models.Model):
    """The public page of a project. Nobody sees it before it is opened, and not once it is closed.

    layout, manifest and card: of the release that is on it, empty before there is one.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="benchmark")
    title = models.CharField(max_length=120)
    description = models.TextField(blank=True, help_text="Markdown.")
    citation = models.TextField(blank=True)
    licence = models.CharField(max_length=120)
    is_indexed = models.BooleanField(
        default=False, help_text="Whether search engines may list the page."
    )
    is_open = models.BooleanField(default=False)
    opened_at = models.DateTimeField(null=True)
    layout = models.CharField(max_length=40, blank=True)
    manifest = models.TextField(blank=True)
    card = models.TextField(blank=True)
    released_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(title=""), name="benchmark_titled"),
            models.CheckConstraint(
                condition=Q(is_open=False)
                | Q(opened_at__isnull=False, released_at__isnull=False) & ~Q(licence=""),
                name="benchmark_open_with_release_and_licence",
            ),
            models.CheckConstraint(
                condition=Q(released_at__isnull=True, layout="", manifest="", card="")
                | Q(released_at__isnull=False) & ~Q(layout="") & ~Q(manifest=""),
                name="benchmark_release_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class ReleasedQuestion(models.Model):
    """A question as it was released. Never one of the test split.

    record: as the file has it, in one line; shown: lists of a question and its forms; texts: long
    answers; pages: what people read, `title`, `revision` and `url`; search: what is looked in.
    """

    benchmark = models.ForeignKey(
        Benchmark, on_delete=models.CASCADE, related_name="released_questions"
    )
    position = models.PositiveIntegerField()
    external_id = models.CharField(max_length=200)
    split = models.CharField(max_length=5)
    question = models.TextField()
    is_multiple = models.BooleanField()
    shown = models.JSONField()
    texts = models.JSONField(default=list)
    pages = models.JSONField(default=list)
    record = models.TextField()
    search = models.TextField()

    class Meta:
        ordering = ["benchmark", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "position"], name="released_question_position_once"
            ),
            models.CheckConstraint(
                condition=Q(split__in=["train", "dev"]), name="released_question_not_of_test"
            ),
        ]
        indexes = [
            models.Index(
                fields=["benchmark", "is_multiple", "position"], name="released_question_by_number"
            ),
            models.Index(
                fields=["benchmark", "split", "position"], name="released_question_by_split"
            ),
            GinIndex(SearchVector("search", config="simple"), name="released_question_by_words"),
        ]

    def __str__(self) -> str:
        return self.question


class BenchmarkTeam(models.Model):
    """A team that may send predictions."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=LONGEST_NAME)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(F("benchmark"), Lower("name"), name="benchmark_team_once"),
            models.CheckConstraint(condition=~Q(name=""), name="benchmark_team_named"),
        ]

    def __str__(self) -> str:
        return self.name


class TeamSeat(models.Model):
    """A person in a team: invited by an address, taken by an account.

    The address goes once the seat has an account or has ended.
    """

    team = models.ForeignKey(BenchmarkTeam, on_delete=models.CASCADE, related_name="seats")
    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="seats")
    email = models.EmailField(blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    joined_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["team", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "user"],
                condition=Q(ended_at__isnull=True),
                name="team_seat_one_team_per_person",
            ),
            models.UniqueConstraint(
                F("benchmark"),
                Lower("email"),
                condition=Q(ended_at__isnull=True) & ~Q(email=""),
                name="team_seat_invited_once",
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=True, joined_at__isnull=True)
                | Q(user__isnull=False, joined_at__isnull=False, email=""),
                name="team_seat_joined_by_account",
            ),
            models.CheckConstraint(
                condition=~Q(email="") | Q(user__isnull=False) | Q(ended_at__isnull=False),
                name="team_seat_of_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team}: {self.user or self.email}"


class BenchmarkEntry(models.Model):
    """Predictions that a team sent, and what they scored.

    year, month: in UTC, when it was sent; month_place, year_place: which of the team's it is there,
    from 1; none where scoring failed, so that it does not count. figures: by name their value and
    interval, rounded; measures: values of single items, for paired tests, which never leave. scale:
    what identifies the references. above, paired_test: the entry above it, and the test against it.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Being scored"
        SCORED = "scored", "Scored"
        FAILED = "failed", "Not scored"

    class Shown(models.TextChoices):
        PRIVATE = "private", "Only to my team"
        NAMED = "named", "To everybody, with the name of my team"
        ANONYMOUS = "anonymous", "To everybody, without a name"

    team = models.ForeignKey(BenchmarkTeam, on_delete=models.CASCADE, related_name="entries")
    name = models.CharField(max_length=LONGEST_NAME)
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    sent_at = models.DateTimeField()
    year = models.PositiveSmallIntegerField()
    month = models.PositiveSmallIntegerField()
    month_place = models.PositiveSmallIntegerField(null=True)
    year_place = models.PositiveSmallIntegerField(null=True)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    shown = models.CharField(max_length=9, choices=Shown, default=Shown.PRIVATE)
    withdrawn_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    figures = models.JSONField(default=dict, blank=True)
    measures = models.JSONField(default=dict, blank=True)
    scale = models.CharField(max_length=64, blank=True)
    scored_at = models.DateTimeField(null=True)
    above = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    paired_test = models.JSONField(null=True)

    class Meta:
        ordering = ["team", "id"]
        verbose_name_plural = "benchmark entries"
        constraints = [
            models.UniqueConstraint(
                fields=["team", "year", "month", "month_place"], name="benchmark_entry_month_place"
            ),
            models.UniqueConstraint(
                fields=["team", "year", "year_place"], name="benchmark_entry_year_place"
            ),
            models.CheckConstraint(
                condition=Q(month_place__range=(1, A_MONTH)),
                name="benchmark_entry_five_a_month",
            ),
            models.CheckConstraint(
                condition=Q(year_place__range=(1, A_YEAR)), name="benchmark_entry_twenty_a_year"
            ),
            models.CheckConstraint(
                condition=Q(state="failed", month_place__isnull=True, year_place__isnull=True)
                | Q(
                    state__in=["waiting", "scored"],
                    month_place__isnull=False,
                    year_place__isnull=False,
                ),
                name="benchmark_entry_counts_unless_failed",
            ),
            models.CheckConstraint(
                condition=Q(shown__in=["private", "named", "anonymous"]),
                name="benchmark_entry_shown_known",
            ),
            models.CheckConstraint(
                condition=Q(state="scored", scored_at__isnull=False)
                & ~Q(figures={})
                & ~Q(measures={})
                | ~Q(state="scored") & Q(scored_at__isnull=True, figures={}, measures={}),
                name="benchmark_entry_scored_with_figures",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="benchmark_entry_named"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_lost(self) -> bool:
        """Whether its job ended without it."""
        waits = self.state == self.State.WAITING
        return waits and (self.job is None or self.job.state in OVER)
