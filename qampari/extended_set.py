"""Which questions are in the extended set, and what was added to them."""

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.core.states import CLOSED
from annotation.exports.format import JSON_LINES, Format
from annotation.exports.rows import Row, fetch_chunks
from annotation.exports.selection import Selection, chosen_condition
from annotation.models import Project, Question, StagePolicy, Submission, Task
from annotation.work import tasks
from metrics.text import answer_key
from qampari.stages.extend import EXTEND
from qampari.statements import EXTENDED_LISTS
from qampari.verdicts import known_of, read_judged_answers

MOST_SEED = 2**53  # the largest number that JSON and every language read exactly


@transaction.atomic
def draw_questions(
    *, project: Project, split: str, number: int, seed: int, by: User, now: dt.datetime
) -> list[str]:
    """Put some questions of a split, drawn at random, into the extended set; return their ids.

    The same seed on the same questions draws the same ones, so doing it twice adds nothing. Staff
    only. Questions that are excluded or skipped are not drawn from.
    """
    check_can_manage(by, project)
    if not 0 <= seed <= MOST_SEED:
        raise Conflict(f"A seed is a whole number from 0 to {MOST_SEED:,}.")
    pool = list(_pool(project).filter(split=split).values_list("external_id", flat=True))
    if not pool:
        raise Conflict(f"There is no question in {split} to draw from.")
    if not 1 <= number <= len(pool):
        raise Conflict(f"Choose a number from 1 to {len(pool):,}: {split} has no more questions.")
    ids = sorted(random.Random(seed).sample(sorted(pool), number))  # noqa: S311 - to be repeated
    told = {"split": split, "number": number, "seed": seed, "drawn_from": len(pool)}
    _open(project, ids, told, by=by, now=now)
    return ids


@transaction.atomic
def add_questions(*, project: Project, ids: Sequence[str], by: User, now: dt.datetime) -> list[str]:
    """Put the questions with these ids into the extended set; return those that were not in it.

    Staff only. Raises Conflict, and changes nothing, if one is not there.
    """
    check_can_manage(by, project)
    wanted = list(dict.fromkeys(ids))
    there = set(_pool(project).filter(external_id__in=wanted).values_list("external_id", flat=True))
    if missing := [each for each in wanted if each not in there]:
        raise Conflict(
            f"There is no question “{missing[0][:100]}” that can be worked on. Nothing was changed."
        )
    known = set(in_set(project).values_list("question__external_id", flat=True))
    new = [each for each in wanted if each not in known]
    _open(project, new, {"named": len(new)}, by=by, now=now)
    return new


def _pool(project: Project) -> Any:
    return Question.objects.filter(project=project).exclude(state__in=CLOSED)


def in_set(project: Project) -> Any:
    """Return the tasks of the extended set, one for each question."""
    return Task.objects.filter(question__project=project, policy__stage=EXTEND)


def _open(
    project: Project, ids: Sequence[str], told: dict[str, object], *, by: User, now: dt.datetime
) -> None:
    questions = Question.objects.filter(project=project, external_id__in=ids)
    rows = list(questions.order_by("pk").values_list("pk", "split"))
    for split in sorted({split for _, split in rows}):
        StagePolicy.objects.get_or_create(
            project=project,
            stage=EXTEND,
            split=split,
            defaults={"people": 1, "minimum_seconds": 0},
        )
    units = [(pk, "") for pk, _ in rows]
    made = tasks.open_units(stage=EXTEND, project=project, units=units, now=now)
    audit.record_action(
        "extended_set_opened", project, by=by, now=now, project=project, opened=made, **told
    )


# --- what was added -------------------------------------------------------------------------------

_EXTENDED = EXTENDED_LISTS.format(stage=EXTEND, chosen=chosen_condition())
_AT_ONCE = 500


def count_extended_questions(project: Project) -> int:
    """Return how many questions were extended."""
    done = {"assignment__state": "submitted", "assignment__used": True, "stage": EXTEND}
    rows = Submission.objects.filter(assignment__project=project, **done)
    return rows.values("question").distinct().count()


def stream_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield each extended question: the answers known before and those added."""
    for rows in fetch_chunks(_EXTENDED, selection.values(project), _AT_ONCE):
        known = read_judged_answers(row[0] for row in rows)
        for row in rows:
            yield orjson.dumps(build_record(row, known_of(known.get(row[0], []))))


def build_record(row: Row, known: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return one question of the extended set as it is released, with the forms of known answers.

    An answer that several people added, or that is known, is there once. Where a model's
    suggestions were shown, the record says how many to each person, and which answers began as one.
    """
    _, qid, text, split, responses, seconds, limits, shown = row
    seen = {answer_key(form) for forms in known for form in forms}
    added: list[dict[str, Any]] = []
    for response in responses:
        for each in reversed(_json(response)["added"]):
            key = answer_key(each["text"])
            if key and key not in seen:
                seen.add(key)
                suggested = {"suggested": True} if each.get("suggestion") else {}
                added.append({"answer_text": each["text"], "found_in": each["page"], **suggested})
    return {
        "qid": qid,
        "question_text": text,
        "split": split,
        "known_answers": [forms[0] for forms in known],
        "added_answers": added,
        "people": len(responses),
        "active_seconds": list(seconds),
        "ended_by": [_json(limit).get("by", "person") for limit in limits],
        "late_seconds": [_json(limit).get("late_seconds", 0) for limit in limits],
        **({"suggestions_shown": list(shown)} if any(shown) else {}),
    }


def _json(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) else value


EXTENDED_SET = Format(
    key="extended-set",
    label="Extended set",
    hint="Each extended question with the answers known before and those added",
    content_type=JSON_LINES,
    records=stream_records,
    count=count_extended_questions,
)
