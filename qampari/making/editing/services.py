"""Change, add and restore relations of a project. Whoever saves says what they began from."""

import datetime as dt
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.models import Project
from qampari.making.editing.queries import (
    ADDED,
    ProjectRelation,
    RelationIds,
    find_project_relation,
    ids_of,
    map_shipped_relations,
    read_row,
)
from qampari.making.relations import (
    TEXT_NAMES,
    AskedRelation,
    check_wording,
    key_of_relation,
)
from qampari.models import MadeRelation

PROTOCOL = "qampari"


class RelationConflict(Conflict):
    """Somebody else has changed the relation. theirs: as it is now, None where it is gone."""

    def __init__(self, sentence: str, theirs: ProjectRelation | None) -> None:
        super().__init__(sentence)
        self.theirs = theirs


@transaction.atomic
def save_relation(
    *,
    project: Project,
    asked: AskedRelation,
    included: bool,
    seen: int,
    by: User,
    now: dt.datetime,
) -> ProjectRelation:
    """Save the words of a relation for a project, and whether it is included.

    seen: the version that the person began from, 0 where the project had no row. What is there
    already is not saved again, whoever saved it. Staff only. Raises BadRelation for words that
    cannot be asked, RelationConflict where the version is another one by now.
    """
    _check_may_edit(by, project)
    check_wording(asked)
    values = _columns(asked) | {"included": included}
    before = find_project_relation(project, ids_of(asked))
    if before and (before.asked, before.included) == (asked, included):
        return before
    row = _write_row(project, asked, values, seen, by, now)
    _record("relation_changed", row, before, by=by, now=now)
    return read_row(row)


@transaction.atomic
def add_relation(*, project: Project, ids: RelationIds, by: User, now: dt.datetime) -> None:
    """Add a relation that is still to be worded, or leave it as it is where the project has it.

    Staff only.
    """
    _check_may_edit(by, project)
    if ids in map_shipped_relations():
        return
    row, made = MadeRelation.objects.get_or_create(
        project=project,
        property=ids[0],
        type=ids[1],
        defaults={"changed_by": by, "changed_at": now},
    )
    if made:
        _record("relation_added", row, None, by=by, now=now)


@transaction.atomic
def restore_relation(
    *, project: Project, ids: RelationIds, seen: int, by: User, now: dt.datetime
) -> None:
    """Go back to the relation that comes with Ambit, or remove one that was added.

    seen: as in `save_relation`. Where the project has no row nothing changes. Staff only. Raises
    RelationConflict.
    """
    _check_may_edit(by, project)
    rows = MadeRelation.objects.filter(project=project, property=ids[0], type=ids[1])
    row = rows.filter(version=seen).select_for_update().first()
    if row is None:
        if rows.exists():
            raise _conflict(project, ids)
        return
    before = read_row(row)
    action = "relation_removed" if before.origin == ADDED else "relation_restored"
    _record(action, row, before, by=by, now=now)
    row.delete()


def copy_relations(source: Project, made: Project, /, *, by: User, now: dt.datetime) -> None:
    """Give a duplicate of a project its relations, as if the person had saved each once."""
    rows = list(MadeRelation.objects.filter(project=source))
    for row in rows:
        row.pk, row.project, row.version = None, made, 1
        row.changed_by, row.changed_at = by, now
    MadeRelation.objects.bulk_create(rows)


def _check_may_edit(by: User, project: Project) -> None:
    check_can_import(by, project)
    if project.protocol != PROTOCOL:
        raise Conflict("Only projects of lists have relations to ask about.")


def _write_row(
    project: Project,
    asked: AskedRelation,
    values: dict[str, Any],
    seen: int,
    by: User,
    now: dt.datetime,
) -> MadeRelation:
    ids = {"project": project, "property": asked.property, "type": asked.type}
    values = values | {"changed_by": by, "changed_at": now}
    if not seen:
        try:
            with transaction.atomic():
                return MadeRelation.objects.create(**ids, **values)
        except IntegrityError:
            raise _conflict(project, ids_of(asked)) from None
    began_from = MadeRelation.objects.filter(**ids, version=seen)
    if not began_from.update(**values, version=F("version") + 1):
        raise _conflict(project, ids_of(asked))
    return MadeRelation.objects.get(**ids)


def _conflict(project: Project, ids: RelationIds) -> RelationConflict:
    theirs = find_project_relation(project, ids)
    return RelationConflict(
        "Someone else has changed this relation meanwhile. Compare, then save again to put yours "
        "in its place.",
        theirs,
    )


def _columns(asked: AskedRelation) -> dict[str, Any]:
    words = {name: getattr(asked, name) for name in (*TEXT_NAMES, "time")}
    return words | {"cues": list(asked.cues)}


def _record(
    action: str, row: MadeRelation, before: ProjectRelation | None, *, by: User, now: dt.datetime
) -> None:
    after = read_row(row)
    changes = {}
    if action == "relation_changed":
        changes = {
            "before": _tell_words(before) if before else {},
            "after": _tell_words(after),
        }
    audit.record_action(
        action, row, by=by, now=now, project=row.project, relation=key_of_relation(after.asked),
        **changes,
    )  # fmt: skip


def _tell_words(relation: ProjectRelation) -> dict[str, Any]:
    return _columns(relation.asked) | {"included": relation.included}
