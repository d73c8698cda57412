"""By what they are answered, questions are told apart in the scores of systems (N24).

A question has an answer where at least `nq.BETA` annotators gave one, as in the scorer. What kind
of answer it is, most of those who gave one say.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.scores.values import Kind, Kinds
from metrics import nq
from metrics.nq import NOTHING, NqAnnotation
from metrics.score import Numbers
from natural_questions.figures import Answer

MEASURES = nq.MEASURES
# It alone says something of questions without a right answer.
CORRECT = MEASURES[-1]


class AnswerType(NamedTuple):
    """Some of the questions: in words, and which answers can be right there."""

    label: str
    answers: frozenset[Answer]


_BOTH: frozenset[Answer] = frozenset({"long", "short"})
_LONG: frozenset[Answer] = frozenset({"long"})
ANSWERED, GIVEN_LONG = "answered", "given_long"
TYPES: Mapping[str, AnswerType] = {
    ANSWERED: AnswerType("with an answer", _BOTH),
    GIVEN_LONG: AnswerType("with the right long answer", frozenset({"short"})),
    "none": AnswerType("no answer", frozenset()),
    "long_only": AnswerType("a long answer alone", _LONG),
    "spans": AnswerType("a short answer", _BOTH),
    "yes_no": AnswerType("yes or no", _BOTH),
    "paragraph": AnswerType("in a paragraph", _BOTH),
    "table": AnswerType("in a table", _BOTH),
    "list": AnswerType("in a list", _BOTH),
}
_BOXES = {"p": "paragraph", "t": "table", "r": "table", "l": "list", "i": "list"}


def find_types(annotations: Sequence[NqAnnotation], boxes: str) -> frozenset[str]:
    """Return the types of a question, keys of TYPES: what its answer is, and in what box.

    boxes: the kind of the box of each long answer, letters of `natural_questions.figures.KINDS`.
    """
    gold = {
        "long": nq.judge_long(annotations, NOTHING, nq.BETA).gold,
        "short": nq.judge_short(annotations, NOTHING, nq.BETA).gold,
    }
    if gold["short"]:
        said = Counter(each.yes_no != "none" for each in annotations if _has_short(each))
        found = {"yes_no" if said[True] > said[False] else "spans"}
    else:
        found = {"long_only" if gold["long"] else "none"}
    if gold["long"] and boxes:
        kinds = Counter(_BOXES.get(letter, "") for letter in boxes)
        found.add(min(kinds, key=lambda kind: (-kinds[kind], kind)))
    found |= {name_answered(answer) for answer, is_gold in gold.items() if is_gold}
    return frozenset(found - {""})


def _has_short(annotation: NqAnnotation) -> bool:
    return bool(annotation.short) or annotation.yes_no != "none"


def name_answered(answer: str) -> str:
    """Return the type of the questions that have an answer, a long or a short one."""
    return f"{ANSWERED}_{answer}"


def mark_types(types: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Return a column for each type: 1 for the questions that are of it, by their names."""
    columns: dict[str, dict[str, float]] = {}
    for question, found in types.items():
        for name in found:
            columns.setdefault(name_column(name), {})[question] = 1.0
    return columns


def name_column(name: str) -> str:
    """Return the name of the column of a type."""
    return f"among_{name}"


def name_figure(answer: str, name: str, measure: str) -> str:
    """Return the name of a figure over the questions of a type."""
    return f"{answer}_{name}.{measure}"


def list_kinds(kinds: Kinds, answers: Sequence[Answer]) -> Kinds:
    """Return the figures of each type, made from those over all questions: “long.f1” and so on."""
    return {
        name_figure(answer, name, measure): _restrict(kinds[f"{answer}.{measure}"], column, label)
        for name, (label, right) in TYPES.items()
        for answer in answers
        if answer in right or name in ("none", "long_only")
        for column in [name_column(name_answered(answer) if name == ANSWERED else name)]
        for measure in MEASURES
        if answer in right or measure == CORRECT
    }


def _restrict(kind: Kind, column: str, label: str) -> Kind:
    return replace(
        kind,
        label=f"{kind.label}, {label}",
        columns=(*kind.columns, column),
        combine=_without_last(kind.combine),
        among=label,
        part="",
    )


def _without_last(combine: Callable[..., Numbers]) -> Callable[..., Numbers]:
    """Return what makes a figure and passes the column over that says which questions count."""
    return lambda *columns: combine(*columns[:-1])
