"""How good the answers of systems are by automatic metrics, against what the project accepts.

Each figure is over the questions that have what it needs, so its n can differ. STR-EM and ROUGE-L
are ASQA's, F1-answer AmbigQA's; ARecall is that of the passages that a baseline found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count

from annotation.long_answers.inputs import inputs_of
from annotation.models import Project, Question
from annotation.services.exports.rows import snapshot
from evaluation.automatic import answered, scored
from evaluation.models import Output, System
from metrics import ambigqa, retrieval
from metrics.score import Evaluation, Figure, Score
from validation import accepted
from validation.comparing import AnswerSet

MOST_PASSAGES = 10
DEPTHS = (1, 5, 10)
RESAMPLES = 1000
# The labels of figures, in the order in which they are shown.
FIGURES: Mapping[str, str] = {
    "f1_answer": "F1-answer",
    "f1_edit": "F1-EDIT",
    "str_em": "STR-EM",
    "rouge_l": "ROUGE-L",
    "length": "Length",
    **{f"arecall.{depth}": f"ARecall@{depth}" for depth in DEPTHS},
}


@dataclass(frozen=True, slots=True)
class Details:
    """What a baseline gave besides its text: short answers, pairs of question and answer, and the
    texts of the first passages.
    """

    answers: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    passages: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return what is stored: only what there is."""
        return {name: list(value) for name, value in asdict(self).items() if value}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Details":
        """Read what is stored."""
        return cls(
            tuple(data.get("answers", ())),
            tuple((question, answer) for question, answer in data.get("pairs", ())),
            tuple(data.get("passages", ())),
        )


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


def scores(project: Project, split: str, systems: Sequence[System]) -> list[SystemScores]:
    """Return the figures of these systems on a split, each with its 95 % interval.

    All are percentages but the length, which is in words.
    """
    rows = Question.objects.filter(project=project, split=split)
    questions = rows.exclude(state=Question.State.EXCLUDED).in_bulk()
    golds = dict(_golds(project, split, questions))
    return [_of(system, questions, golds) for system in systems]


def _of(
    system: System, questions: Mapping[int, Question], golds: Mapping[str, ambigqa.Reference]
) -> SystemScores:
    outputs = Output.objects.filter(system=system, question__in=questions)
    texts = scored(answered(questions, outputs.select_related("system").defer("details")))
    evaluations = [
        _column(name, by_question)
        for name, systems in texts.items()
        for by_question in systems.values()
    ]
    details = {
        questions[question].external_id: Details.of(data)
        for question, data in outputs.values_list("question", "details")
        if data
    }
    evaluations += [*_answers(details, golds), *_passages(details, golds)]
    figures = {
        name.removesuffix(".all"): score
        for evaluation in evaluations
        for name, score in evaluation.scores(resamples=RESAMPLES).items()
    }
    return SystemScores(
        system,
        outputs.count(),
        len(questions),
        {name: figures[name] for name in FIGURES if name in figures},
    )


def _column(name: str, values: Mapping[str, float]) -> Evaluation:
    """Return the mean of one value for each question as an evaluation."""
    return Evaluation("outputs", list(values), {name: list(values.values())}, [_mean(name)])


def _mean(name: str) -> Figure:
    return Figure(name, (name,))


def _percent(evaluation: Evaluation) -> Evaluation:
    """Return the figures that are shown, in percent."""
    figures = [row for row in evaluation.figures if row.name.removesuffix(".all") in FIGURES]
    columns = dict(evaluation.columns)
    for name in {name for row in figures for name in row.columns}:
        columns[name] = [100 * value for value in columns[name]]
    return Evaluation(evaluation.task, evaluation.ids, columns, figures, evaluation.options)


def _answers(
    details: Mapping[str, Details], golds: Mapping[str, ambigqa.Reference]
) -> Iterator[Evaluation]:
    """Give the scores of short answers, and of pairs, where the system gave any."""
    references = [golds[name] for name in details if name in golds]
    pairs = any(row.pairs for row in details.values())
    if not references or not (pairs or any(row.answers for row in details.values())):
        return
    predictions: dict[str, ambigqa.Prediction] = {
        row.id: _predicted(details[row.id], row.question if pairs else "") for row in references
    }
    evaluation = ambigqa.evaluate(references, predictions)
    yield _percent(evaluation)


def _predicted(details: Details, prompt: str) -> ambigqa.Prediction:
    """Return what was predicted: pairs if there is a prompt, which is the question of an answer
    that came without one; else answers. Of a pair, only one form of its answer counts.
    """
    if not prompt:
        return details.answers
    pairs = details.pairs or [(prompt, answer) for answer in details.answers]
    return [ambigqa.Pair(question, answer) for question, answer in pairs]


def _passages(
    details: Mapping[str, Details], golds: Mapping[str, ambigqa.Reference]
) -> Iterator[Evaluation]:
    """Give the recall of the passages, where the system found any."""
    if not any(row.passages for row in details.values()):
        return
    references = {
        name: retrieval.Reference(answers=_distinct(golds[name]))
        for name in details
        if name in golds
    }
    if not references:
        return
    found = {
        name: [retrieval.Passage("", text) for text in details[name].passages]
        for name in references
    }
    evaluation = retrieval.evaluate(references, found, depths=DEPTHS)
    yield _percent(evaluation)


def _distinct(reference: ambigqa.Reference) -> tuple[tuple[str, ...], ...]:
    """Return the gold answers of all annotations, each with its forms, once."""
    return tuple(dict.fromkeys(forms for row in reference.annotations for forms in row.gold))


# --- what is right ----------------------------------------------------------------------------


def _golds(
    project: Project, split: str, questions: Mapping[int, Question]
) -> Iterator[tuple[str, ambigqa.Reference]]:
    """Give what short answers are compared with: the disambiguations that came with a question,
    else what is accepted for it.
    """
    without = set()
    for question in questions.values():
        given = inputs_of(question.prompt, question.context or {}, {}).disambiguations
        golds = [ambigqa.GoldPair(row.question, row.answers) for row in given if row.answers]
        if golds:
            yield _reference(question, [_annotation(golds)])
        else:
            without.add(question.pk)
    if without:
        for pk, sets in _accepted(project, split):
            annotations = [_of_set(row) for row in sets if row.pairs]
            if pk in without and annotations:
                yield _reference(questions[pk], annotations)


def _accepted(project: Project, split: str) -> Iterable[tuple[int, tuple[AnswerSet, ...]]]:
    found = {}
    with snapshot(), closing(accepted.standing(project, split)) as chunks:
        for rows in chunks:
            found.update({row.pk: row.sets for row in rows if not row.left_out})
    return found.items()


def _reference(
    question: Question, annotations: Sequence[ambigqa.Annotation]
) -> tuple[str, ambigqa.Reference]:
    name = question.external_id
    return name, ambigqa.Reference(name, question.prompt, tuple(annotations))


def _of_set(row: AnswerSet) -> ambigqa.Annotation:
    golds = [ambigqa.GoldPair("|".join(pair.questions), pair.forms) for pair in row.pairs]
    return _annotation(golds)


def _annotation(golds: Sequence[ambigqa.GoldPair]) -> ambigqa.Annotation:
    """Return several pairs as such, and one as a single answer."""
    if len(golds) > 1:
        return ambigqa.Annotation(pairs=tuple(golds))
    return ambigqa.Annotation(answer=golds[0].answers)
