"""Roles and pauses of several members at once."""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from annotation.access.projects import STAFF, check_can_manage, check_can_manage_people
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.people.services import add_role, check_role, pause_member, remove_role

GIVE, REMOVE, PAUSE = "give", "remove", "pause"


@dataclass(frozen=True)
class BulkChange:
    """What was done. changed: people it changed something for; refused: a sentence for each whom
    it could not be done for.
    """

    changed: Sequence[User]
    refused: Sequence[str]


@transaction.atomic
def change_people(
    *,
    project: Project,
    users: Collection[int],
    press: str,
    role: str,
    by: User,
    now: dt.datetime,
) -> BulkChange:
    """Give members a role, take it from them, or pause their work, each as far as it is possible.

    `role` is not used by a pause, which stops all their work. Raises Denied for people who may not,
    and where no one is chosen.
    """
    if press == PAUSE:
        check_can_manage(by, project)
    else:
        check_can_manage_people(by, project)
        check_role(role)
    rows = Membership.objects.filter(project=project, user__in=users, user__is_participant=False)
    members: dict[User, list[Membership]] = {}
    for row in rows.select_related("user", "project").order_by("user__name", "user", "pk"):
        members.setdefault(row.user, []).append(row)
    if not members:
        raise Denied("Choose at least one person.")
    changed, refused = [], []
    for user, roles in members.items():
        try:
            with transaction.atomic():
                if _change_member(user, roles, press=press, role=role, by=by, now=now):
                    changed.append(user)
        except Conflict as refusal:
            refused.append(str(refusal))
    return BulkChange(changed, list(dict.fromkeys(refused)))


def _change_member(
    user: User, rows: Sequence[Membership], *, press: str, role: str, by: User, now: dt.datetime
) -> bool:
    """Change one person; return whether there was anything to change."""
    if press == GIVE:
        if any(row.role == role for row in rows):
            return False
        add_role(project=rows[0].project, user=user, role=role, by=by, now=now)
        return True
    if press == REMOVE:
        wanted = [row for row in rows if row.role == role]
        for row in wanted:
            remove_role(membership=row, by=by, now=now)
        return bool(wanted)
    wanted = [row for row in rows if row.role not in STAFF and row.paused_at is None]
    for row in wanted:
        pause_member(membership=row, by=by, now=now)
    return bool(wanted)
