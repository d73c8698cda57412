"""What public pages show: released questions, and the leaderboard."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Count, Q, QuerySet
from django.http import Http404

from annotation.models import Question
from evaluation.benchmark.comparing import (
    find_main_figure,
    is_listed,
    list_shown_kinds,
    order_entries,
)
from evaluation.benchmark.models import (
    HIDDEN,
    Benchmark,
    BenchmarkEntry,
    BenchmarkTeam,
    ReleasedQuestion,
    TeamSeat,
)
from evaluation.scores.registry import scoring_of

PAGE = 50
MOST_WORDS = 10
SINGLE, MULTIPLE = "single", "multiple"
State, Shown = BenchmarkEntry.State, BenchmarkEntry.Shown


def get_open(slug: str) -> Benchmark:
    """Return the public page of a project. Raises Http404 where none is open. One query."""
    rows = Benchmark.objects.select_related("project__snapshot").defer("manifest", "card")
    benchmark = rows.filter(project__slug=slug, is_open=True).first()
    if benchmark is None:
        raise Http404
    return benchmark


def find_questions(
    benchmark: Benchmark, *, words: str = "", answers: str = "", split: str = ""
) -> QuerySet[ReleasedQuestion]:
    """Return released questions that have all these words, or ones that begin so, in the question
    or its answers. `answers`: SINGLE or MULTIPLE, "" for both.
    """
    rows = benchmark.released_questions.all()
    if split:
        rows = rows.filter(split=split)
    if answers:
        rows = rows.filter(is_multiple=answers == MULTIPLE)
    terms = re.findall(r"\w+", words)[:MOST_WORDS]
    if terms:
        # Only letters and digits, so nothing in it is an operator.
        query = " & ".join(f"'{term}':*" for term in terms)
        rows = rows.annotate(found=SearchVector("search", config="simple")).filter(
            found=SearchQuery(query, config="simple", search_type="raw")
        )
    elif words.strip():
        return rows.none()
    return rows


def list_questions(
    rows: QuerySet[ReleasedQuestion], after: int
) -> tuple[list[ReleasedQuestion], int]:
    """Return a page of questions, and after which the next begins, 0 where there is none."""
    found = list(
        rows.filter(position__gt=after).order_by("position").defer("record", "search")[: PAGE + 1]
    )
    return found[:PAGE], found[PAGE - 1].position if len(found) > PAGE else 0


def count_released(benchmark: Benchmark) -> dict[str, int]:
    """Return how many released questions each split has. One query."""
    rows = benchmark.released_questions.order_by("split").values_list("split")
    return dict(rows.annotate(n=Count("pk")))


def count_hidden(benchmark: Benchmark) -> int:
    """Return how many questions of the test split are scored. One query."""
    return list_hidden(benchmark).count()


def list_hidden(benchmark: Benchmark) -> QuerySet[Question]:
    """Return the questions of the test split that are scored."""
    rows = Question.objects.filter(project=benchmark.project_id, split=HIDDEN)
    return rows.exclude(state=Question.State.EXCLUDED)


# --- the leaderboard -----------------------------------------------------------------------------


@dataclass(frozen=True)
class RankedEntry:
    """A row of the leaderboard. cells: the figures in the order of the columns, None for none."""

    place: int
    entry: BenchmarkEntry
    team: str
    cells: Sequence[dict[str, float] | None]

    @property
    def paired_test(self) -> dict[str, Any] | None:
        """The paired test against the entry above."""
        return self.entry.paired_test


@dataclass(frozen=True)
class Leaderboard:
    """The listed entries in order. columns: key and label of each figure, and whether entries can
    stand in order by it; by: the figure of the order; is_main: whether the paired tests are of it.
    """

    columns: Sequence[tuple[str, str, bool]]
    by: str
    is_main: bool
    rows: Sequence[RankedEntry]


def read_leaderboard(benchmark: Benchmark, by: str = "") -> Leaderboard:
    """Return the leaderboard, ordered by a figure, the usual one if it is not known. One query."""
    scored = BenchmarkEntry.objects.filter(team__benchmark=benchmark, state=State.SCORED)
    scored = scored.filter(withdrawn_at=None).select_related("team").defer("measures", "problem")
    entries = list(scored)
    listed = [row for row in entries if is_listed(row)]
    scoring = scoring_of(benchmark.project)
    main = find_main_figure(scoring, listed)
    columns = [
        column
        for column in list_columns(benchmark)
        if any(column[0] in row.figures for row in listed)
    ]
    chosen = by if by in [name for name, _, ranks in columns if ranks] else main
    rows = [
        RankedEntry(
            place,
            row,
            row.team.name if row.shown == Shown.NAMED else "",
            [row.figures.get(name) for name, _, _ in columns],
        )
        for place, row in enumerate(order_entries(listed, chosen), start=1)
    ]
    return Leaderboard(columns, chosen, chosen == main, rows)


def describe_leaderboard(benchmark: Benchmark) -> dict[str, Any]:
    """Return what the public address gives programs: what the page shows, and nothing else."""
    board = read_leaderboard(benchmark)
    return {
        "title": benchmark.title,
        "licence": benchmark.licence,
        "test_questions": count_hidden(benchmark),
        "ordered_by": board.by,
        "entries": [
            {
                "place": row.place,
                "team": row.team or None,
                "name": row.entry.name if row.team else None,
                "sent_on": row.entry.sent_at.date().isoformat(),
                "figures": row.entry.figures,
                "against_the_entry_above": row.paired_test,
            }
            for row in board.rows
        ],
    }


# --- teams ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TeamRow:
    """A team, its seats that have not ended, and how many of its entries count."""

    team: BenchmarkTeam
    seats: Sequence[TeamSeat]
    sent: int


def list_teams(benchmark: Benchmark) -> list[TeamRow]:
    """Return the teams of a page by name. Two queries."""
    counted = Count("entries", filter=~Q(entries__state=State.FAILED))
    by_team: dict[int, list[TeamSeat]] = {}
    seats = benchmark.seats.filter(ended_at=None).select_related("user", "team")
    for seat in seats.order_by("pk"):
        seat.benchmark = benchmark
        by_team.setdefault(seat.team_id, []).append(seat)
    return [
        TeamRow(row, by_team.get(row.pk, []), row.sent)
        for row in benchmark.teams.annotate(sent=counted).order_by("name", "pk")
    ]


def list_columns(benchmark: Benchmark) -> list[tuple[str, str, bool]]:
    """Return each figure of a leaderboard: key, label, and whether it makes a system better."""
    kinds = list_shown_kinds(scoring_of(benchmark.project))
    return [(name, kind.label, kind.scale is not None) for name, kind in kinds.items()]


def list_entries(team: BenchmarkTeam) -> list[BenchmarkEntry]:
    """Return the entries of a team, the newest first. One query."""
    rows = team.entries.select_related("job").defer("measures", "job__log", "job__result")
    return list(rows.order_by("-pk"))
