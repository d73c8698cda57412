"""Read from the database the values from which the figures of a project are computed."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from annotation.exports.rows import Row, fetch_rows
from annotation.generation.stage import GENERATION
from annotation.models import Project, Question
from validation.agreement.figures import (
    AgreementFacts,
    DecisionInForce,
    SubmittedAnswers,
    ValidatorResult,
)
from validation.agreement.statements import DECISIONS, JUDGMENTS, QUESTIONS, SUBMISSIONS
from validation.audits.values import AUDIT
from validation.outcomes.values import ACCEPTED, COMPARED
from validation.verdicts.values import VALIDATION


def read_facts(
    project: Project, split: str | None = None
) -> tuple[list[AgreementFacts], list[ValidatorResult]]:
    """Return the facts of every question of the split (None: all), and what validators accepted.

    Four queries, whatever the number of questions. Questions are named by their external ids,
    people by the ids of their accounts.
    """
    values = {
        "project": project.pk,
        "split": split,
        "validation": VALIDATION,
        "stages": [GENERATION, AUDIT],
        "alike": Question.State.AUTO_ACCEPTED.value,
    }
    rows = fetch_rows(QUESTIONS, values)
    given = _by_first(fetch_rows(SUBMISSIONS, values))
    decided = _by_first(fetch_rows(DECISIONS, values))
    names = {row[0]: row[1] for row in rows}
    judged = [
        ValidatorResult(question=names[question], person=person, pairs=pairs)
        for question, person, pairs in fetch_rows(JUDGMENTS, values)
    ]
    facts = [
        AgreementFacts(
            question=external_id,
            state=state,
            validated=validated,
            given=_given(given.get(pk, []), GENERATION),
            experts=_given(given.get(pk, []), AUDIT),
            decided=_decided(decided.get(pk, [])),
        )
        for pk, external_id, state, validated in rows
    ]
    return facts, judged


def _by_first(rows: Iterable[Row]) -> dict[int, list[Row]]:
    return {key: list(group) for key, group in groupby(rows, itemgetter(0))}


def _given(rows: list[Row], stage: str) -> tuple[SubmittedAnswers, ...]:
    submissions = []
    for _, pairs in groupby((row for row in rows if row[2] == stage), itemgetter(1)):
        written = list(pairs)
        answers = tuple(tuple(row[6]) for row in written if row[5] is not None)
        submissions.append(
            SubmittedAnswers(
                person=written[0][3],
                kind=written[0][4],
                answers=answers,
                correct=_is_correct(written[0][7]),
            )
        )
    return tuple(submissions)


def _is_correct(status: str | None) -> bool | None:
    """Whether a submission with this outcome is correct, None if nobody can say yet."""
    return status in ACCEPTED if status in COMPARED else None


def _decided(rows: list[Row]) -> DecisionInForce | None:
    if not rows:
        return None
    _, source, outcome, change, *_ = rows[0]
    sets = []
    for accepted, pairs in groupby(rows, itemgetter(4)):
        answers = tuple(tuple(row[6]) for row in pairs if row[5] is not None)
        if accepted is not None and answers:
            sets.append(answers)
    return DecisionInForce(source=source, outcome=outcome, change=change, sets=tuple(sets))
