"""Draw questions to be labelled with their types of ambiguity, and label them (A75)."""

import datetime as dt
import hashlib
from collections.abc import Sequence
from contextlib import closing

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.models import Project
from evaluation.labelling.models import Ambiguity
from validation.decisions import accepted_answers
from validation.decisions.accepted_answers import DecidedQuestion

MOST_AT_ONCE = 500
FASTER = "Someone else has labelled this question meanwhile. Their labels are shown now."


@transaction.atomic
def draw_questions(*, project: Project, split: str, size: int, by: User, now: dt.datetime) -> int:
    """Draw questions of a split that have several accepted answers; return how many were drawn.

    Questions have a fixed random order that follows from their ids, so two draws of 50 give the
    sample of one of 100. Raises Conflict where none is left.
    """
    check_can_manage(by, project)
    Project.objects.select_for_update(no_key=True, of=["self"]).get(pk=project.pk)
    rows = Ambiguity.objects.filter(project=project)
    drawn = set(rows.values_list("question", flat=True))
    with snapshot(), closing(accepted_answers.read_question_chunks(project, split)) as chunks:
        left = [
            row
            for questions in chunks
            for row in questions
            if not row.left_out and row.pk not in drawn and _pairs(row) > 1
        ]
    if not left:
        raise Conflict(f"No other question of {split} has several accepted answers.")
    chosen = sorted(left, key=_order)[: min(size, MOST_AT_ONCE)]
    first = (rows.aggregate(last=Max("position"))["last"] or 0) + 1
    Ambiguity.objects.bulk_create(
        Ambiguity(project=project, question_id=row.pk, position=place)
        for place, row in enumerate(chosen, start=first)
    )
    size = len(chosen)
    audit.record_action(
        "ambiguity_sample_drawn", project, by=by, now=now, project=project, size=size, split=split
    )
    return size


def _pairs(row: DecidedQuestion) -> int:
    return min(len(answers.pairs) for answers in row.sets)


def _order(row: DecidedQuestion) -> bytes:
    return hashlib.sha256(row.external_id.encode()).digest()


@transaction.atomic
def label_question(
    *,
    ambiguity: Ambiguity,
    types: Sequence[str],
    seen: dt.datetime | None,
    by: User,
    now: dt.datetime,
) -> None:
    """Give a question of the sample its types, in place of earlier ones.

    seen: when the labels that the person saw were given, None if there were none. Raises Conflict
    if there are others now, or where “none of these” comes with a type.
    """
    check_can_manage(by, ambiguity.project)
    chosen = [value for value in Ambiguity.Type.values if value in types]
    if not chosen:
        raise Conflict("Choose at least one type, or “None of these”.")
    if Ambiguity.Type.OTHER in chosen and len(chosen) > 1:
        raise Conflict("Choose either types or “None of these”, not both.")
    row = Ambiguity.objects.filter(pk=ambiguity.pk, labelled_at=seen)
    if not row.exclude(types=chosen).update(types=chosen, labelled_by=by, labelled_at=now):
        if row.filter(types=chosen).exists():
            return
        raise Conflict(FASTER)
    audit.record_action(
        "ambiguity_labelled",
        ambiguity.question,
        by=by,
        now=now,
        project=ambiguity.project_id,
        types=chosen,
        **({"before": ambiguity.types} if ambiguity.types else {}),
    )
