"""The figures of a study as files: tidy CSV, JSON, and a table for LaTeX."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import orjson

from annotation.figures.latex import escape_latex, render_latex_table
from annotation.text.spreadsheets import defuse_formula
from evaluation.results import report
from evaluation.results.report import Figure, Figures
from evaluation.results.stored import StoredResults
from evaluation.studies.models import Study

HEAD = ("figure", "criterion", "system", "against", "question", "value", "low", "high", "n", "note")
_COLUMNS = {"comp": "COMP", "fluency": "FLUE", "overall": "HO"}


def render_json(study: Study, stored: StoredResults) -> bytes:
    """Return every figure with what it was made from."""
    return orjson.dumps(
        describe_results(study, stored), option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z
    )


def describe_results(study: Study, stored: StoredResults) -> dict[str, Any]:
    """Return the study, when its figures were computed, from how many judgments, and them."""
    return {
        "study": {
            "id": study.pk,
            "title": study.title,
            "state": study.state,
            "split": study.split,
            "pairing": study.pairing,
            "seed": study.seed,
        },
        "computed_at": stored.computed_at,
        "judgments": stored.judgments,
        "figures": stored.figures,
    }


def render_csv(figures: Figures) -> str:
    """Return one line per figure, safe to open in a spreadsheet."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(HEAD)
    for keys, figure in _rows(figures):
        texts = [defuse_formula(str(keys.get(name, ""))) for name in HEAD[:5]]
        numbers = ["" if (value := figure.get(name)) is None else value for name in HEAD[5:9]]
        writer.writerow([*texts, *numbers, defuse_formula(figure.get("note") or "")])
    return target.getvalue()


def render_latex(figures: Figures, *, intervals: bool = False) -> str:
    """Return systems by ACC and points per criterion, as in ASQA's table 4, for LaTeX's booktabs.

    intervals: with the bounds of each figure in brackets, or why it has none.
    """
    criteria = [row for row in figures["criteria"] if row["points"]]
    heads = [_COLUMNS.get(row["key"], escape_latex(row["label"])) for row in criteria]
    columns = [figures["acc"], *(row["points"] for row in criteria)]
    rows = (
        [escape_latex(system), *(_cell(column.get(system, {}), intervals) for column in columns)]
        for system in figures["systems"]
    )
    shape = f"l{'r' * len(columns)}"
    head = ["System", "ACC", *heads]
    return render_latex_table(head, rows, shape=shape, comments=[figures["signature"]])


def _cell(figure: Figure, intervals: bool) -> str:
    value = figure.get("value")
    if value is None:
        return "--"
    low, high = figure.get("low"), figure.get("high")
    bounds = f"{low:.1f}, {high:.1f}" if None not in (low, high) else figure.get("note", "")
    shown = f"{value:.1f} [{bounds}]" if intervals and bounds else f"{value:.1f}"
    return shown.replace("-", "$-$")


def _rows(figures: Figures) -> Iterator[tuple[dict[str, str], Figure]]:
    """Yield what each figure is of, and it."""
    yield from _under({"figure": "acc"}, "system", figures["acc"])
    yield from _under({"figure": "acc.agreement"}, "", figures["acc_agreement"])
    for criterion in figures["criteria"]:
        yield from _of_criterion(criterion)
    for figure in ("experts", "experts_alone"):
        for system, shares in sorted(figures[figure].items()):
            yield from _under({"figure": figure, "system": system}, "", shares)
    for row in figures["correlations"]["rows"]:
        yield {"figure": f"correlation.{row['metric']}", "criterion": row["with"]}, row
    if not any(row["metric"] == "qa_f1" for row in figures["correlations"]["rows"]):
        note = figures["correlations"].get("disambig_f1", "")
        yield {"figure": "correlation.qa_f1"}, {"note": note}
    for row in figures["answers"]:
        for name in ("acc", *report.METRICS):
            if row.get(name) is not None:
                keys = {"system": row["system"], "question": row["question"]}
                yield keys | {"figure": f"answer.{name}"}, {"value": row[name]}


def _of_criterion(criterion: Figure) -> Iterator[tuple[dict[str, str], Figure]]:
    keys = {"criterion": criterion["key"]}
    yield from _under(keys | {"figure": "points"}, "system", criterion["points"])
    for system, others in sorted(criterion["matrix"].items()):
        yield from _under(keys | {"figure": "points", "system": system}, "against", others)
        for other, cell in sorted(others.items()):
            for name in ("wins", "ties", "losses"):
                met = {"figure": name, "system": system, "against": other}
                yield keys | met, {"value": cell[name], "n": cell["n"]}
    for system, row in sorted(criterion["strengths"].items()):
        yield from _under(keys | {"figure": "strength", "system": system}, "", row)
    yield from _under(keys | {"figure": "agreement"}, "", criterion["agreement"])
    yield from _under(keys | {"figure": "position"}, "", criterion["position"] or {})
    if criterion["consistency"]:
        yield keys | {"figure": "consistency"}, criterion["consistency"]


def _under(
    keys: dict[str, str], name: str, figures: Figures
) -> Iterator[tuple[dict[str, str], Figure]]:
    """Yield figures by their keys: as a column if it has a name, else as part of the figure's."""
    for key, figure in sorted(figures.items()):
        if isinstance(figure, dict):
            part = {name: key} if name else {"figure": f"{keys['figure']}.{key}"}
            yield keys | part, figure


NOTHING = "There are no figures of this study yet. Open its results and compute them."
