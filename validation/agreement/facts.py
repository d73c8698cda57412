"""Read from the database the values from which the figures of a project are computed."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from annotation.exports.rows import Row, fetch_rows
from annotation.generation.stage import GENERATION
from annotation.models import Project
from validation.agreement.figures import (
    AgreementFacts,
    DecisionInForce,
    SubmittedAnswers,
    ValidatorResult,
)
from validation.audits.values import AUDIT
from validation.verdicts.values import VALIDATION

_QUESTIONS = """
    SELECT q.id, q.external_id, q.state,
           EXISTS (SELECT 1 FROM annotation_stagepolicy v WHERE v.project_id = q.project_id
                   AND v.split = q.split AND v.stage = %(validation)s)
    FROM annotation_question q
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
    ORDER BY q.id
"""
# What generators and experts submitted, answer by answer. Only work in use counts; an expert's
# exists only where the question was drawn.
_GIVEN = """
    SELECT n.question_id, n.id, a.stage, n.author_id, n.kind, p.id,
           ARRAY(SELECT w.text FROM annotation_answer w WHERE w.pair_id = p.id ORDER BY w.position)
    FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    JOIN annotation_question q ON q.id = n.question_id
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND a.stage = ANY(%(stages)s) AND a.state = 'submitted' AND a.used
    ORDER BY n.question_id, n.id, p.position
"""
# The decisions in force, each with its sets: a decision counts while the question's state is its
# outcome (a validator's stops when its work is left out or others answer again).
_DECIDED = """
    SELECT d.question_id, d.source, d.outcome, d.change, c.id, p.id,
           ARRAY(SELECT w.text FROM validation_acceptedanswer w
                 WHERE w.pair_id = p.id ORDER BY w.position)
    FROM validation_decision d
    JOIN annotation_question q ON q.id = d.question_id AND q.state = d.outcome
    LEFT JOIN validation_acceptedannotation c ON c.decision_id = d.id
    LEFT JOIN validation_acceptedpair p ON p.accepted_id = c.id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND d.in_force
    ORDER BY d.question_id, c.position, p.position
"""
# For each validator's submission, even if the team has since decided otherwise: the number of
# pairs of the smallest set they accepted (A47), 0 where they accepted none.
_JUDGED = """
    SELECT v.question_id, v.validator_id, coalesce((
        SELECT min(size.n) FROM (
            SELECT count(p.id) AS n FROM validation_acceptedannotation c
            LEFT JOIN validation_acceptedpair p ON p.accepted_id = c.id
            WHERE c.decision_id = d.id GROUP BY c.id) size), 0)
    FROM validation_validation v
    JOIN annotation_assignment a ON a.id = v.assignment_id AND a.state = 'submitted' AND a.used
    JOIN validation_decision d ON d.validation_id = v.id
    JOIN annotation_question q ON q.id = v.question_id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
    ORDER BY v.question_id, v.id
"""


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
    }
    rows = fetch_rows(_QUESTIONS, values)
    given = _by_first(fetch_rows(_GIVEN, values))
    decided = _by_first(fetch_rows(_DECIDED, values))
    names = {row[0]: row[1] for row in rows}
    judged = [
        ValidatorResult(question=names[question], person=person, pairs=pairs)
        for question, person, pairs in fetch_rows(_JUDGED, values)
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
            SubmittedAnswers(person=written[0][3], kind=written[0][4], answers=answers)
        )
    return tuple(submissions)


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
