"""Which reports there are, and the panels of each. Nothing here computes, or imports what does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast

from django.utils.module_loading import import_string

from annotation.models import Project
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.reports.filters import ALL, Filters, Name
from evaluation.reports.panel import Panel

Read = TypeVar("Read")


@dataclass(frozen=True)
class Request:
    """What a panel is computed from: a project, filters, the time.

    `once` keeps what several panels of a report read, so that it is read once.
    """

    project: Project
    filters: Filters
    now: datetime
    _read: dict[Callable[["Request"], Any], Any] = field(default_factory=dict)

    def once(self, read: Callable[["Request"], Read]) -> Read:
        """Return what `read` gives for this request, calling it the first time only."""
        if read not in self._read:
            self._read[read] = read(self)
        return cast(Read, self._read[read])


SYSTEMS = "systems"
Compute = Callable[[Request], Panel]


@dataclass(frozen=True)
class Entry:
    """A panel before it is computed. `compute` is the dotted path of its function.

    filters: those that the function looks at; where another one is set, the page says that the
    panel does not follow it. needs: only projects whose protocol has this feature have it.
    protocol: only projects of this protocol have it.
    """

    key: str
    title: str
    compute: str
    filters: tuple[Name, ...] = ALL
    needs: Feature | None = None
    protocol: str = ""

    def panel(self, request: Request) -> Panel:
        """Compute the panel."""
        return cast(Compute, import_string(self.compute))(request)

    def fits(self, project: Project) -> bool:
        """Whether a project has this panel."""
        protocol = protocols.protocol_of(project)
        return self.protocol in ("", protocol.key) and (
            self.needs is None or protocol.has_feature(self.needs)
        )


@dataclass(frozen=True)
class Report:
    """A page of panels, in their order. `filters` are the fields of its form."""

    key: str
    label: str
    lead: str
    filters: tuple[Name, ...]
    panels: list[Entry]

    def entries(self, project: Project) -> list[Entry]:
        """Return the panels that a project has."""
        return [entry for entry in self.panels if entry.fits(project)]


def _papers(needs: Feature, *panels: tuple[str, str, str]) -> list[Entry]:
    where = "evaluation.reports.papers"
    return [Entry(key, title, f"{where}.{name}", ("split",), needs) for key, title, name in panels]


_PACKAGE, _WORK = "evaluation.reports.agreement", "evaluation.reports.work"
_TIMES: tuple[Name, ...] = ("split", "period")


def _agreement(needs: Feature | None, *panels: tuple[str, str, str]) -> list[Entry]:
    return [Entry(key, title, f"{_PACKAGE}.{name}", needs=needs) for key, title, name in panels]


_PAPERS = [
    *_papers(
        Feature.PAIRS,
        ("ambigqa-table-1", "AmbigQA, table 1: types of ambiguity", "ambiguity.panel"),
        ("ambigqa-table-2", "AmbigQA, table 2: pairs of a question", "pairs.panel"),
        ("ambigqa-figure-2a", "AmbigQA, figure 2a: pages opened", "searching.pages_panel"),
        ("ambigqa-figure-2b", "AmbigQA, figure 2b: searches", "searching.queries_panel"),
        ("ambigqa-figure-2c", "AmbigQA, figure 2c: edits", "edits.cloud_panel"),
        ("ambigqa-edits", "AmbigQA, section 4.2: tail of edits", "edits.tail_panel"),
        ("ambigqa-references", "AmbigQA, appendix B: answers", "nq_open.references_panel"),
        ("ambigqa-table-8", "AmbigQA, table 8: exact match", "nq_open.systems_panel"),
    ),
    *_papers(
        Feature.LONG,
        ("asqa-table-1", "ASQA, table 1: long answers", "long_answers.panel"),
        ("asqa-table-3", "ASQA, table 3: automatic scores", "systems.panel"),
        ("asqa-figure-3", "ASQA, figure 3: passages", "passages.panel"),
    ),
    *_papers(
        Feature.DISAMBIGUATIONS,
        ("asqa-table-4", "ASQA, table 4: human evaluation", "studies.judged_panel"),
        ("asqa-table-5", "ASQA, table 5: correlations", "studies.correlations_panel"),
        ("asqa-table-2", "ASQA, table 2: data sets", "datasets.panel"),
    ),
]
_SYSTEMS = [
    Entry(key, title, f"evaluation.reports.systems.{name}", ("split",), Feature.DISAMBIGUATIONS)
    for key, title, name in (
        ("leaderboard", "Leaderboard", "leaderboard"),
        ("paired-tests", "Paired tests", "tests"),
        ("signatures", "Signatures", "signatures"),
    )
]
REPORTS: list[Report] = [
    Report(
        "agreement",
        "Agreement",
        "How far people agree, and what each of them did.",
        filters=ALL,
        panels=[
            *_agreement(Feature.DISAMBIGUATIONS, ("headline", "At a glance", "headline.panel")),
            *_agreement(Feature.PAIRS, ("outcomes", "The outcome of validation", "outcomes.panel")),
            Entry(
                *("pairs", "Who agrees with whom", f"{_PACKAGE}.people_pairs.panel"),
                filters=_TIMES,
                needs=Feature.DISAMBIGUATIONS,
            ),
            *_agreement(
                Feature.DISAMBIGUATIONS,
                ("weeks", "Week by week", "over_time.weeks"),
                ("splits", "Split by split", "over_time.splits"),
                ("disagreements", "Where people disagreed", "disagreements.panel"),
            ),
            *_agreement(
                None,
                ("annotators", "Annotators", "annotators.panel"),
                ("work", "Work week by week", "annotators.weeks_panel"),
            ),
            *_agreement(
                Feature.WARNINGS,
                ("warnings", "Warnings that were kept", "annotators.warnings_panel"),
            ),
            Entry(
                *("figures", "Every figure", "evaluation.reports.every_figure.panel"),
                needs=Feature.DISAMBIGUATIONS,
            ),
        ],
    ),
    Report(
        "project",
        "Project",
        "Progress, cost, and what is waiting for someone.",
        filters=("split", "period"),
        panels=[
            Entry("waiting", "What waits", f"{_WORK}.waiting.panel", ()),
            Entry("progress", "Progress", f"{_WORK}.progress.panel", ("split",)),
            Entry("queue", "Queue", f"{_WORK}.progress.queue_panel", ("split",)),
            Entry("throughput", "Week by week", f"{_WORK}.progress.weeks_panel", _TIMES),
            Entry("cost", "Cost", f"{_WORK}.cost.panel", _TIMES),
            Entry("matters", "Raised with the team", f"{_WORK}.waiting.talk_panel", _TIMES),
            Entry(
                *("warnings", "Warnings", f"{_PACKAGE}.annotators.warnings_panel", _TIMES),
                needs=Feature.WARNINGS,
            ),
            Entry("golds", "Gold items", f"{_WORK}.golds.panel", ()),
            Entry("pay", "Paid by month", "evaluation.reports.pay.panel", ("period",)),
        ],
    ),
    Report(
        "tables",
        "Papers’ tables",
        "The tables and figures of the papers, from the data of this project.",
        filters=("split",),
        panels=_PAPERS,
    ),
    Report(
        SYSTEMS,
        "Systems",
        "The answers of systems by automatic metrics, next to each other.",
        filters=("split",),
        panels=_SYSTEMS,
    ),
]


def every_figure(protocol: str) -> Entry:
    """Return the panel of all shares and scores of a protocol’s own report."""
    return Entry(
        *("figures", "Every figure", "evaluation.reports.every_figure.of_protocol", ("split",)),
        protocol=protocol,
    )


def reports(project: Project) -> Sequence[Report]:
    """Return the reports that have panels for a project."""
    return [report for report in REPORTS if report.entries(project)]


def report_of(project: Project, key: str) -> Report | None:
    """Return a report of a project by its key; None where it has no such report."""
    return next((report for report in reports(project) if report.key == key), None)


def register(report: str, *entries: Entry) -> None:
    """Add panels of a floor above to a report."""
    next(row for row in REPORTS if row.key == report).panels.extend(entries)
