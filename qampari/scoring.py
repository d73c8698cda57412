"""Lists of answers scored as QAMPARI does (Q27, Q28), with the figures of tables 3, 4, 7 and 9."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Project, Question
from evaluation.scores.registry import MeasuredColumns, ReferenceLine, Scoring
from evaluation.scores.values import Details, Kind, Kinds
from evaluation.systems.models import Output
from metrics.retrieval import TitledPassage
from metrics.score import Evaluation
from qampari.figures import GoldQuestion
from qampari.gold_answers import read_accepted_lists
from qampari.records import KINDS, OTHER, kind_of
from qampari.score_panels import (
    RECALLS,
    SCORES,
    evaluate_answers,
    evaluate_passages,
    join_titles,
    list_answers,
)

_OF_KINDS = {f"f1.{kind}": f"F1, {label.lower()}" for kind, label in KINDS.items() if kind != OTHER}
FIGURES: Kinds = {
    name: Kind(label, (name,), part=part)
    for part, labels in (
        ("", SCORES),
        ("By kind of question", _OF_KINDS),
        ("Passages found", RECALLS),
    )
    for name, label in labels.items()
}


class ListScorer:
    """The accepted answers to the questions of a split. A SplitScorer."""

    def __init__(self, project: Project, split: str, questions: Mapping[int, Question]) -> None:
        self.questions = questions
        lists = read_accepted_lists([questions[pk] for pk in sorted(questions)])
        self.golds = [row.as_gold() for row in lists if row.answers]

    @property
    def facts(self) -> Any:
        """The accepted answers, with their forms and their evidence."""
        return [(row.id, row.answers, row.evidence) for row in self.golds]

    def read_more(self, outputs: Sequence[Output]) -> None:
        """Return nothing: an output is all there is to score."""

    def measure_outputs(self, outputs: Sequence[Output], more: Any) -> MeasuredColumns:
        """Measure the answers over every question that has accepted ones, and the passages over
        those for which there are any.
        """
        measured = MeasuredColumns({}, {})
        answers: dict[str, Sequence[str]] = {}
        passages: dict[str, Sequence[TitledPassage]] = {}
        for row in outputs:
            name, details = (
                self.questions[row.question_id].external_id,
                Details.from_stored(row.details),
            )
            if given := list_answers(row.text, details.answers):
                answers[name] = given
            passages[name] = join_titles(details.passages, details.titles)
        if answers and self.golds:
            _add_answers(measured, evaluate_answers(self.golds, answers), self.golds)
        if found := evaluate_passages(self.golds, passages):
            _add(measured, found, RECALLS)
        return measured


def _add_answers(
    measured: MeasuredColumns, evaluation: Evaluation, golds: Sequence[GoldQuestion]
) -> None:
    """Add the scores of answers. A question without an answer counts, for every system alike."""
    _add(measured, evaluation, SCORES)
    counted = {"questions": "accepted", "missing": "zero"}
    for name in SCORES:
        measured.options[name] = {**measured.options[name], **counted}
    kinds = {row.id: kind_of(row.id) for row in golds}
    for name in _OF_KINDS:
        of_kind = {
            key: value
            for key, value in measured.columns["f1"].items()
            if f"f1.{kinds[key]}" == name
        }
        if of_kind:
            measured.columns[name], measured.options[name] = of_kind, measured.options["f1"]


def _add(measured: MeasuredColumns, evaluation: Evaluation, names: Mapping[str, str]) -> None:
    """Add the columns of figures, in percent, over the questions that count for each."""
    for figure in evaluation.figures:
        if figure.name in names:
            places, values = evaluation.members(figure), evaluation.columns[figure.columns[0]]
            measured.columns[figure.name] = {
                evaluation.ids[place]: 100 * values[place] for place in places
            }
            measured.options[figure.name] = {**evaluation.options, **dict(figure.options)}


def list_reference_lines(questions: Sequence[Question]) -> Mapping[int, list[ReferenceLine]]:
    """Return the accepted answers of questions by their ids. Two queries."""
    return {
        row.question.pk: [ReferenceLine(answer.text) for answer in row.answers]
        for row in read_accepted_lists(questions)
    }


SCORING = Scoring(
    kinds=FIGURES,
    ranked_by=("f1", "arecall.10"),
    open_split=ListScorer,
    list_references=list_reference_lines,
    definition=(
        "The scores of answers are over the questions that have accepted answers; one without an "
        "answer of the system counts as 0. Those of passages are over the questions for which the "
        "system found some, to the K that it found. Each has its 95 % interval."
    ),
)
