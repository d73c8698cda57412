"""What the automatic metrics say of the answers of a study, one by one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db.models import Q, QuerySet

from annotation.contexts.inputs import inputs_of
from annotation.models import LongAnswer, Question
from evaluation.judgments.judged import Judged
from evaluation.scores.reading import answers_by_output
from evaluation.scores.references import pairs_of
from evaluation.studies.models import Study
from evaluation.systems.models import Output
from metrics import asqa, sentences

# Keys of the metrics: name by system by external id of the question.
Scores = dict[str, dict[str, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a system to a question, with what it is scored against."""

    system: str
    question: str
    text: str
    pairs: Sequence[asqa.Pair]
    references: Sequence[str]


def scored(answers: Iterable[Answered]) -> Scores:
    """Return STR-EM and ROUGE-L in percent and the length in words of each answer.

    A metric has only the answers that it can score: STR-EM needs disambiguations, ROUGE-L also a
    reference other than the answer itself. Disambig-F1 is from what a reader answered (`read`).
    """
    cut = sentences.splitter()
    found: defaultdict[str, defaultdict[str, dict[str, float]]]
    found = defaultdict(lambda: defaultdict(dict))
    for answer in answers:
        system, question = answer.system, answer.question
        found["length"][system][question] = float(len(answer.text.split()))
        if not answer.pairs:
            continue
        found["str_em"][system][question] = asqa.str_em(answer.pairs, answer.text)
        others = [asqa.Annotation(text) for text in answer.references if text != answer.text]
        if others:
            evaluation = asqa.evaluate(
                {question: asqa.Question(answer.pairs, others)},
                {question: answer.text},
                splitter=cut,
            )
            found["rouge_l"][system][question] = evaluation.columns["rouge_lsum"][0]
    return {metric: dict(by_system) for metric, by_system in found.items()}


def by_system(scores: Scores) -> dict[str, dict[str, float]]:
    """Return the mean of each metric over the answers of each system."""
    return {
        metric: {name: fmean(values.values()) for name, values in systems.items()}
        for metric, systems in scores.items()
    }


def with_accuracy(rows: Iterable[Judged], scores: Scores) -> list[dict[str, Any]]:
    """Return for each answer that people judged its ACC in percent, and its automatic scores."""
    shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        for system, marks in ((row.left, row.left_found), (row.right, row.right_found)):
            if system and marks and not row.repeat:
                shares[row.question, system].append(100 * sum(marks) / len(marks))
    return [
        {"question": question, "system": system, "acc": fmean(values)}
        | {
            metric: systems[system][question]
            for metric, systems in scores.items()
            if question in systems.get(system, {})
        }
        for (question, system), values in sorted(shares.items())
    ]


def answers_of(study: Study) -> Iterator[Answered]:
    """Yield the answers that the study asks about, question by question."""
    questions, outputs = _asked_about(study)
    yield from answered(questions, outputs, references_of(questions))


def read(study: Study) -> tuple[str, dict[str, dict[str, float]]]:
    """Return Disambig-F1 in percent, by system and question, of the answers that the study asks
    about, and the reader it is from: the one that has read most of them. "" and nothing without.
    """
    questions, outputs = _asked_about(study)
    rows = list(outputs)
    reader, answers = answers_by_output(rows, questions)
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.pk in answers:
            question = questions[row.question_id]
            value = asqa.disambig_f1(list(pairs_of(question).values()), answers[row.pk])
            found[str(row.system)][question.external_id] = value
    return reader, dict(found)


def _asked_about(study: Study) -> tuple[dict[int, Question], QuerySet[Output]]:
    questions = Question.objects.filter(study_items__study=study).distinct().in_bulk()
    outputs = Output.objects.filter(question__in=questions, system__studies=study)
    rows = outputs.select_related("system").defer("details")
    return questions, rows.order_by("question_id", "system_id")


def answered(
    questions: Mapping[int, Question],
    outputs: Iterable[Output],
    references: Mapping[int, Sequence[str]],
) -> Iterator[Answered]:
    """Yield these outputs with what they are scored against."""
    for output in outputs:
        question = questions[output.question_id]
        given = inputs_of(question.prompt, question.context or {}, {}).disambiguations
        yield Answered(
            str(output.system),
            question.external_id,
            output.text,
            [row.pair for row in given if row.answers],
            references[question.pk],
        )


def references_of(questions: Mapping[int, Question]) -> Mapping[int, list[str]]:
    """Return the long answers to each question: the project's own, and those of its file."""
    texts: dict[int, dict[str, None]] = {pk: {} for pk in questions}
    counted = Q(assignment=None) | Q(assignment__state="submitted", assignment__used=True)
    written = LongAnswer.objects.filter(counted, question__in=questions)
    for answered, text in written.values_list("question", "text"):
        texts[answered][text] = None
    for pk, question in questions.items():
        texts[pk] |= dict.fromkeys(_annotated(question.context))
    return {pk: list(of_question) for pk, of_question in texts.items()}


def _annotated(context: Any) -> Iterator[str]:
    annotations = context.get("annotations") if isinstance(context, dict) else None
    for row in annotations if isinstance(annotations, list) else []:
        text = row.get("long_answer") if isinstance(row, dict) else None
        if isinstance(text, str) and text:
            yield text
