"""What short answers of systems are compared with, and what readers answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing

from annotation.contexts.inputs import inputs_of
from annotation.core.consistent_view import snapshot
from annotation.models import Project, Question
from metrics import ambigqa, asqa
from validation.decisions import accepted_answers
from validation.verdicts.comparing import AnswerSet


def pairs_of(question: Question) -> dict[int, asqa.AsqaPair]:
    """Return the disambiguations that came with a question and have answers, by their places."""
    given = inputs_of(question.prompt, question.context or {}, {}).disambiguations
    return {row.position: row.pair for row in given if row.answers}


def read_gold_references(
    project: Project, split: str, questions: Mapping[int, Question]
) -> Iterator[tuple[str, ambigqa.Reference]]:
    """Give what short answers are compared with: the disambiguations that came with a question,
    else what is accepted for it.
    """
    without = set()
    for question in questions.values():
        given = inputs_of(question.prompt, question.context or {}, {}).disambiguations
        pairs = [ambigqa.GoldPair(row.question, row.answers) for row in given if row.answers]
        if pairs:
            yield _reference(question, [_annotation(pairs)])
        else:
            without.add(question.pk)
    if without:
        for pk, sets in _accepted(project, split):
            annotations = [_of_set(row) for row in sets if row.pairs]
            if pk in without and annotations:
                yield _reference(questions[pk], annotations)


def _accepted(project: Project, split: str) -> Iterable[tuple[int, tuple[AnswerSet, ...]]]:
    found = {}
    with snapshot(), closing(accepted_answers.read_question_chunks(project, split)) as chunks:
        for rows in chunks:
            found.update({row.pk: row.sets for row in rows if not row.left_out})
    return found.items()


def _reference(
    question: Question, annotations: Sequence[ambigqa.AmbigqaAnnotation]
) -> tuple[str, ambigqa.Reference]:
    name = question.external_id
    return name, ambigqa.Reference(name, question.prompt, tuple(annotations))


def _of_set(row: AnswerSet) -> ambigqa.AmbigqaAnnotation:
    pairs = [ambigqa.GoldPair("|".join(pair.questions), pair.forms) for pair in row.pairs]
    return _annotation(pairs)


def _annotation(pairs: Sequence[ambigqa.GoldPair]) -> ambigqa.AmbigqaAnnotation:
    """Return several pairs as such, and one as a single answer."""
    if len(pairs) > 1:
        return ambigqa.AmbigqaAnnotation(pairs=tuple(pairs))
    return ambigqa.AmbigqaAnnotation(answer=pairs[0].answers)
