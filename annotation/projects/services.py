"""Create projects and change their settings, policies and state. Every change is audited."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

import annotation
from accounts.fields import one_line
from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.consent import services as consent_services
from annotation.consent.services import ConsentWords
from annotation.core import audit
from annotation.core.models.people import Membership, Role
from annotation.core.models.projects import Guideline, Project, StagePolicy
from annotation.core.refusals import Conflict, Denied
from annotation.golds import services as golds_services
from annotation.golds.queries import describe_unsuggested_work
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from annotation.work.tasks import change_people
from wikipedia.models import Snapshot

NOT_SLUGS = {"new"}  # /projects/new/ makes a project

GUIDELINES = Path(annotation.__file__).parent / "guidelines"


@transaction.atomic
def create_project(
    *,
    slug: str,
    title: str,
    protocol: str,
    snapshot: Snapshot,
    by: User | None,
    now: dt.datetime,
    reference_date: dt.date | None = None,
    guidelines: str | None = None,
    consent: ConsentWords | None = None,
) -> Project:
    """Create a project with the paper's policies; `by` becomes its admin and researcher.

    The reference date defaults to the last day before 2018 (A9), over a live wiki to the day whose
    revisions it shows; the guidelines to the protocol's own, and the consent text to ours. Raises
    Denied when the protocol has no stages yet, the snapshot is not ready or a name cannot be used,
    Conflict when the slug is taken.
    """
    title = one_line(title)
    _check_names(slug, title)
    if snapshot.state != Snapshot.State.READY:
        raise Denied(
            f"The snapshot “{snapshot.name}” is not ready: "
            f"{snapshot.get_state_display().lower()}. Run index_wikipedia to its end first."
        )
    if protocol not in {each.key for each in protocols.list_protocols()}:
        raise Denied(f"This version does not know the protocol {protocol!r}.")
    try:
        with transaction.atomic():
            project = Project.objects.create(
                slug=slug,
                title=title,
                protocol=protocol,
                snapshot=snapshot,
                reference_date=reference_date or _reference_date(snapshot),
                created_by=by,
                created_at=now,
            )
    except IntegrityError:
        raise Conflict(f'A project called "{slug}" exists already. Choose another name.') from None
    StagePolicy.objects.bulk_create(stages.default_policies(project))
    golds_services.start_plans(project)
    if guidelines is None:
        guidelines = protocols.protocol_of(project).guidelines.read_text(encoding="utf-8")
    first = {"body": guidelines, "created_by": by, "created_at": now}
    Guideline.objects.create(project=project, version=1, **first)
    words = consent or consent_services.write_standard_text(by=by)
    consent_services.start_with_text(project=project, words=words, by=by, now=now)
    if by:
        Membership.objects.bulk_create(
            Membership(user=by, project=project, role=role, created_at=now)
            for role in (Role.RESEARCHER, Role.ADMIN)
        )
    audit.record_action(
        "project_created", project, by=by, now=now, project=project, protocol=protocol
    )
    return project


def _reference_date(snapshot: Snapshot) -> dt.date:
    live = snapshot.kind == Snapshot.Kind.LIVE
    return snapshot.as_of if live else dt.date(2017, 12, 31)


def _check_names(slug: str, title: str) -> None:
    if slug in NOT_SLUGS:
        raise Conflict(f'"{slug}" is an address of Ambit itself. Choose another name.')
    for text, what, most in ((slug, "short name", 60), (title, "name", 120)):
        if len(text) > most:
            raise Denied(f"The {what} has {len(text)} characters. The maximum is {most}.")


@transaction.atomic
def publish_guidelines(*, project: Project, body: str, by: User, now: dt.datetime) -> Guideline:
    """Publish a new version of the guidelines; unchanged text makes none."""
    check_can_manage(by, project)
    # The lock makes simultaneous versions wait instead of colliding.
    Project.objects.select_for_update().get(pk=project.pk)
    newest = project.guidelines.order_by("-version").first()
    if newest and newest.body == body:
        return newest
    version = (newest.version if newest else 0) + 1
    guideline = Guideline.objects.create(
        project=project, version=version, body=body, created_by=by, created_at=now
    )
    audit.record_action(
        "guidelines_published", project, by=by, now=now, project=project, version=version
    )
    return guideline


@transaction.atomic
def change_settings(
    *, project: Project, changes: Mapping[str, Any], by: User, now: dt.datetime
) -> None:
    """Change fields of the settings and rules pages; unknown fields are a programming error."""
    check_can_manage(by, project)
    known = {
        *("title", "reference_date", "parked_limit", "skips_before_pause", "claim_days"),
        *("pay_floor", "pay_floor_currency", "weekly_minimum", "rule_settings"),
    }
    if unknown := set(changes) - known:
        raise ValueError(f"not a project setting: {', '.join(sorted(unknown))}")
    before = {field: getattr(project, field) for field in changes}
    changed = {field: value for field, value in changes.items() if before[field] != value}
    if not changed:
        return
    Project.objects.filter(pk=project.pk).update(**changed)
    project.refresh_from_db()
    audit.record_action(
        "project_changed",
        project,
        by=by,
        now=now,
        project=project,
        before={field: _plain(before[field]) for field in changed},
        after={field: _plain(value) for field, value in changed.items()},
    )


@transaction.atomic
def change_policy(
    *, policy: StagePolicy, changes: Mapping[str, Any], by: User, now: dt.datetime
) -> None:
    """Change a stage policy. More or fewer people also changes the seats of open tasks."""
    check_can_manage(by, policy.project)
    demanded = changes.get("qualification")
    if demanded is not None and demanded.project_id != policy.project_id:
        raise Conflict("This qualification belongs to another project.")
    if changes.get("suggestions"):
        _check_can_suggest(policy, changes["suggestions"])
    before = {field: getattr(policy, field) for field in changes}
    changed = {field: value for field, value in changes.items() if before[field] != value}
    if not changed:
        return
    people = changed.pop("people", None)
    if changed:
        StagePolicy.objects.filter(pk=policy.pk).update(**changed)
    if people is not None:
        change_people(policy=policy, people=people, by=by, now=now)
        changed["people"] = people
    policy.refresh_from_db()
    audit.record_action(
        "policy_changed",
        policy,
        by=by,
        now=now,
        project=policy.project_id,
        before={field: _plain(before[field]) for field in changed},
        after={field: _plain(value) for field, value in changed.items()},
    )


def _check_can_suggest(policy: StagePolicy, system: str) -> None:
    """Raise Conflict where a stage shows no suggestions on a split, or a gold item would be told by
    having none.
    """
    stage = stages.get_stage(policy.stage)
    if policy.split not in stage.suggested_on:
        raise Conflict(stage.no_suggestions)
    if missing := describe_unsuggested_work(policy, system):
        raise Conflict(
            f"{missing} on {policy.split} would have no suggestion of “{system}”, and people could "
            "tell them by that. Let it suggest for all questions of the split, or retire these "
            "items first."
        )


@transaction.atomic
def change_state(*, project: Project, state: str, by: User, now: dt.datetime) -> None:
    """Run, pause, close or archive the project. Drafts are kept in every state.

    An archived project is closed, and hidden from lists unless asked for. Once this is committed
    the engine hands out nothing there: it waits for whoever is being given work at this moment.
    """
    check_can_manage(by, project)
    archives = state == Project.State.ARCHIVED
    before = Project.objects.select_for_update().get(pk=project.pk).state
    moved = before != state
    if moved:
        Project.objects.filter(pk=project.pk).update(
            state=state,
            archived_at=now if archives else None,
            reopens_as=before if archives else "",
        )
    project.refresh_from_db()
    if moved:
        audit.record_action("project_state", project, by=by, now=now, project=project, state=state)


@transaction.atomic
def reopen_project(*, project: Project, by: User, now: dt.datetime) -> None:
    """Give an archived project the state that it had before. Raises Conflict for another one."""
    check_can_manage(by, project)
    state = Project.objects.select_for_update().get(pk=project.pk).reopens_as
    if not state:
        raise Conflict("This project is not archived.")
    change_state(project=project, state=state, by=by, now=now)


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | str | bool | dict | list | None) else str(value)
