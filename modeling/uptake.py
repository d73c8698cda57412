"""What people did with suggestions, and how work differs with and without them.

Plain values: no database, no Django. The report is a list of figures, one for each line of its CSV;
`docs/models.md` defines them.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Literal, TypeVar

from annotation.text.spreadsheets import defuse_formula
from metrics import agreement, asqa
from metrics.score import BadInput, Evaluation, ratio_or_zero
from metrics.score import Figure as Scored
from validation.agreement.figures import Answers
from validation.agreement.reporting import (
    RESAMPLES,
    SEED,
    LabelledFigure,
    Labels,
    Unit,
    label_figures,
)

Arm = Literal["with", "without"]
Of = tuple[str, str, str, str]
Row = TypeVar("Row")
Key = TypeVar("Key")
CHANGES: Mapping[str, str] = {"towards": "differed", "away": "same"}
FATES = ("accepted", "edited", "dismissed", "undecided")
SECONDS, F1, SAME, ROUGE = "seconds", "f1_answer", "exact", "rouge_lsum"
COMPARED: Mapping[str, tuple[str, Unit]] = {
    SECONDS: ("Active time for each question", "mean"),
    F1: ("F1-answer of two annotators", "score"),
    SAME: ("All gave the same answers", "share"),
    ROUGE: ("ROUGE-L of two long answers", "score"),
}


@dataclass(frozen=True, slots=True)
class SuggestionFates:
    """The suggestions of a version and a kind that were shown for a question, by their fate."""

    stage: str
    system: str
    version: str
    kind: str
    question: str
    fates: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class VerdictChanges:
    """The verdicts of a version that were shown for a question after people had chosen their own.

    differed: where theirs was another one, towards: of these, where they changed to the model's;
    same: where theirs was the same, away: of these, where they changed to another.
    """

    stage: str
    system: str
    version: str
    question: str
    differed: int
    towards: int
    same: int
    away: int


@dataclass(frozen=True, slots=True)
class SuggestionWork:
    """The submissions for a question that could have suggestions of a system, and their arm.

    with: they could be seen; without: the question is held out. seconds: active time of each
    submission; answers and texts: of each, where the stage writes short or long answers and all
    that is submitted for the question is of this arm.
    """

    stage: str
    system: str
    question: str
    arm: Arm
    seconds: Sequence[int]
    answers: Sequence[Answers] = ()
    texts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the report. `n`: number of questions; no version and kind: all of the system's.

    `value` is None where there is nothing to count, `low` and `high` where it has no interval;
    `note` says why it has none.
    """

    stage: str
    system: str
    version: str
    kind: str
    figure: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    note: str = ""

    @property
    def of(self) -> Of:
        """What it is a figure of: stage, system, version, kind."""
        return self.stage, self.system, self.version, self.kind


def compute_uptake_figures(
    used: Iterable[SuggestionFates],
    work: Iterable[SuggestionWork],
    changed: Iterable[VerdictChanges] = (),
) -> list[Figure]:
    """Return every figure: the uptake of each version, changes of first verdicts, then work with
    and without.
    """
    return [*_uptake(used), *_changed(changed), *_compared(work)]


def _changed(changed: Iterable[VerdictChanges]) -> Iterator[Figure]:
    groups = _by(changed, lambda row: (row.stage, row.system, row.version))
    for (stage, system, version), rows in groups.items():
        of: Of = (stage, system, version, "verdict")
        for share, whole in CHANGES.items():
            # Questions in which it could happen, so that the others are not counted as 0 of 0.
            able = [row for row in rows if getattr(row, whole)]
            columns = {name: [float(getattr(row, name)) for row in able] for name in (share, whole)}
            yield Figure(*of, f"first.{whole}", sum(columns[whole]), n=len(able))
            yield Figure(*of, f"changed.{share}", sum(columns[share]), n=len(able))
            if not able:
                yield Figure(*of, f"changed.{share}.share", None)
                continue
            evaluation = Evaluation(
                "changes",
                [row.question for row in able],
                columns,
                [Scored(share, (share, whole), ratio_or_zero)],
            )
            labels: Labels = {share: (share, "share")}
            [figure] = label_figures(labels, evaluation, "changed")
            yield _figure_of(of, f"changed.{share}.share", figure)


def _uptake(used: Iterable[SuggestionFates]) -> Iterator[Figure]:
    groups = _by(used, lambda row: (row.stage, row.system, row.version, row.kind))
    for of, rows in groups.items():
        columns = {"shown": [float(sum(row.fates.values())) for row in rows]}
        columns |= {fate: [float(row.fates.get(fate, 0)) for row in rows] for fate in FATES}
        evaluation = Evaluation(
            "uptake",
            [row.question for row in rows],
            columns,
            [Scored(fate, (fate, "shown"), ratio_or_zero) for fate in FATES],
        )
        labels: Labels = {fate: (fate, "share") for fate in FATES}
        for name, values in columns.items():
            yield Figure(*of, name, sum(values), n=len(rows))
        for figure in label_figures(labels, evaluation, "share"):
            yield _figure_of(of, figure.name, figure)


def _compared(work: Iterable[SuggestionWork]) -> Iterator[Figure]:
    for (stage, system), rows in _by(work, lambda row: (row.stage, row.system)).items():
        arms = {arm: _measured([row for row in rows if row.arm == arm]) for arm in _ARMS}
        for name, (_, unit) in COMPARED.items():
            values = {arm: arms[arm].get(name, []) for arm in _ARMS}
            for arm in _ARMS:
                yield _mean((stage, system, "", ""), f"{name}.{arm}", values[arm], unit)
            yield _change((stage, system, "", ""), name, values)


_ARMS: tuple[Arm, ...] = ("with", "without")


def _measured(rows: Sequence[SuggestionWork]) -> dict[str, Sequence[float]]:
    """Return the value of each question for everything that is compared, as far as it has one."""
    values: dict[str, Sequence[float]] = {SECONDS: [fmean(row.seconds) for row in rows]}
    # No question may have been answered by two people.
    with suppress(BadInput):
        agreed = agreement.score_answer_agreement({row.question: row.answers for row in rows})
        values |= {name: agreed.columns[name] for name in (F1, SAME)}
    with suppress(BadInput):
        texts = {row.question: [asqa.AsqaAnnotation(text) for text in row.texts] for row in rows}
        close = asqa.score_annotator_agreement(
            {name: asqa.Question((), given) for name, given in texts.items()}
        )
        values[ROUGE] = [value / 100 for value in close.columns[ROUGE]]
    return values


def _mean(of: Of, name: str, values: Sequence[float], unit: Unit) -> Figure:
    if not values:
        return Figure(*of, name, None)
    ids = list(map(str, range(len(values))))
    evaluation = Evaluation("arm", ids, {name: values}, [Scored(name, (name,))])
    [row] = label_figures({name: (name, unit)}, evaluation, "arm")
    return _figure_of(of, name, row)


def _figure_of(of: Of, name: str, row: LabelledFigure) -> Figure:
    return Figure(*of, name, row.value, row.low, row.high, row.n, row.note)


def _change(of: Of, name: str, values: Mapping[Arm, Sequence[float]]) -> Figure:
    """Return what suggestions change: the mean with them minus the mean without."""
    from metrics.resampling import difference_interval  # loads numpy

    both = values["with"], values["without"]
    if not all(both):
        return Figure(*of, f"{name}.change", None)
    interval, note = difference_interval(*both, resamples=RESAMPLES, seed=SEED)
    low, high = (interval.low, interval.high) if interval else (None, None)
    change = fmean(both[0]) - fmean(both[1])
    return Figure(*of, f"{name}.change", change, low, high, min(map(len, both)), note)


def _by(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


# --- as a file -----------------------------------------------------------------------------

HEAD = ("stage", "system", "version", "kind", "figure", "value", "low", "high", "n", "note")


def as_rows(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """Return the figures for JSON, keys as in the CSV."""
    return [asdict(figure) for figure in figures]


def as_csv(figures: Iterable[Figure]) -> str:
    """Return one line per figure, safe to open in a spreadsheet; an empty cell is no value."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(HEAD)
    for row in as_rows(figures):
        texts = [defuse_formula(row[name]) for name in HEAD[:5]]
        writer.writerow([*texts, *("" if row[name] is None else row[name] for name in HEAD[5:])])
    return target.getvalue()
