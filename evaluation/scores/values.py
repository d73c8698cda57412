"""How good the answers of systems are by automatic metrics, as values.

Each figure is over the questions that have what it needs, so its n can differ. What one system's
answers measure is a value (`SystemMeasures`): figures, intervals and the comparison of two systems
are made from it, and it can be stored (`evaluation.scores.measuring`). Which figures there are, a
project's protocol says (`evaluation.scores.registry`).
"""

import hashlib
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from annotation.models import Project
from evaluation.systems.models import Output, System
from metrics import nq
from metrics.nq import NqSpan
from metrics.score import PERCENT, Evaluation, Figure, Numbers, Scale, Score, mean_of

MOST_PASSAGES = 200  # of an answer; papers give recall up to there
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure: its label, the columns it is made from, how, and between which numbers it lies.

    scale: None for a mean that is no share, such as a length, which makes no system better; fixed:
    whether it is one number for all questions, such as a threshold, which has no interval; part:
    the heading under which the leaderboard has it behind a press, "" where it is in sight; among:
    over which questions it is, in words, where these are a kind of them: then it is in a table by
    kinds, and not on the leaderboard; within: the figure that is the same over more questions; a
    single question has that one.
    """

    label: str
    columns: tuple[str, ...]
    combine: Callable[..., Numbers] = mean_of
    scale: Scale | None = PERCENT
    weights: tuple[str, ...] = ()
    fixed: bool = False
    part: str = ""
    among: str = ""
    within: str = ""


Kinds = Mapping[str, Kind]
LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Details:
    """What a baseline gave besides its text: short answers, pairs of question and answer, the texts
    of the first passages and the titles of their pages, and where on the question's own page it
    answers. Outputs stored by earlier versions have no titles.

    knowledge_of: which long answer's pieces of evidence an oracle was given (`identify_text`), ""
    for none; it is not scored against that one (S41).
    """

    answers: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    passages: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    spans: nq.Prediction | None = None
    knowledge_of: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what is stored: only what there is."""
        lists = {
            name: [list(row) if isinstance(row, tuple) else row for row in value]
            for name in ("answers", "pairs", "passages", "titles")
            if (value := getattr(self, name))
        }
        spans = {"spans": _encode_spans(self.spans)} if self.spans else {}
        return lists | spans | ({"knowledge_of": self.knowledge_of} if self.knowledge_of else {})

    @classmethod
    def from_stored(cls, data: Mapping[str, Any]) -> "Details":
        """Read what is stored."""
        return cls(
            tuple(data.get("answers", ())),
            tuple((question, answer) for question, answer in data.get("pairs", ())),
            tuple(data.get("passages", ())),
            tuple(data.get("titles", ())),
            _decode_spans(data["spans"]) if "spans" in data else None,
            data.get("knowledge_of", ""),
        )


def identify_text(text: str) -> str:
    """Return what stands for a text, so that what was read need not be stored again."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _encode_spans(spans: nq.Prediction) -> dict[str, Any]:
    """Return an answer on a page as JSON; a span is a list of its two bytes and its two tokens."""
    long, short = spans.long and list(spans.long), [list(span) for span in spans.short]
    return {**spans._asdict(), "long": long, "short": short}


def _decode_spans(data: Mapping[str, Any]) -> nq.Prediction:
    """Return an answer on a page from what `_encode_spans` gave."""
    long = NqSpan(*data["long"]) if data["long"] else None
    short = tuple(NqSpan(*span) for span in data["short"])
    return nq.Prediction(**{**data, "long": long, "short": short})


@dataclass(frozen=True)
class SystemMeasures:
    """What the answers of a system measure on a split.

    columns: for each measure its value by external id of the question; options: how each was made,
    for signatures; answers: to how many of the questions of the split.
    """

    answers: int
    questions: int
    columns: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def evaluate_figure(
        self, name: str, kind: Kind, among: Container[str] | None = None
    ) -> Evaluation | None:
        """Return a figure's values over the questions that have them; None where none has."""
        columns = [self.columns.get(column, {}) for column in kind.columns]
        ids = sorted(
            question
            for question in columns[0]
            if all(question in column for column in columns)
            and (among is None or question in among)
        )
        if not ids:
            return None
        options: dict[str, str] = {"questions": "answered"}
        for column in kind.columns:
            options |= self.options.get(column, {})
        values = {
            column: [by_question[question] for question in ids]
            for column, by_question in zip(kind.columns, columns, strict=True)
        }
        figure = Figure(name, kind.columns, kind.combine, scale=kind.scale, weights=kind.weights)
        return Evaluation("outputs", ids, values, [figure], options)

    def score_figures(self, kinds: Kinds) -> dict[str, Score]:
        """Return the figures there are, each with its 95 % interval and signature."""
        return {
            name: evaluation.scores(resamples=0 if kind.fixed else RESAMPLES)[name]
            for name, kind in kinds.items()
            if (evaluation := self.evaluate_figure(name, kind))
        }


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The figures of a system by name. answers: to how many of the questions of a split."""

    system: System
    answers: int
    questions: int
    figures: Mapping[str, Score]


def answers_by_split(project: Project) -> dict[str, int]:
    """Return how many answers systems have in each split where they have any. One query."""
    rows = Output.objects.filter(system__project=project).order_by("question__split")
    return dict(rows.values_list("question__split").annotate(n=Count("pk")))


def compare_systems(first: SystemMeasures, second: SystemMeasures, name: str, kind: Kind) -> Any:
    """Compare two systems on a figure, over the questions that both have it for.

    Returns a `metrics.resampling.Comparison`; None where there is no such question, or where the
    figure was made in another way for one than for the other.
    """
    from metrics import resampling  # numpy, only where figures are computed

    one = first.evaluate_figure(name, kind)
    other = second.evaluate_figure(name, kind, set(one.ids)) if one else None
    if one is None or other is None or one.options != other.options:
        return None
    one = first.evaluate_figure(name, kind, set(other.ids))
    assert one is not None  # the questions of the other are among its own
    return resampling.compare_systems(one, other, resamples=RESAMPLES)[name]
