"""Erase a person: what says who they are goes, and what they made stays under the pseudonym.

The pseudonym of exports is made from `User.key`, which no page shows, so every export has the same
bytes before and after. The ledger of pay, the log and all texts stay, under the new name.
"""

import datetime as dt

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, Value
from django.db.models.fields.json import KT
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.db.models.functions import Lower

from accounts.models import NOWHERE, User
from annotation.core import audit
from annotation.core.models.audit import AuditEntry
from annotation.core.models.people import INVITATION_OPEN, Invitation, Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.erasing.policies import check_can_be_erased, check_can_erase
from annotation.extensions.registry import all_extensions
from annotation.people.admins import lock_administrators
from annotation.stages import registry as stages
from annotation.work.leases import end_membership, end_turns

# Apps whose rows are about signing in: what they hold of the person is deleted.
SIGN_IN = frozenset({"accounts", "account", "mfa", "socialaccount", "knox"})


@transaction.atomic
def erase_person(*, user: User, by: User | None, now: dt.datetime) -> User:
    """Erase name, address and account of a person, and end their work; nothing brings them back.

    Only for administrators of the installation (`by=None`: a command on the server). Raises Denied
    and Conflict, and then changes nothing.
    """
    # Two who erase each other at the same moment wait here, so that one administrator stays.
    lock_administrators()
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if by is None:
        check_can_be_erased(user)
    else:
        check_can_erase(by, user)
    addresses, name = _addresses_of(user), f"Erased person {user.pk}"
    _end_work(user, by, now)
    for forget in all_extensions().forget:
        forget(user, now)
    _forget_sign_in(user)
    user.email, user.name = f"person-{user.pk}@{NOWHERE}", name
    user.set_unusable_password()
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = user.news_read_at = None
    user.keys, user.single_keys, user.erased_at = {}, True, now
    user.save()
    _rename_elsewhere(user, addresses, now)
    audit.record_action("person_erased", user, by=by, now=now)
    return user


def _end_work(user: User, by: User | None, now: dt.datetime) -> None:
    """Take every role away and free every seat, also those that a superuser had without a role."""
    memberships = Membership.objects.filter(user=user).select_related("project", "user")
    held = Assignment.objects.filter(user=user, state__in=HELD)
    concerned = Q(pk__in=memberships.values("project")) | Q(pk__in=held.values("project"))
    # In the order of their numbers, as two who do this at once must not wait for each other.
    for project in Project.objects.select_for_update(no_key=True).filter(concerned).order_by("pk"):
        for membership in memberships.filter(project=project).order_by("pk"):
            end_membership(membership=membership, by=by, now=now)
        for role in sorted({stage.role for stage in stages.of_protocol(project.protocol)}):
            end_turns(user=user, project=project, role=role, by=by, now=now)


def keys_to_people() -> list[ForeignObjectRel]:
    """Return every key of another table to a person, also those without a name for the way back."""
    fields = User._meta.get_fields(include_hidden=True)
    return [field for field in fields if isinstance(field, ForeignObjectRel)]


def _forget_sign_in(user: User) -> None:
    for key in keys_to_people():
        model = key.related_model
        if model._meta.app_label in SIGN_IN and not model._meta.auto_created:
            model._default_manager.filter(**{key.field.name: user}).delete()
    user.groups.clear()
    user.user_permissions.clear()


def _addresses_of(user: User) -> set[str]:
    """Return the present address and those that they were invited at and nobody else has now."""
    invited = Invitation.objects.filter(accepted_by=user).values_list(Lower("email"), flat=True)
    others = User.objects.filter(email__in=invited).exclude(pk=user.pk)
    return {user.email, *invited} - set(others.values_list("email", flat=True))


def _rename_elsewhere(user: User, addresses: set[str], now: dt.datetime) -> None:
    """Replace the addresses and the name where they were written down besides the account."""
    to_them = Invitation.objects.annotate(lower=Lower("email")).filter(lower__in=addresses)
    to_them.filter(INVITATION_OPEN).update(revoked_at=now)
    to_them.update(email=user.email, name="", message="")
    said = AuditEntry.objects.annotate(lower=Lower(KT("data__email"))).filter(lower__in=addresses)
    audit.replace_address(said, user.email)
    LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)
    ).update(object_repr=Value(str(user)), change_message="")
