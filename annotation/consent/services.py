"""Publish texts; agree, refuse and withdraw."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction

from accounts.models import User
from annotation.consent.models import Background, Consent, ConsentText
from annotation.consent.policies import (
    WORKING_ROLES,
    check_answer,
    check_can_publish,
    check_is_asked,
)
from annotation.consent.queries import IN_FORCE, newest_text
from annotation.core import audit
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.stages import registry as stages
from annotation.work.leases import end_membership, end_turns

STANDARD = Path(__file__).parent / "texts" / "standard.md"


# --- texts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ConsentWords:
    """What a text says and asks; the fields are those of ConsentText."""

    body: str
    contact: str = ""
    ethics: str = ""
    minimum_age: int = 18
    asks_training: bool = True
    asks_background: bool = False


def write_standard_text(*, by: User | None) -> ConsentWords:
    """Return the text that a new project starts with: what Ambit keeps of everyone.

    Questions go to the address of the installation, or to `by` where it has none.
    """
    return ConsentWords(
        body=STANDARD.read_text(encoding="utf-8"),
        contact=settings.PRIVACY_EMAIL or (by.email if by else ""),
        ethics=settings.ETHICS_APPROVAL[:200],
    )


def words_of(text: ConsentText) -> ConsentWords:
    """Return what a version says and asks, for a copy of it."""
    return ConsentWords(**{name: getattr(text, name) for name in ConsentWords.__annotations__})


@transaction.atomic
def publish_text(
    *,
    project: Project,
    words: ConsentWords,
    asks: bool,
    seen: int,
    by: User,
    now: dt.datetime,
) -> ConsentText:
    """Publish a new version; the same words again are the same version.

    `asks`: whether people who agreed to an earlier version have to answer again; the first version
    asks everyone. `seen` is the version the person began from. Raises Conflict if there is a newer.
    """
    check_can_publish(by, project)
    # The lock makes simultaneous versions wait instead of colliding.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    newest = newest_text(project)
    if newest and words_of(newest) == words and (newest.asks or not asks):
        return newest
    if (newest.version if newest else 0) != seen:
        raise Conflict("Someone published another version meanwhile. Reload the page and compare.")
    return _write_text(project, words, version=seen + 1, asks=asks or not newest, by=by, now=now)


def start_with_text(
    *, project: Project, words: ConsentWords, by: User | None, now: dt.datetime
) -> ConsentText:
    """Give a project that was made in this transaction its first text. Asks no policy."""
    return _write_text(project, words, version=1, asks=True, by=by, now=now)


def _write_text(
    project: Project,
    words: ConsentWords,
    *,
    version: int,
    asks: bool,
    by: User | None,
    now: dt.datetime,
) -> ConsentText:
    text = ConsentText.objects.create(
        project=project, version=version, asks=asks, created_by=by, created_at=now, **vars(words)
    )
    audit.record_action(
        "consent_text_published", text, by=by, now=now, project=project, version=version
    )
    return text


# --- answers --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """What somebody agrees to: the version they read, their age, and whether to train models."""

    version: int
    of_age: bool
    may_train: bool | None = None


@transaction.atomic
def give_consent(*, project: Project, agreement: Agreement, by: User, now: dt.datetime) -> Consent:
    """Agree to the newest text of a project; the same answer again changes nothing.

    Raises Conflict when the text has changed since it was read or there is none, and Denied when
    the age or the answer on training is missing.
    """
    check_is_asked(by)
    _wait_for_others(project)
    text = newest_text(project)
    if text is None:
        raise Conflict("This project has no text to agree to yet.")
    check_answer(
        text,
        version=agreement.version,
        of_age=agreement.of_age,
        may_train=agreement.may_train,
    )
    may_train = agreement.may_train if text.asks_training else None
    mine = _in_force(project, by)
    if mine and mine.given_at and (mine.text_id, mine.may_train) == (text.pk, may_train):
        return mine
    _replace(mine, now)
    given = Consent.objects.create(
        user=by, project=project, text=text, given_at=now, may_train=may_train
    )
    audit.record_action(
        "consent_given", given, by=by, now=now, project=project, version=text.version
    )
    return given


@transaction.atomic
def change_training(*, project: Project, may_train: bool, by: User, now: dt.datetime) -> None:
    """Allow or forbid training from now on, without answering the rest of the text again.

    The answer before is kept. Raises Conflict if there is no agreement, or it was never asked.
    """
    _wait_for_others(project)
    mine = _in_force(project, by)
    if mine is None or mine.given_at is None or mine.may_train is None:
        raise Conflict("There is nothing to change: you were not asked about training here.")
    if mine.may_train == may_train:
        return
    _replace(mine, now)
    changed = Consent.objects.create(
        user=by, project=project, text=mine.text, given_at=now, may_train=may_train
    )
    audit.record_action("training_answered", changed, by=by, now=now, project=project)


@transaction.atomic
def refuse_consent(*, project: Project, by: User, now: dt.datetime) -> Consent | None:
    """Say no to the newest text: roles in which people work end, and turns in hand; drafts stay.

    An agreement to an earlier text is over then. Returns None where there is no text to refuse.
    """
    check_is_asked(by)
    _wait_for_others(project)
    text = newest_text(project)
    mine = _in_force(project, by)
    if text is None or (mine and mine.refused_at and mine.text_id == text.pk):
        return mine
    _replace(mine, now)
    Background.objects.filter(user=by, project=project).delete()
    refused = Consent.objects.create(user=by, project=project, text=text, refused_at=now)
    audit.record_action(
        "consent_refused", refused, by=by, now=now, project=project, version=text.version
    )
    _end_work(project, by, now)
    return refused


@transaction.atomic
def withdraw_consent(*, project: Project, by: User, now: dt.datetime) -> bool:
    """Withdraw an agreement: roles in which people work end, and turns in hand; drafts stay.

    What was submitted stays under the pseudonym and trains no model. Returns whether there was one.
    """
    _wait_for_others(project)
    mine = _in_force(project, by)
    if mine is None or mine.given_at is None:
        return False
    mine.withdrawn_at = now
    mine.save(update_fields=["withdrawn_at"])
    audit.record_action("consent_withdrawn", mine, by=by, now=now, project=project)
    Background.objects.filter(user=by, project=project).delete()
    _end_work(project, by, now)
    return True


@dataclass(frozen=True)
class BackgroundSaid:
    """What somebody says about themselves; None or "" where they do not wish to."""

    native_speaker: bool | None = None
    full_time: bool | None = None
    country: str = ""


@transaction.atomic
def save_background(
    *, project: Project, said: BackgroundSaid, by: User, now: dt.datetime
) -> Background | None:
    """Keep what a person says about themselves in place of what they said before (S16, Q6).

    Nothing is kept of who says nothing. Raises Conflict where they have not agreed, or where the
    text that they agreed to does not ask.
    """
    _wait_for_others(project)
    mine = _in_force(project, by)
    if mine is None or mine.given_at is None or not mine.text.asks_background:
        raise Conflict("You are not asked about yourself in this project.")
    rows = Background.objects.filter(user=by, project=project)
    if said == BackgroundSaid():
        rows.delete()
        return None
    return Background.objects.update_or_create(
        user=by, project=project, defaults={**vars(said), "said_at": now}
    )[0]


def forget_consents(user: User, now: dt.datetime) -> None:
    """Withdraw every agreement of a person who is erased. The rows stay: they prove what was agreed
    to, and name nobody any longer. What they said about themselves is deleted.
    """
    Background.objects.filter(user=user).delete()
    Consent.objects.filter(IN_FORCE, user=user, given_at__isnull=False).update(withdrawn_at=now)


def _wait_for_others(project: Project) -> None:
    """Wait for whoever answers or gives and takes roles in the project at this moment."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _in_force(project: Project, user: User) -> Consent | None:
    return Consent.objects.filter(IN_FORCE, project=project, user=user).first()


def _replace(mine: Consent | None, now: dt.datetime) -> None:
    if mine is not None:
        mine.replaced_at = now
        mine.save(update_fields=["replaced_at"])


def _end_work(project: Project, user: User, now: dt.datetime) -> None:
    """End the roles in which the person works, and every turn of theirs.

    Roles end rather than pause: the engine then refuses whatever a page that is still open sends,
    the team sees at once that the person has left, and coming back is for both to decide.
    """
    memberships = Membership.objects.filter(user=user, project=project, role__in=WORKING_ROLES)
    for membership in memberships.select_related("user", "project").order_by("pk"):
        end_membership(membership=membership, by=user, now=now)
    for role in sorted({stage.role for stage in stages.of_protocol(project.protocol)}):
        end_turns(user=user, project=project, role=role, by=user, now=now)
