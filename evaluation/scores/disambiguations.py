"""Answers scored by the disambiguations of a question, as AmbigQA and ASQA do.

STR-EM, ROUGE-L, Disambig-F1 and DR are ASQA's. F1-answer, precision, recall, lengths, F1-BLEU and
F1-EDIT are AmbigQA's, as its official script gives them (A81, A82, A83, A84, A86, A95): those of
answers over all questions and over “multi”, which no accepted annotation holds to have a single
answer; those of questions over “multi” alone. ARecall is that of the passages that were found.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.models import Project, Question
from evaluation.scores.automatic import attach_references, references_of, score_answers
from evaluation.scores.reading import answers_by_output
from evaluation.scores.reference_lines import list_reference_lines
from evaluation.scores.references import pairs_of, read_gold_references
from evaluation.scores.registry import MeasuredColumns, Scoring
from evaluation.scores.values import LENGTH, Details, Kind, Kinds
from evaluation.systems.models import Output
from metrics import ambigqa, asqa, retrieval, sentences
from metrics.score import Evaluation, Numbers

DEPTHS = (1, 5, 10)


def geometric_mean(first: Numbers, second: Numbers) -> Numbers:
    """Return DR of Disambig-F1 and ROUGE-L, for floats and for arrays alike."""
    return (first * second) ** 0.5


_BLEU, _SHARES, _SIZES = "F1-BLEU", "Precision and recall", "Lengths of answers"
_SETS = {"": "all", ".multi": "multi"}
_LENGTHS = {
    "answers": "Answers",
    "gold_answers": "Accepted answers",
    "answer_words": "Words",
    "gold_answer_words": "Accepted words",
}


def _over_both(labels: Mapping[str, str], **fields: Any) -> Kinds:
    """Return these figures over all questions, and then over “multi”."""
    return {
        f"{name}{over}": Kind(
            f"{label} ({words})", (f"{name}{over}",), within=name if over else "", **fields
        )
        for over, words in _SETS.items()
        for name, label in labels.items()
    }


KINDS: Kinds = {
    **_over_both({"f1_answer": "F1-answer"}),
    "f1_edit": Kind("F1-EDIT (multi)", ("f1_edit",)),
    **{
        f"f1_bleu{n}": Kind(f"F1-BLEU-{n} (multi)", (f"f1_bleu{n}",), part=_BLEU)
        for n in (4, 3, 2, 1)
    },
    **_over_both({"precision_answer": "Precision", "recall_answer": "Recall"}, part=_SHARES),
    **_over_both(_LENGTHS, part=_SIZES, scale=None),
    "str_em": Kind("STR-EM", ("str_em",)),
    "qa_f1": Kind("Disambig-F1", ("qa_f1",)),
    "rouge_l": Kind("ROUGE-L", ("rouge_l",)),
    "dr": Kind("DR", ("qa_f1", "rouge_l"), geometric_mean),
    LENGTH: Kind("Length", (LENGTH,), scale=None),
    **{f"arecall.{depth}": Kind(f"ARecall@{depth}", (f"arecall.{depth}",)) for depth in DEPTHS},
}


class DisambiguationScorer:
    """The disambiguations and the long answers to a split. A SplitScorer."""

    def __init__(self, project: Project, split: str, questions: Mapping[int, Question]) -> None:
        self.questions = questions
        self.golds = dict(read_gold_references(project, split, questions))
        self.references = references_of(questions)
        self.splitter = sentences.choose_splitter()

    @property
    def facts(self) -> Any:
        """What is right, the long answers, and what cuts them into sentences."""
        return [sorted(self.golds.items()), sorted(self.references.items()), self.splitter.name]

    def read_more(self, outputs: Sequence[Output]) -> Any:
        """Return the reader that has read these outputs, and what it answered. One query."""
        reader, by_output = answers_by_output(outputs, self.questions)
        read = {row.question_id: by_output[row.pk] for row in outputs if row.pk in by_output}
        return [reader, sorted(read.items())]

    def measure_outputs(self, outputs: Sequence[Output], more: Any) -> MeasuredColumns:
        """Measure texts, short answers, pairs, passages, and what a reader answered."""
        reader, read = more
        knowledge = {row.pk: Details.from_stored(row.details).knowledge_of for row in outputs}
        columns = {
            name: next(iter(systems.values()))
            for name, systems in score_answers(
                attach_references(self.questions, outputs, self.references, knowledge)
            ).items()
        }
        measured = MeasuredColumns(columns, {"rouge_l": {"sentences": self.splitter.name}})
        details = {
            self.questions[row.question_id].external_id: Details.from_stored(row.details)
            for row in outputs
            if row.details
        }
        for evaluation in (*_answers(details, self.golds), *_passages(details, self.golds)):
            _add(evaluation, measured)
        if found := self._read(dict(read)):
            measured.columns["qa_f1"], measured.options["qa_f1"] = found, {"reader": reader}
        return measured

    def _read(self, read: Mapping[int, Sequence[str]]) -> dict[str, float]:
        """Return Disambig-F1 of each question whose answer a reader has read."""
        found = {}
        for pk, answers in read.items():
            question = self.questions[pk]
            pairs = list(pairs_of(question).values())
            found[question.external_id] = asqa.disambig_f1(pairs, answers)
        return found


SCORING = Scoring(
    kinds=KINDS,
    ranked_by=("dr", "f1_answer", "str_em", "rouge_l", LENGTH),
    open_split=DisambiguationScorer,
    readers=True,
    list_references=list_reference_lines,
)
# From the figures of the metrics to those of a system. Of questions, the official script has only
# those of “multi”.
_COLUMNS = {
    **{
        f"{name}.{words}": f"{name}{over}"
        for name in ("f1_answer", "precision_answer", "recall_answer", *_LENGTHS)
        for over, words in _SETS.items()
    },
    **{f"{name}.multi": name for name in ambigqa.QUESTION_MEASURES},
    **{f"arecall.{depth}": f"arecall.{depth}" for depth in DEPTHS},
}


def _add(evaluation: Evaluation, measured: MeasuredColumns) -> None:
    """Add an evaluation's columns over the questions that count for each; shares in percent."""
    for figure in evaluation.figures:
        name = _COLUMNS.get(figure.name)
        if name is None:
            continue
        [column] = figure.columns
        worth = 1 if column in _LENGTHS else 100
        measured.columns[name] = {
            evaluation.ids[place]: worth * evaluation.columns[column][place]
            for place in evaluation.members(figure)
        }
        over = {"questions": f"answered, {figure.among}"} if figure.among else {}
        measured.options[name] = {**evaluation.options, **dict(figure.options), **over}


def _answers(
    details: Mapping[str, Details], right: Mapping[str, ambigqa.Reference]
) -> Iterator[Evaluation]:
    """Give the scores of short answers, and of pairs, where the system gave any."""
    references = [right[name] for name in details if name in right]
    pairs = any(row.pairs for row in details.values())
    if not references or not (pairs or any(row.answers for row in details.values())):
        return
    predictions: dict[str, ambigqa.Prediction] = {
        row.id: _predicted(details[row.id], row.question if pairs else "") for row in references
    }
    yield ambigqa.score_predictions(references, predictions)


def _predicted(details: Details, prompt: str) -> ambigqa.Prediction:
    """Return what was predicted: pairs if there is a prompt, which is the question of an answer
    that came without one; else answers. Of a pair, only one form of its answer counts.
    """
    if not prompt:
        return details.answers
    pairs = details.pairs or [(prompt, answer) for answer in details.answers]
    return [ambigqa.PredictedPair(question, answer) for question, answer in pairs]


def _passages(
    details: Mapping[str, Details], right: Mapping[str, ambigqa.Reference]
) -> Iterator[Evaluation]:
    """Give the recall of the passages, where the system found any."""
    if not any(row.passages for row in details.values()):
        return
    references = {
        name: retrieval.Reference(answers=_distinct(right[name]))
        for name in details
        if name in right
    }
    if not references:
        return
    found = {
        name: [retrieval.TitledPassage("", text) for text in details[name].passages]
        for name in references
    }
    yield retrieval.score_predictions(references, found, depths=DEPTHS)


def _distinct(reference: ambigqa.Reference) -> tuple[tuple[str, ...], ...]:
    """Return the gold answers of all annotations, each with its forms, once."""
    return tuple(dict.fromkeys(forms for row in reference.annotations for forms in row.gold))
