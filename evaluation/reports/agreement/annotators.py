"""What each annotator does, next to all of them together."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from annotation.exports.rows import fetch_rows
from annotation.figures.filters import Filters
from annotation.figures.panel import Cell, Chart, Column, Panel, Person, share_with_interval
from annotation.figures.registry import Request
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature, rule_of
from annotation.stages import registry as stages
from evaluation.reports.agreement.facts import is_long
from evaluation.reports.agreement.statements import (
    PAGES_AND_SEARCHES,
    SUBMISSIONS,
    WARNINGS,
    WEEKS_OF_PEOPLE,
)
from validation.outcomes.values import Status

EVERYONE = "Everyone"
_KEPT = (
    "Pages and searches are different ones for each submission; a warning is kept when the writer "
    "says why the text is right. "
)


@dataclass
class Work:
    """What one person submitted, or everyone. Counts of submissions, sums of pages and searches."""

    seconds: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    searches: int = 0
    shown: int = 0
    kept: int = 0

    @property
    def n(self) -> int:
        """Number of submissions."""
        return len(self.seconds)

    def add(self, other: "Work") -> None:
        """Add the work of another person."""
        self.seconds += other.seconds
        self.words += other.words
        self.kinds += other.kinds
        self.statuses += other.statuses
        self.pages, self.searches = self.pages + other.pages, self.searches + other.searches
        self.shown, self.kept = self.shown + other.shown, self.kept + other.kept


Warned = list[tuple[int, str, int, int]]


def read_warnings(request: Request) -> Warned:
    """Return (person, rule, shown, kept) of the warnings on submissions, whoever is chosen."""
    return fetch_rows(WARNINGS, _values(request))


def read_work(request: Request) -> dict[int, Work]:
    """Return what each person submitted, by id, whoever is chosen. Three queries."""
    people: dict[int, Work] = {}
    for person, seconds, kind, status, words in fetch_rows(SUBMISSIONS, _values(request)):
        row = people.setdefault(person, Work())
        row.seconds.append(seconds)
        row.words += [words] if words is not None else []
        row.kinds[kind] += bool(kind)
        row.statuses[status] += bool(status)
    for person, pages, searches in fetch_rows(PAGES_AND_SEARCHES, _values(request)):
        people[person].pages, people[person].searches = pages, searches
    for person, _, shown, kept in request.once(read_warnings):
        people[person].shown += shown
        people[person].kept += kept
    return people


def build_annotators_panel(request: Request) -> Panel:
    """Return a row for everyone together, and one for each person, or for those chosen."""
    people = request.once(read_work)
    every = Work()
    for row in people.values():
        every.add(row)
    columns = _columns(request)
    shown: list[tuple[Cell, Work]] = [(EVERYONE, every)] if every.n else []
    shown += [(Person(pk), people[pk]) for pk in sorted(people) if _chosen(request.filters, pk)]
    rows = [[who, *(make(row) for _, make in columns)] for who, row in shown]
    return Panel(
        columns=[Column("person", "Person"), *(column for column, _ in columns)],
        rows=rows,
        n=every.n,
        counted="submission",
        definition=(
            "Submissions in use by the day they were submitted. "
            f"{_KEPT if _LAST[0] in columns else ''}People are in the order in which they joined."
        ),
        needs="1 submission",
    )


def build_warnings_panel(request: Request) -> Panel:
    """Return how often each warning was shown and kept: by those chosen, and by everyone."""
    every: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    own: Counter[str] = Counter()
    own_kept: Counter[str] = Counter()
    for person, rule, shown, number in request.once(read_warnings):
        every[rule] += shown
        kept[rule] += number
        if _chosen(request.filters, person):
            own[rule] += shown
            own_kept[rule] += number
    narrowed = request.filters.person is not None
    columns = [
        Column("rule", "Warning"),
        Column("shown", "Shown", "count"),
        Column("kept", "Kept", "share"),
    ]
    rows: list[list[Cell]] = []
    for rule in sorted(own, key=lambda key: (-own[key], key)):
        cells: list[Cell] = [
            title_rule(rule),
            own[rule],
            share_with_interval(own_kept[rule], own[rule]),
        ]
        rows.append([*cells, share_with_interval(kept[rule], every[rule])] if narrowed else cells)
    if narrowed:
        columns.append(Column("kept_by_everyone", "Kept by everyone", "share"))
    return Panel(
        columns=columns,
        rows=rows,
        n=sum(own.values()),
        counted="warning",
        definition=(
            "Each warning once for every submission, rule and field it was shown at. A rule that "
            "nearly everyone overrides may be wrong, or badly explained."
        ),
        needs="1 warning that was shown",
    )


def build_work_panel(request: Request) -> Panel:
    """Return what was submitted week by week: by everyone, and by those chosen. One query."""
    rows = fetch_rows(WEEKS_OF_PEOPLE, _values(request))
    chosen = request.filters.person is not None
    return Panel(
        columns=(
            Column("week", "Week of"),
            Column("person", "Person"),
            Column("submissions", "Submitted", "count"),
            Column("seconds", "Median active time", "seconds"),
        ),
        rows=[
            (week.isoformat(), EVERYONE if person is None else Person(person), number, seconds)
            for week, person, number, seconds in rows
            if person is None or (chosen and _chosen(request.filters, person))
        ],
        n=sum(number for _, person, number, _ in rows if person is None),
        counted="submission",
        definition=(
            "Submissions in use by the week, from Monday in UTC, in which they were submitted, and "
            "the median time that people worked on one."
        ),
        needs="1 submission",
        chart=Chart("lines", x="week", y="seconds", series="person"),
    )


def title_rule(rule: str) -> str:
    """Return the title of a rule; its key if this version does not have it."""
    check = rule_of(rule)
    return check.title if check else rule


def _chosen(filters: Filters, person: int) -> bool:
    return filters.person is None or person in (filters.person, filters.other)


def _values(request: Request) -> dict[str, Any]:
    filters = request.filters
    return {
        "project": request.project.pk,
        "stages": stages.list_writing_stages(request.project),
        "split": filters.split or None,
        "since": filters.since,
        "until": filters.until,
    }


def _median(numbers: list[int]) -> float | None:
    ordered = sorted(numbers)
    half = len(ordered) // 2
    if not ordered:
        return None
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _mean(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _columns(request: Request) -> list[tuple[Column, Callable[[Work], Cell]]]:
    if not protocols.protocol_of(request.project).has_feature(Feature.DISAMBIGUATIONS):
        return _FIRST
    return _LONG if is_long(request) else _SHORT


def _kind(kind: str) -> Callable[[Work], Cell]:
    return lambda row: share_with_interval(row.kinds[kind], row.kinds.total())


def _status(*statuses: Status) -> Callable[[Work], Cell]:
    return lambda row: share_with_interval(
        sum(row.statuses[each] for each in statuses), row.statuses.total()
    )


_FIRST: list[tuple[Column, Callable[[Work], Cell]]] = [
    (Column("submissions", "Submitted", "count"), lambda row: row.n),
    (Column("seconds", "Median active time", "seconds"), lambda row: _median(row.seconds)),
]
_LAST: list[tuple[Column, Callable[[Work], Cell]]] = [
    (
        Column("kept", "Warnings kept", "share"),
        lambda row: share_with_interval(row.kept, row.shown),
    ),
    (Column("pages", "Pages", "mean"), lambda row: _mean(row.pages, row.n)),
    (Column("searches", "Searches", "mean"), lambda row: _mean(row.searches, row.n)),
]
_SHORT = [
    *_FIRST,
    (Column("multiple", "Several answers", "share"), _kind("multiple")),
    (Column("single", "One answer", "share"), _kind("single")),
    (Column("none", "Not found", "share"), _kind("none")),
    (Column("written", "Accepted as written", "share"), _status(Status.WRITTEN)),
    (
        Column("changed", "Accepted with a change", "share"),
        _status(Status.CHANGED, Status.PARTLY),
    ),
    (
        Column("not_accepted", "Not accepted", "share"),
        _status(Status.INCORRECT, Status.OTHER, Status.EXCLUDED),
    ),
    *_LAST,
]
_LONG = [
    *_FIRST,
    (Column("words", "Words", "mean"), lambda row: _mean(sum(row.words), len(row.words))),
    *_LAST,
]
