"""What generators submitted on a question, and what stands decided for it."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.conf import settings

from annotation import prepared
from annotation.models import Assignment
from annotation.stages import GENERATION
from validation.merging import all_match
from validation.models import Decision
from validation.responses import Said, SaidPair

# Every answer of every annotation in use on some questions, in the order they were written.
_SAID = """
    SELECT n.question_id, n.id, n.kind, n.none_reason, p.id, p.question, w.text, w.id
    FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    LEFT JOIN annotation_answer w ON w.pair_id = p.id
    WHERE n.question_id = ANY(%(questions)s::bigint[])
      AND a.stage = %(stage)s AND a.state = 'submitted' AND a.used
    ORDER BY n.question_id, n.id, p.position, w.position
"""
_IN_FORCE = """
    SELECT d.question_id, d.outcome, d.source, d.covers
    FROM validation_decision d
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
    WHERE d.question_id = ANY(%(questions)s::bigint[]) AND d.in_force
      AND (v.id IS NULL OR (a.state = 'submitted' AND a.used))
"""


def said_on(question_ids: Sequence[int]) -> dict[int, list[Said]]:
    """Return the annotations in use on each question, in the order of their ids. One query."""
    rows = prepared.fetch(_SAID, {"questions": list(question_ids), "stage": GENERATION})
    return {
        question: [_said(list(of_annotation)) for _, of_annotation in groupby(found, itemgetter(1))]
        for question, found in groupby(rows, itemgetter(0))
    }


def _said(rows: Sequence[tuple[Any, ...]]) -> Said:
    first = rows[0]
    pairs = []
    for pair, forms in groupby(rows, itemgetter(4)):
        found = list(forms)
        if pair is not None:
            written = [row for row in found if row[7] is not None]
            pairs.append(
                SaidPair(
                    question=found[0][5],
                    forms=tuple(row[6] for row in written),
                    pk=pair,
                    form_pks=tuple(row[7] for row in written),
                )
            )
    return Said(annotation=first[1], kind=first[2], pairs=tuple(pairs), none_reason=first[3])


def columns(assignment: Assignment) -> list[Said]:
    """Return the annotations a validator sees, in an order of this assignment's own.

    The order is a keyed hash of assignment and annotation: it stays for the validator, differs
    from one to the next, and tells nothing about who was first.
    """
    found = said_on([assignment.task.question_id]).get(assignment.task.question_id, [])
    return sorted(found, key=lambda said: _place(assignment.pk, said.annotation))


def _place(assignment_id: int, annotation_id: int) -> bytes:
    text = f"column:{assignment_id}:{annotation_id}".encode()
    return hmac.new(settings.SECRET_KEY.encode(), text, hashlib.sha256).digest()


def decided(question_ids: Sequence[int]) -> Mapping[int, str]:
    """Return the state that answers or a decision give each question; others are left out.

    A decision holds while it covers the annotations that are there and its validator's work is
    not left out; one of staff or of an import holds whatever they are. Without one, answers that
    all match decide by themselves (A46). Two queries.
    """
    said = said_on(question_ids)
    found: dict[int, str] = {}
    for question, annotations in said.items():
        if all_match([[pair.forms for pair in each.pairs] for each in annotations]):
            found[question] = "auto_accepted"
    rows = prepared.fetch(_IN_FORCE, {"questions": list(question_ids)})
    for question, outcome, source, covers in rows:
        there = sorted(each.annotation for each in said.get(question, []))
        if source != Decision.Source.VALIDATION or sorted(covers) == there:
            found[question] = outcome
    return found


def decision_of(question_id: int) -> Decision | None:
    """Return the decision in force on a question."""
    return Decision.objects.filter(question_id=question_id, in_force=True).first()
