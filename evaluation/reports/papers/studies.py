"""ASQA's tables 4 and 5, from the stored results of studies (S47, S48)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.figures.panel import Cell, Chart, Column, Panel, Value
from annotation.figures.registry import Request
from annotation.models import StoredFigures
from evaluation.reports.papers import reading
from evaluation.reports.papers.values import keep_filled
from evaluation.studies import models
from evaluation.studies.results_job import RESULTS_KIND
from metrics import intervals

# The criteria of the paper; those that a study adds are on its own page.
CRITERIA = {"comp": "COMP", "fluency": "FLUE", "overall": "HO"}
MEASURES = {"acc": "ACC", **CRITERIA}
METRICS = {
    "rouge_l": "ROUGE-L",
    "str_em": "STR-EM",
    "qa_f1": "Disambig-F1",
    "dr": "DR",
    "length": "Length",
}
_NEEDS = "1 study with results"


@dataclass(frozen=True, slots=True)
class Study:
    """A study by its title, with its stored figures."""

    title: str
    figures: Mapping[str, Any]


def build_judged_panel(request: Request) -> Panel:
    """Return table 4."""
    return tabulate_judged(request.once(_studies))


def build_correlations_panel(request: Request) -> Panel:
    """Return table 5."""
    return tabulate_correlations(request.once(_studies))


def _studies(request: Request) -> list[Study]:
    rows = StoredFigures.objects.filter(project=request.project, report=RESULTS_KIND.key)
    stored = {int(subject): figures for subject, figures in rows.values_list("subject", "figures")}
    studies = models.Study.objects.filter(pk__in=stored)
    if split := reading.chosen_split(request):
        studies = studies.filter(split=split)
    return [Study(row.title, stored[row.pk]["figures"]) for row in studies.order_by("pk")]


def tabulate_judged(studies: Sequence[Study]) -> Panel:
    """Return how people judged systems: ACC, and points by criterion."""
    rows = [row for study in studies for row in _judged(study)]
    return Panel(
        columns=(
            Column("study", "Study"),
            Column("system", "System"),
            *(Column(key, label, "percent") for key, label in MEASURES.items()),
        ),
        rows=rows,
        n=sum(study.figures["counts"]["judgments"] for study in studies),
        counted="judgment",
        definition=(
            "ACC is the share of disambiguations that an answer lets people answer. The other "
            "columns are points against other systems, a win 100 and a tie 50: how much is said "
            "(COMP), how well (FLUE), and overall (HO). Results as last computed for each study."
        ),
        needs=_NEEDS,
        summary=_best(studies),
        chart=Chart("bars", x="system", y="overall", series="study" if len(studies) > 1 else ""),
    )


def _judged(study: Study) -> Iterator[list[Cell]]:
    points = {row["key"]: row["points"] for row in study.figures["criteria"]}
    values = {"acc": study.figures["acc"], **points}
    for system in study.figures["systems"]:
        cells = [_value(values.get(key, {}).get(system)) for key in MEASURES]
        if any(cell.value is not None for cell in cells):
            yield [study.title, system, *cells]


def _best(studies: Sequence[Study]) -> str:
    sentences = []
    for study in studies:
        by_key = {row["key"]: row["points"] for row in study.figures["criteria"]}
        points = by_key.get("overall", {})
        ranked = sorted((-row["value"], name) for name, row in points.items() if _has_value(row))
        if ranked:
            sentences.append(f"{ranked[0][1]} has the most points overall in “{study.title}”.")
    return " ".join(sentences)


def _has_value(figure: Mapping[str, Any]) -> bool:
    return figure["value"] is not None


def tabulate_correlations(studies: Sequence[Study]) -> Panel:
    """Return how far automatic scores and judgments of people go together, over systems."""
    rows = (row for study in studies for row in _correlations(study))
    fewest = min(
        (row["n"] for study in studies for row in study.figures["correlations"]["rows"]), default=0
    )
    columns, cells = keep_filled(
        (
            Column("study", "Study"),
            Column("judgment", "Judgment"),
            *(Column(key, label, "score") for key, label in METRICS.items()),
        ),
        rows,
    )
    return Panel(
        columns=columns,
        rows=cells,
        n=fewest,
        counted="system",
        definition=(
            "Pearson’s correlation over the systems of a study, times 100, of each automatic score "
            "with each judgment. n is the number of systems; with fewer than ten, a high "
            "correlation can be chance."
        ),
        needs="1 study of 3 systems with results",
        summary=" ".join(
            dict.fromkeys(
                study.figures["correlations"]["warning"]
                for study in studies
                if study.figures["correlations"]["warning"]
            )
        ),
    )


def _correlations(study: Study) -> Iterator[list[Cell]]:
    cells = {(row["with"], row["metric"]): row for row in study.figures["correlations"]["rows"]}
    for key, label in MEASURES.items():
        values = [_value(cells.get((key, metric))) for metric in METRICS]
        if any(cell.value is not None for cell in values):
            yield [study.title, label, *values]


def _value(figure: Mapping[str, Any] | None) -> Value:
    if figure is None:
        return Value(None, 0)
    note = figure.get("note", "")
    # What else a note says of a figure is on the page of the study.
    shown = note if note in intervals.NOTES else ""
    return Value(figure["value"], figure["n"], figure["low"], figure["high"], shown)
