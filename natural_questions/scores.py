"""Answers on pages scored by the accepted annotations, as Natural Questions' scorer does (N24)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from annotation.core.consistent_view import snapshot
from annotation.models import Project, Question
from evaluation.scores.registry import MeasuredColumns, ReferenceLine, Scoring
from evaluation.scores.values import Details, Kind, Kinds
from evaluation.systems.models import Output
from metrics import nq
from metrics.nq import NqAnnotation, NqSpan, YesNo
from metrics.score import ratio_or_zero
from natural_questions import answer_types
from natural_questions.annotation import PageAnnotation, PageSpan
from natural_questions.answer_lines import list_lines_of_questions
from natural_questions.answers import ReleasedQuestion, read_question_chunks
from natural_questions.figures import Answer, list_boxes

_YES_NO: Mapping[str, YesNo] = {"YES": "yes", "NO": "no", "NONE": "none"}
_ANSWERS: Mapping[Answer, str] = {"long": "Long", "short": "Short"}
_ALL = "_all"  # in names of the scorer: whatever the score of an answer


_ALL_PART = "Every answer, whatever its score"


def _list_kinds(group: str, label: str, of: str) -> Kinds:
    given, gold, right = (f"{group}_{name}" for name in ("prediction", "gold", "correct"))
    part = _ALL_PART if of else ""
    return {
        f"{group}.f1": Kind(
            *(f"{label} F1{of}", (right, given, gold), nq.micro_f1),
            weights=(given, gold),
            part=part,
        ),
        f"{group}.precision": Kind(
            f"{label} precision{of}", (right, given), ratio_or_zero, part=part
        ),
        f"{group}.recall": Kind(f"{label} recall{of}", (right, gold), ratio_or_zero, part=part),
        f"{group}.accuracy": Kind(
            f"{label} accuracy{of}", (f"{group}_accurate",), part=part or "Accuracy"
        ),
    }


_OF_ALL: Kinds = {
    **{
        name: kind
        for group, label in _ANSWERS.items()
        for name, kind in {
            **_list_kinds(group, label, ""),
            f"{group}.threshold": Kind(
                f"{label} threshold", (f"{group}_threshold",), scale=None, fixed=True
            ),
        }.items()
    },
    **{
        name: kind
        for group, label in _ANSWERS.items()
        for name, kind in _list_kinds(group + _ALL, label, ", all").items()
    },
}


KINDS: Kinds = {**_OF_ALL, **answer_types.list_kinds(_OF_ALL, tuple(_ANSWERS))}


def read_gold_annotations(
    project: Project, split: str
) -> Iterator[tuple[ReleasedQuestion, list[NqAnnotation]]]:
    """Give the accepted annotations of each question of a split, as the scorer has them.

    All of them are read before the first is given. No page is read; two statements a chunk.
    """
    with snapshot(), closing(read_question_chunks(project, split)) as chunks:
        rows = [row for some in chunks for row in some if not row.left_out]
    for row in rows:
        yield row, [to_nq_annotation(annotation) for annotation in row.annotations]


class AnnotationScorer:
    """The accepted annotations of a split. A SplitScorer.

    A question that a system has not answered counts as one with no answer, as in the scorer.
    """

    def __init__(self, project: Project, split: str, questions: Mapping[int, Question]) -> None:
        self.questions = questions
        self.golds: dict[str, list[NqAnnotation]] = {}
        self.types: dict[str, frozenset[str]] = {}
        for row, annotations in read_gold_annotations(project, split):
            if row.pk in questions:
                self.golds[row.external_id] = annotations
                boxes = list_boxes(row.annotations, row.kinds)
                self.types[row.external_id] = answer_types.find_types(annotations, boxes)

    @property
    def facts(self) -> Any:
        """The annotations, and what they make of each question."""
        return [list(self.golds.items()), [sorted(types) for types in self.types.values()]]

    def read_more(self, outputs: Sequence[Output]) -> Any:
        """Return None: nothing but an answer is scored."""
        return None

    def measure_outputs(self, outputs: Sequence[Output], more: Any) -> MeasuredColumns:
        """Measure the places that a system gave; nothing where it gave none."""
        predictions = read_predictions(outputs, self.questions)
        if not predictions or not self.golds:
            return MeasuredColumns({}, {})
        evaluation = nq.score_predictions(self.golds, predictions)
        columns: dict[str, dict[str, float]] = {}
        options: dict[str, Mapping[str, str]] = {}
        for name, values in evaluation.columns.items():
            group, _, measure = name.rpartition("_")
            # The figures are percentages: what is above the line counts a hundred.
            weight = 100 if measure in ("correct", "accurate") else 1
            columns[name] = dict(
                zip(evaluation.ids, (weight * value for value in values), strict=True)
            )
            options[name] = {
                "questions": "all",
                "beta": evaluation.options["beta"],
                "threshold": "none" if group.endswith(_ALL) else "best-f1",
            }
        for answer, scores in _list_answer_scores(predictions.values()).items():
            if any(score is not None for score in scores):
                name, value = f"{answer}_threshold", evaluation.extras[f"{answer}.threshold"]
                columns[name] = dict.fromkeys(evaluation.ids, value or 0.0)
                options[name] = options[f"{answer}_correct"]
        for name, marked in answer_types.mark_types(self._types_beside(columns)).items():
            columns[name] = marked
            options[name] = {"questions": name.removeprefix("among_").replace("_", "-")}
        return MeasuredColumns(columns, options)

    def _types_beside(
        self, columns: Mapping[str, Mapping[str, float]]
    ) -> dict[str, frozenset[str]]:
        """Return the types of each question, with those that depend on what a system answered."""
        right = columns["long_correct"]
        given = frozenset({answer_types.GIVEN_LONG})
        short = answer_types.name_answered("short")
        return {
            name: types | given if right[name] and short in types else types
            for name, types in self.types.items()
        }


def read_predictions(
    outputs: Sequence[Output], questions: Mapping[int, Question]
) -> dict[str, nq.Prediction]:
    """Return the answers that are places on pages, by external id of the question."""
    found = {
        questions[row.question_id].external_id: Details.from_stored(row.details).spans
        for row in outputs
        if row.details
    }
    return {name: spans for name, spans in found.items() if spans is not None}


def list_reference_lines(questions: Sequence[Question]) -> Mapping[int, list[ReferenceLine]]:
    """Return what people answered to accepted questions, with how many of them did. Two queries,
    and one for each page.
    """
    accepted = [row for row in questions if row.state == Question.State.ACCEPTED]
    return {
        pk: [ReferenceLine(row.text or "–", f"{row.label} {row.said}") for row in lines]
        for pk, lines in list_lines_of_questions(accepted).items()
    }


SCORING = Scoring(
    kinds=KINDS,
    ranked_by=("long.f1", "short.f1"),
    open_split=AnnotationScorer,
    list_references=list_reference_lines,
    definition=(
        "Each figure is over all questions with accepted annotations, with its 95 % interval; one "
        "that a system did not answer counts as no answer. An answer counts where its score is at "
        "least the threshold with the best F1 on this split, and in figures with “all” whatever "
        "its score."
    ),
)


def to_nq_span(span: PageSpan) -> NqSpan:
    """Return a span of this project as one of the scorer."""
    return NqSpan(span.start_byte, span.end_byte, span.start_token, span.end_token)


def to_nq_annotation(annotation: PageAnnotation) -> NqAnnotation:
    """Return an annotation of this project as one of the scorer."""
    return NqAnnotation(
        to_nq_span(annotation.long) if annotation.long else None,
        tuple(map(to_nq_span, annotation.short)),
        _YES_NO[annotation.yes_no],
    )


def _list_answer_scores(
    predictions: Iterable[nq.Prediction],
) -> dict[str, list[float | None]]:
    every = list(predictions)
    return {
        "long": [row.long_score for row in every],
        "short": [row.short_score for row in every],
    }
