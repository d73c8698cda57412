"""What is right for a few questions, for people who read it beside the answers of systems."""

from collections.abc import Iterator, Mapping, Sequence

from annotation.contexts.inputs import inputs_of
from annotation.core.states import ANY_ACCEPTED
from annotation.models import Question
from evaluation.scores.automatic import references_of
from evaluation.scores.registry import ReferenceLine
from validation.decisions import accepted_answers
from validation.verdicts.comparing import AnswerSet


def list_reference_lines(questions: Sequence[Question]) -> Mapping[int, list[ReferenceLine]]:
    """Return by question the disambiguations that it came with, else what is accepted for it, and
    the long answers. At most five queries.
    """
    given = {row.pk: list(_given_pairs(row)) for row in questions}
    without = [row.pk for row in questions if not given[row.pk] and row.state in ANY_ACCEPTED]
    accepted = accepted_answers.sets_by_question(without) if without else {}
    long = references_of({row.pk: row for row in questions})
    return {
        row.pk: [
            *(given[row.pk] or _accepted_pairs(accepted.get(row.pk, ()))),
            *(ReferenceLine(text, "Long answer") for text in long[row.pk]),
        ]
        for row in questions
    }


def _given_pairs(question: Question) -> Iterator[ReferenceLine]:
    for row in inputs_of(question.prompt, question.context or {}, {}).disambiguations:
        if row.answers:
            yield ReferenceLine("; ".join(row.answers), row.question)


def _accepted_pairs(sets: Sequence[AnswerSet]) -> list[ReferenceLine]:
    """Return each accepted pair once, in the order of the sets."""
    return list(
        dict.fromkeys(
            ReferenceLine("; ".join(pair.forms), next(iter(pair.questions), ""))
            for each in sets
            for pair in each.pairs
        )
    )
