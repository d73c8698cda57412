"""Publish consent pages, open places for participants, and make links for them."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.models import Project, Role
from annotation.stages import registry as stages
from crowds.models import Briefing, Recruitment
from crowds.platforms import ID, PERSONAL
from crowds.policies.participations import check_can_recruit

# What may change once someone has taken part: what they were told stays true. Each keeps the limit
# of skipped questions that they began under.
CHANGEABLE = frozenset(
    {
        *("title", "study", "signed", "places", "code", "code_screened_out", "code_failed"),
        *("code_declined", "fast_seconds", "skip_limit", "ends_at"),
    }
)
# Participants get neither the answers to judge by nor anything of the team's.
OFFERED_ROLES = (Role.ANNOTATOR, Role.VALIDATOR, Role.JUDGE)
MOST_LINKS = 10_000


def stages_for(project: Project) -> list[tuple[str, str]]:
    """Return the stages that participants can do, as key and label."""
    every = stages.of_protocol(project.protocol)
    return [(stage.key, stage.label) for stage in every if stage.role in OFFERED_ROLES]


def newest_briefing(project: Project) -> Briefing | None:
    """Return the consent page and form that participants see now."""
    return project.briefings.order_by("-version").first()


@transaction.atomic
def publish_briefing(
    *,
    project: Project,
    institution: str,
    contact: str,
    consent: str,
    form: str,
    seen: int,
    by: User,
    now: dt.datetime,
) -> Briefing:
    """Publish a new version of consent page and form; the same texts again are the same version.

    `seen` is the version the person began from. Raises Conflict if there is a newer one.
    """
    check_can_manage(by, project)
    newest = newest_briefing(project)
    version = newest.version if newest else 0
    texts = {"institution": institution, "contact": contact, "consent": consent, "form": form}
    if newest and all(getattr(newest, name) == text for name, text in texts.items()):
        return newest
    problem = Conflict("Someone published another version meanwhile. Reload the page and compare.")
    if version != seen:
        raise problem
    try:
        with transaction.atomic():
            briefing = Briefing.objects.create(
                project=project,
                version=version + 1,
                **texts,
                created_by=by,
                created_at=now,
            )
    except IntegrityError:
        raise problem from None
    audit.record_action(
        "briefing_published", briefing, by=by, now=now, project=project, version=briefing.version
    )
    return briefing


@transaction.atomic
def create_recruitment(
    *, project: Project, fields: Mapping[str, Any], by: User, now: dt.datetime
) -> Recruitment:
    """Open places for participants. `fields` are columns of Recruitment."""
    check_can_recruit(by, project, newest_briefing(project))
    recruitment = Recruitment.objects.create(
        project=project, created_by=by, created_at=now, **fields
    )
    audit.record_action(
        "recruitment_created",
        recruitment,
        by=by,
        now=now,
        project=project,
        title=recruitment.title,
    )
    return recruitment


@transaction.atomic
def change_recruitment(
    *, recruitment: Recruitment, fields: Mapping[str, Any], by: User, now: dt.datetime
) -> None:
    """Change the terms; once someone has taken part, only those that do not concern them."""
    check_can_manage(by, recruitment.project)
    Project.objects.select_for_update(no_key=True).get(pk=recruitment.project_id)
    changed = [name for name, value in fields.items() if getattr(recruitment, name) != value]
    frozen = [name for name in changed if name not in CHANGEABLE]
    if frozen and recruitment.participations.exists():
        words = ", ".join(sorted(name.replace("_", " ") for name in frozen))
        raise Conflict(
            f"People have taken part under these terms, so they stay as they are: {words}. Close "
            "this recruitment and make another one."
        )
    for name in changed:
        setattr(recruitment, name, fields[name])
    if changed:
        recruitment.save(update_fields=changed)
        audit.record_action(
            "recruitment_changed",
            recruitment,
            by=by,
            now=now,
            project=recruitment.project,
            title=recruitment.title,
            columns=sorted(changed),
        )


@transaction.atomic
def set_state(*, recruitment: Recruitment, state: str, by: User, now: dt.datetime) -> None:
    """Open or close a recruitment; who is at work can finish."""
    check_can_manage(by, recruitment.project)
    if state not in Recruitment.State.values:
        raise Conflict("Choose open or closed.")
    if Recruitment.objects.filter(pk=recruitment.pk).exclude(state=state).update(state=state):
        recruitment.state = state
        audit.record_action(
            "recruitment_state",
            recruitment,
            by=by,
            now=now,
            project=recruitment.project,
            title=recruitment.title,
            state=state,
        )


@transaction.atomic
def make_links(
    *,
    recruitment: Recruitment,
    external_ids: Iterable[str],
    ends_at: dt.datetime,
    by: User,
    now: dt.datetime,
) -> dict[str, str]:
    """Return a signed link's token for each id. Nothing is stored but that it was done."""
    check_can_manage(by, recruitment.project)
    if recruitment.platform != PERSONAL:
        raise Conflict("This recruitment has one link for everyone, which names them itself.")
    ids = list(dict.fromkeys(external_ids))
    bad = next((text for text in ids if not ID.fullmatch(text)), None)
    if bad is not None:
        raise Conflict(
            f"“{bad[:64]}” cannot be an id: use up to 64 letters, digits, dots, hyphens and "
            "underscores, beginning with a letter or digit."
        )
    if not 0 < len(ids) <= MOST_LINKS:
        raise Conflict(f"Give 1 to {MOST_LINKS:,} ids, one on each line.")
    if ends_at <= now:
        raise Conflict("The links would have ended already.")
    audit.record_action(
        "participant_links_made",
        recruitment,
        by=by,
        now=now,
        project=recruitment.project,
        title=recruitment.title,
        links=len(ids),
    )
    return {text: recruitment.build_link(text, ends_at).signed_token() for text in ids}
