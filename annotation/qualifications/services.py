"""Change a qualification: its settings, its items, its state. Every change is audited."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.models.projects import Guideline, Project
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict
from annotation.protocols import registry as protocols
from annotation.qualifications.item_queries import item_of
from annotation.qualifications.items import MAX_ITEMS, Item, check_item, item_json
from annotation.qualifications.models import Part, QualificationAttempt, QualificationItem
from annotation.qualifications.policies import check_can_edit
from annotation.qualifications.queries import lock_qualification
from annotation.text.cleaning import ResponseError

State = Qualification.State
_SETTINGS = frozenset(
    {
        *("title", "about", "submit_at", "review_from", "pass_at", "instant_feedback", "by_hand"),
        *("show_question_score", "max_attempts", "days_between", "rules", "walk_through"),
    }
)
# What the log keeps of an item that is removed.
_CONTENT = ("prompt", "part", "accepted", "seeded", "qa_pairs", "model_answer", "shown", "verdict")
# Like ASQA's exam: five items, all to be answered, each graded by hand.
_LONG_ANSWER_ITEMS = 5
_MARKS = (
    "The three numbers must increase: to submit, for a review by the team, to pass (at least 1)."
)


@transaction.atomic
def create_qualification(
    *, project: Project, title: str, kind: str, by: User, now: dt.datetime, **settings: Any
) -> Qualification:
    """Create a qualification under the guidelines in force, as a draft."""
    check_can_manage(by, project)
    if kind not in protocols.protocol_of(project).exams:
        raise Conflict("Choose what people do in it: one of the kinds of this project.")
    _check_settings(settings, kind)
    title = _title(title)
    settings.setdefault("rules", [check.key for check in protocols.exam_of(kind).checks])
    if protocols.exam_of(kind).by_hand:
        settings.setdefault("submit_at", _LONG_ANSWER_ITEMS)
    settings = _fitted(settings, kind)
    try:
        with transaction.atomic():
            made = Qualification.objects.create(
                project=project,
                title=title,
                kind=kind,
                guideline_version=Guideline.newest_version_of(project.pk),
                created_by=by,
                created_at=now,
                **settings,
            )
    except IntegrityError as error:
        raise _refusal(error) from None
    audit.record_action("qualification_created", made, by=by, now=now, project=project, kind=kind)
    return made


@transaction.atomic
def change_qualification(
    *, qualification: Qualification, changes: Mapping[str, Any], by: User, now: dt.datetime
) -> None:
    """Change the settings, as long as the qualification can be edited."""
    locked = lock_qualification(qualification)
    check_can_edit(by, locked)
    _check_settings(changes, locked.kind)
    changes = {
        **_fitted(changes, locked.kind),
        **({"title": _title(changes["title"])} if "title" in changes else {}),
    }
    before = {name: getattr(locked, name) for name in changes}
    after = {name: value for name, value in changes.items() if before[name] != value}
    if not after:
        return
    try:
        with transaction.atomic():
            Qualification.objects.filter(pk=locked.pk).update(**after)
    except IntegrityError as error:
        raise _refusal(error) from None
    audit.record_action(
        "qualification_changed",
        locked,
        by=by,
        now=now,
        project=locked.project_id,
        before={name: before[name] for name in after},
        after=after,
    )
    qualification.refresh_from_db()


@transaction.atomic
def set_state(*, qualification: Qualification, state: str, by: User, now: dt.datetime) -> int:
    """Open it, close it, or make it a draft again; return how many attempts that ended.

    Attempts in progress end when it becomes a draft, because their items may change. They do
    not count.
    """
    locked = lock_qualification(qualification)
    check_can_manage(by, locked.project)
    if state not in State.values:
        raise Conflict("Choose what to do with the qualification.")
    if locked.state == state:
        return 0
    if state == State.OPEN:
        _check_can_open(locked)
    ended = 0
    if state == State.DRAFT:
        ended = QualificationAttempt.objects.filter(
            qualification=locked, state=QualificationAttempt.State.IN_PROGRESS
        ).update(state=QualificationAttempt.State.ENDED, decided_at=now, decided_by=by)
    Qualification.objects.filter(pk=locked.pk).update(state=state)
    audit.record_action(
        "qualification_state",
        locked,
        by=by,
        now=now,
        project=locked.project_id,
        before=locked.state,
        after=state,
        ended=ended,
    )
    qualification.refresh_from_db()
    return ended


@transaction.atomic
def confirm_guidelines(*, qualification: Qualification, by: User, now: dt.datetime) -> int:
    """Confirm that the items are right under the guidelines in force; return their version."""
    locked = lock_qualification(qualification)
    check_can_manage(by, locked.project)
    newest = Guideline.newest_version_of(locked.project_id)
    if newest != locked.guideline_version:
        Qualification.objects.filter(pk=locked.pk).update(guideline_version=newest)
        audit.record_action(
            "qualification_confirmed",
            locked,
            by=by,
            now=now,
            project=locked.project_id,
            before=locked.guideline_version,
            after=newest,
        )
        qualification.refresh_from_db()
    return newest


# --- items ---------------------------------------------------------------------------------------


@transaction.atomic
def add_items(
    *, qualification: Qualification, items: Sequence[Item], by: User, now: dt.datetime
) -> list[QualificationItem]:
    """Add items at the end, all or none of them."""
    locked = lock_qualification(qualification)
    check_can_edit(by, locked)
    last = locked.items.aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    if locked.items.count() + len(items) > MAX_ITEMS:
        raise Conflict(f"A qualification has at most {MAX_ITEMS} items.")
    made = QualificationItem.objects.bulk_create(
        QualificationItem(qualification=locked, position=first + at, **_columns(item, locked.kind))
        for at, item in enumerate(items)
    )
    for item in made:
        audit.record_action(
            "qualification_item_added",
            item,
            by=by,
            now=now,
            project=locked.project_id,
            prompt=item.prompt,
        )
    return made


@transaction.atomic
def change_item(*, item: QualificationItem, to: Item, by: User, now: dt.datetime) -> None:
    """Change an item. Submitted answers keep the prepared answers they were graded against."""
    locked = lock_qualification(item.qualification)
    check_can_edit(by, locked)
    columns = _columns(to, locked.kind)
    stored = QualificationItem.objects.get(pk=item.pk)
    before, after = item_json(item_of(stored)), item_json(to)
    if before == after:
        return
    if before["part"] != after["part"] and stored.answers.exists():
        raise Conflict("People have answered this item, so it stays in its part.")
    QualificationItem.objects.filter(pk=item.pk).update(**columns)
    audit.record_action(
        "qualification_item_changed",
        item,
        by=by,
        now=now,
        project=locked.project_id,
        before=before,
        after=after,
    )
    item.refresh_from_db()


@transaction.atomic
def remove_item(*, item: QualificationItem, by: User, now: dt.datetime) -> None:
    """Delete an item that no one has answered."""
    locked = lock_qualification(item.qualification)
    check_can_edit(by, locked)
    if item.answers.exists():
        raise Conflict(
            "People have answered this item, so it stays. Change it, or begin a new qualification."
        )
    pk, content = item.pk, item_json(item_of(item))
    if QualificationItem.objects.filter(pk=pk).delete()[0]:
        item.pk = pk
        audit.record_action(
            "qualification_item_removed",
            item,
            by=by,
            now=now,
            project=locked.project_id,
            before={name: content[name] for name in _CONTENT},
        )


@transaction.atomic
def move_item(*, item: QualificationItem, direction: str, by: User, now: dt.datetime) -> None:
    """Swap an item with its neighbour in the same part; at either end nothing happens."""
    locked = lock_qualification(item.qualification)
    check_can_edit(by, locked)
    if direction not in ("up", "down"):
        raise Conflict("Choose up or down.")
    item.refresh_from_db()
    if direction == "up":
        above = locked.items.filter(part=item.part, position__lt=item.position)
        other = above.order_by("-position").first()
    else:
        below = locked.items.filter(part=item.part, position__gt=item.position)
        other = below.order_by("position").first()
    if other is None:
        return
    QualificationItem.objects.filter(pk=item.pk).update(position=other.position)
    QualificationItem.objects.filter(pk=other.pk).update(position=item.position)
    audit.record_action(
        "qualification_item_moved",
        item,
        by=by,
        now=now,
        project=locked.project_id,
        direction=direction,
    )


# --- small parts ---------------------------------------------------------------------------------


def _check_can_open(qualification: Qualification) -> None:
    count = qualification.items.filter(part=Part.EXAM).count()
    if count < qualification.pass_at:
        have = f"{count} item{'' if count == 1 else 's'}" if count else "no items"
        by_hand = protocols.exam_of(qualification.kind).by_hand
        raise Conflict(
            f"{qualification.pass_at} items must {'be answered' if by_hand else 'pass'}, and there "
            f"are {have}{' in the exam' if by_hand else ''}. "
            f"Add items, or lower the {'number needed to submit' if by_hand else 'pass mark'}."
        )
    if Guideline.newest_version_of(qualification.project_id) > qualification.guideline_version:
        raise Conflict(
            "The guidelines have changed since this was written. Confirm first that the items "
            "are right under the new version."
        )


def _check_settings(settings: Mapping[str, Any], kind: str) -> None:
    if unknown := settings.keys() - _SETTINGS:
        raise ValueError(f"not a setting of a qualification: {', '.join(sorted(unknown))}")
    if unknown := set(settings.get("rules", ())) - {
        check.key for check in protocols.exam_of(kind).checks
    }:
        raise Conflict(f"{', '.join(sorted(unknown))}: no rule of this name runs here.")


def _fitted(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the settings, overriding those that make no sense for the kind."""
    fitted = dict(settings)
    if protocols.exam_of(kind).options:
        fitted |= {"instant_feedback": False, "show_question_score": False}
    if not protocols.exam_of(kind).by_hand:
        return fitted
    fitted |= {"by_hand": True, "instant_feedback": False, "show_question_score": False}
    if "submit_at" in fitted:
        fitted["review_from"] = fitted["pass_at"] = max(1, fitted["submit_at"])
    return fitted


def _title(text: str) -> str:
    title = " ".join(text.replace("\x00", "").split())[:120]
    if not title:
        raise Conflict("Give the qualification a name.")
    return title


def _refusal(error: IntegrityError) -> Conflict:
    if "qualification_title_unique" in str(error):
        return Conflict(
            "This project already has a qualification with this name. Choose another name."
        )
    if "qualification_marks_in_order" in str(error):
        return Conflict(_MARKS)
    raise error


def _columns(item: Item, kind: str) -> dict[str, Any]:
    try:
        options = protocols.exam_of(kind).options
        return vars(check_item(item, kind=kind, options=options)) | {"pages": [*item.pages]}
    except ResponseError as error:
        raise Conflict(str(error)) from None
