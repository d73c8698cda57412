"""Every figure of agreement and validation for the report: in groups, with names and labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

from annotation.figures.memory import recall
from metrics import intervals
from metrics.score import SCORE, SHARE, Evaluation, Scale, Score
from validation.agreement import figures
from validation.agreement.figures import AgreementFacts, SubmittedAnswers, ValidatorResult
from validation.verdicts.nudges import list_nudges
from validation.verdicts.promotion import can_validate

Unit = Literal["share", "score", "mean", "count"]
Labels = Mapping[str, tuple[str, Unit]]
Read = TypeVar("Read")
Computed = tuple[float | None, int, float | None, float | None, str]
"""Value, n, low, high and note of a figure."""
RESAMPLES, SEED = 1000, 1
FEW = intervals.FEW
SCALES: Mapping[Unit, Scale | None] = {"share": SHARE, "score": SCORE, "mean": None, "count": None}


@dataclass(frozen=True, slots=True)
class LabelledFigure:
    """A figure of the report; `n` is the number of questions, without which it has no value.

    Where it has a value and no interval, `note` says why.
    """

    name: str
    label: str
    unit: Unit
    value: float | None = None
    n: int = 0
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Figures over the same questions, and in `needs` what has to exist before there are any.

    `counted` says what `n` counts, if not questions.
    """

    key: str
    title: str
    needs: str
    figures: tuple[LabelledFigure, ...]
    counted: str = "question"

    @property
    def n(self) -> int:
        """Number of questions (or of `counted`) in the figures."""
        return max((figure.n for figure in self.figures), default=0)


@dataclass(frozen=True)
class FigureSection(Generic[Read]):
    """A group before it is computed: `make` computes its figures from the data of the project."""

    key: str
    title: str
    needs: str
    labels: Labels
    make: Callable[[Read], Evaluation | None]
    counted: str = "question"

    def group(self, read: Read) -> FigureGroup:
        """Return the group with its figures computed."""
        figures = label_figures(self.labels, self.make(read), self.key)
        return FigureGroup(self.key, self.title, self.needs, figures, self.counted)


class _Read(NamedTuple):
    """The data of a project of short answers."""

    facts: Sequence[AgreementFacts]
    judged: Sequence[ValidatorResult]


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """How often one person found several answers, one, or none; nudges if that is unusual.

    Of a generator also how often they are correct, and whether they can validate (A58).
    """

    person: int
    figures: tuple[LabelledFigure, ...]
    nudges: tuple[str, ...] = ()
    can_validate: bool = False

    @property
    def n(self) -> int:
        """Number of their questions."""
        return self.figures[0].n


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Every figure of a project, or of one split of it."""

    groups: tuple[FigureGroup, ...]
    generators: tuple[PersonFigures, ...]
    validators: tuple[PersonFigures, ...]


def build_report(
    facts: Sequence[AgreementFacts], judged: Sequence[ValidatorResult]
) -> AgreementReport:
    """Compute every figure with its interval."""
    return AgreementReport(
        groups=build_groups(facts, judged),
        generators=_generators(submission for row in facts for submission in row.given),
        validators=_validators((validation.person, validation.kind) for validation in judged),
    )


def build_groups(
    facts: Sequence[AgreementFacts], judged: Sequence[ValidatorResult]
) -> tuple[FigureGroup, ...]:
    """Compute the figures of all people together, with their intervals."""
    read = _Read(facts, judged)
    return tuple(section.group(read) for section in _SECTIONS)


def name_figures(
    found: AgreementReport, names: Mapping[int, str]
) -> dict[str, dict[str, float | str | None]]:
    """Return every figure by its name, as in `agreement --json` and the API.

    `names` gives the name of each person there. Names and keys are an interface: do not change.
    A figure without an interval says why in its "note".
    """
    every = [(figure.name, figure) for group in found.groups for figure in group.figures]
    for role, people in (("generator", found.generators), ("validator", found.validators)):
        for person in people:
            stem = f"{role}.{names[person.person]}"
            every += [
                (f"{stem}.{figure.name.rpartition('.')[2]}", figure) for figure in person.figures
            ]
    return {
        name: {"value": figure.value, "n": figure.n, "low": figure.low, "high": figure.high}
        | ({"note": figure.note} if figure.note else {})
        for name, figure in every
    }


# --- in words ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A figure in words, for the page and the command line.

    interval: where there is none, why.
    """

    label: str
    value: str
    interval: str
    n: int
    bar: int | None = None
    low: int = 0
    high: int = 0

    @property
    def few(self) -> bool:
        """Whether the estimate is from fewer than FEW questions, and so says little."""
        return bool(self.interval) and self.n < FEW

    @property
    def width(self) -> int:
        """Width of the interval on the bar, in per cent."""
        return max(self.high - self.low, 1)


def describe_figure(figure: LabelledFigure) -> FigureLine:
    """Put a figure into words: a share in per cent, an F1 in points of 100, a mean as it is."""
    if figure.unit == "count":
        return FigureLine(figure.label, f"{figure.value or 0:,.0f}", "", figure.n)
    if figure.value is None:
        return FigureLine(figure.label, "none yet", "", 0)
    if figure.unit == "mean":
        return FigureLine(figure.label, f"{figure.value:.2f}", _between(figure, 1, 2), figure.n)
    sign, places = (" %", 0) if figure.unit == "share" else ("", 1)
    value = 100 * figure.value
    low, high = (value if bound is None else 100 * bound for bound in (figure.low, figure.high))
    return FigureLine(
        figure.label,
        f"{value:.{places}f}{sign}",
        _between(figure, 100, places, sign),
        figure.n,
        bar=round(value),
        low=round(low),
        high=round(high),
    )


def _between(figure: LabelledFigure, scale: int, places: int, sign: str = "") -> str:
    if figure.low is None or figure.high is None:
        return figure.note
    return f"{scale * figure.low:.{places}f} to {scale * figure.high:.{places}f}{sign}"


# --- people --------------------------------------------------------------------------------------


def _generators(given: Iterable[SubmittedAnswers]) -> tuple[PersonFigures, ...]:
    """Return the shares of each person, of their kinds and of what is correct, ordered by id."""
    by_person: dict[int, list[SubmittedAnswers]] = {}
    for submission in given:
        by_person.setdefault(submission.person, []).append(submission)
    rows = []
    for person, submissions in sorted(by_person.items()):
        kinds = [submission.kind for submission in submissions]
        judged = [each.correct for each in submissions if each.correct is not None]
        shares = (*_shares_of_kinds(kinds), _share_of_correct(judged))
        rows.append(PersonFigures(person, shares, can_validate=can_validate(kinds, judged)))
    return tuple(rows)


def _validators(given: Iterable[tuple[int, str]]) -> tuple[PersonFigures, ...]:
    """Return the shares of each person, ordered by id, with what is unusual."""
    by_person: dict[int, list[str]] = {}
    for person, kind in given:
        by_person.setdefault(person, []).append(kind)
    return tuple(
        PersonFigures(person, _shares_of_kinds(kinds), list_nudges(kinds))
        for person, kinds in sorted(by_person.items())
    )


def _shares_of_kinds(kinds: Sequence[str]) -> tuple[LabelledFigure, ...]:
    counted = figures.count_kinds((str(n), kind) for n, kind in enumerate(kinds))
    return label_figures(_KIND_LABELS, counted, "kinds")


def _share_of_correct(judged: Sequence[bool]) -> LabelledFigure:
    part, n = sum(judged), len(judged)
    if not n:
        return LabelledFigure("kinds.correct", "Judged correct", "share")
    low, high = intervals.find_share_interval(part, n) or (None, None)
    note = intervals.TOO_FEW if low is None else ""
    return LabelledFigure("kinds.correct", "Judged correct", "share", part / n, n, low, high, note)


# --- what is reported, in its order --------------------------------------------------------------

_KIND_LABELS: Labels = {
    "multiple": ("Several answers", "share"),
    "single": ("One clear answer", "share"),
    "none": ("Not found", "share"),
}
_SECTIONS: Sequence[FigureSection[_Read]] = (
    FigureSection(
        "generators",
        "Annotators against each other",
        "2 annotators on 1 prompt",
        {
            "f1_answer": ("F1-answer of two annotators", "score"),
            "exact": ("All gave the same answers", "share"),
        },
        lambda read: figures.compare_annotators(read.facts),
    ),
    FigureSection(
        "validation",
        "What validation did",
        "1 question with a validation policy that is decided",
        {
            "passed": ("All annotations passed", "share"),
            "automatic": ("Passed: all answers match", "share"),
            "accepted": ("Passed: accepted as written", "share"),
            "changed": ("Changed", "share"),
            "edited": ("Changed by an edit", "share"),
            "excluded": ("Changed by an exclusion alone", "share"),
        },
        lambda read: figures.score_outcomes(read.facts),
    ),
    FigureSection(
        "changes",
        "Of the questions that were changed",
        "1 question that a validator changed",
        {
            "edited": ("An edit", "share"),
            "excluded": ("An exclusion alone", "share"),
            "missed": ("An annotator missed a pair", "share"),
            "invalid": ("An annotator included an invalid pair", "share"),
            "both": ("A missed pair and an invalid one", "share"),
            "neither": ("Neither: wording, or the question itself", "share"),
        },
        lambda read: figures.score_changes(read.facts),
    ),
    FigureSection(
        "responses",
        "What annotators submitted",
        "1 submission",
        _KIND_LABELS,
        lambda read: figures.count_kinds(
            (row.question, submission.kind) for row in read.facts for submission in row.given
        ),
    ),
    FigureSection(
        "accepted",
        "What validators accepted",
        "1 validated question",
        _KIND_LABELS,
        lambda read: figures.count_kinds(
            (validation.question, validation.kind) for validation in read.judged
        ),
    ),
    FigureSection(
        "annotations",
        "Annotations",
        "1 submission",
        {"annotations": ("Annotations for each question", "mean")},
        lambda read: figures.count_annotations(read.facts),
    ),
    FigureSection(
        "questions",
        "Accepted questions",
        "1 accepted question",
        {
            "accepted_sets": ("Accepted sets for each question", "mean"),
            "pairs": ("Pairs for each question, in its smallest set", "mean"),
            "pairs_1": ("1 pair", "share"),
            "pairs_2": ("2 pairs", "share"),
            "pairs_3": ("3 pairs", "share"),
            "pairs_4_or_more": ("4 or more pairs", "share"),
        },
        lambda read: figures.count_accepted_pairs(read.facts),
    ),
    FigureSection(
        "audit",
        "Experts against what is accepted",
        "1 question of an audit sample that an expert answered",
        {
            "f1_answer": ("F1-answer, expert against accepted", "score"),
            "precision_answer": ("Precision of the experts’ answers", "score"),
            "recall_answer": ("Recall of the accepted answers", "score"),
        },
        lambda read: figures.score_audit(read.facts),
    ),
)


def label_figures(
    labels: Labels, evaluation: Evaluation | None, key: str
) -> tuple[LabelledFigure, ...]:
    """Return the figures of an evaluation that have labels, in the order of the labels."""
    if evaluation is None:
        return tuple(
            LabelledFigure(f"{key}.{name}", label, unit) for name, (label, unit) in labels.items()
        )
    units = {name: unit for name, (_, unit) in labels.items()}
    made = recall(
        "intervals and notes",
        evaluation.encode() + repr(units).encode(),
        lambda: _compute_figures(evaluation, units),
    )
    return tuple(
        LabelledFigure(f"{key}.{name}", label, unit, *figure)
        for (name, (label, unit)), figure in zip(labels.items(), made, strict=True)
    )


def _compute_figures(evaluation: Evaluation, units: Mapping[str, Unit]) -> list[Computed]:
    """Return each figure that has a unit, in that order."""
    named = {figure.name: figure for figure in evaluation.figures}
    labelled = [named[name]._replace(scale=SCALES[unit]) for name, unit in units.items()]
    scores = evaluation.with_figures(labelled).scores(resamples=RESAMPLES, seed=SEED)
    return [_describe_score(scores[name]) for name in units]


def _describe_score(score: Score) -> Computed:
    low, high = (score.interval.low, score.interval.high) if score.interval else (None, None)
    return score.value, score.n, low, high, score.note
