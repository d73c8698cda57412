"""What a member of a project has to do, or why they have nothing, and what would change that.

Pure: `work_queries` reads the facts from the rows that the engine reads.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.core.models.people import Role, join_role_names

STAFF = frozenset({Role.RESEARCHER.value, Role.ADMIN.value})
# Roles whose work comes with a study or an audit, not with the questions.
BY_STUDIES = frozenset(Role.values) - STAFF - {Role.ANNOTATOR.value, Role.VALIDATOR.value}
MOST = 1000


class Reason(StrEnum):
    """Why somebody has work, or has none."""

    HAS_WORK = "has work"
    STAFF = "staff"
    OVER = "over"
    NOT_RUNNING = "not running"
    SWITCHED_OFF = "switched off"
    PAUSED = "paused"
    LACKS = "lacks something"
    NOTHING_IMPORTED = "nothing imported"
    NOT_OPEN = "not open"
    NO_STAGE = "no stage"
    HAD_ALL = "had all"
    TAKEN = "taken"
    WAITS = "waits"
    STAGE_DONE = "stage done"


# Not a problem of the person: there is work, or there is none to be had.
FINE = frozenset({Reason.HAS_WORK, Reason.STAFF, Reason.OVER, Reason.NOT_RUNNING})
# Ready to work and with nothing to do, where others have something.
IDLE = frozenset(
    {
        *(Reason.LACKS, Reason.NOT_OPEN, Reason.HAD_ALL, Reason.TAKEN, Reason.WAITS),
        Reason.STAGE_DONE,
    }
)
# What may have a simpler reason: there are questions that the team has not opened.
NEEDS_OPENING = frozenset({Reason.NO_STAGE, Reason.STAGE_DONE})


@dataclass(frozen=True)
class PolicyFacts:
    """One stage on one split. open: tasks with a free seat, up to MOST; held: seats in people's
    hands; back_at: when the first of those comes back if it is not used; waits: whether a question
    has not yet come to the stage.
    """

    stage: str
    label: str
    split: str
    qualification: int | None
    open: int
    held: int
    back_at: dt.datetime | None
    has_tasks: bool
    waits: bool


@dataclass(frozen=True)
class OfferFacts:
    """One policy as it is for one person. lacks: what the first demand that they do not meet says
    they lack, with the number of that demand; ready: whether they would get a task but for that.
    """

    role: str
    policy: PolicyFacts
    lacks: tuple[int, int] | None
    ready: bool


@dataclass(frozen=True)
class ProjectFacts:
    """A project. unfinished: whether anything is left to do in it, by anyone."""

    running: bool
    has_questions: bool
    unfinished: bool


@dataclass(frozen=True)
class MemberFacts:
    """A member. seen_at: when they last did anything; active, parked, returned: turns they hold;
    asked: parked ones with a question to the team that waits.
    """

    user: int
    name: str
    enabled: bool
    roles: Collection[str]
    paused: Collection[str]
    submitted_at: dt.datetime | None
    seen_at: dt.datetime | None
    active: int
    parked: int
    returned: int
    returned_at: dt.datetime | None
    asked: int
    offers: Sequence[OfferFacts] = field(default=())

    @property
    def holds(self) -> int:
        """The number of turns in their hands."""
        return self.active + self.parked + self.returned


@dataclass(frozen=True)
class Lack:
    """What a person lacks, in words, with a page about it: name of its address, and its number."""

    title: str
    hint: str = ""
    page: str = ""
    number: int | None = None
    link: str = ""


@dataclass(frozen=True)
class WorkNote:
    """What to say of a person's work. page: name of the address of `link`, which takes the project
    and, where there is one, `number`.
    """

    reason: Reason
    title: str
    hint: str = ""
    link: str = ""
    page: str = ""
    number: int | None = None

    @property
    def is_fine(self) -> bool:
        """Whether nothing has to be done about it."""
        return self.reason in FINE

    @property
    def has_work(self) -> bool:
        """Whether the person has work now."""
        return self.reason == Reason.HAS_WORK


def explain_work(
    person: MemberFacts, project: ProjectFacts, *, lacks: Mapping[tuple[int, int], Lack]
) -> WorkNote:
    """Return what a person has to do, or why they have nothing.

    lacks: words for each (number of a demand, what is lacking) of the person.
    """
    working = [offer for offer in person.offers if offer.role not in person.paused]
    ready = [offer for offer in working if offer.ready]
    if not person.enabled:
        return WorkNote(Reason.SWITCHED_OFF, "The account is switched off")
    if not project.running:
        return WorkNote(Reason.NOT_RUNNING, "The project is not running")
    if person.holds:
        return WorkNote(Reason.HAS_WORK, "Has work", _held_hint(person))
    if any(offer.lacks is None for offer in ready):
        return WorkNote(Reason.HAS_WORK, "Has work")
    if set(person.roles) <= STAFF and not ready:
        return WorkNote(Reason.STAFF, "Staff get none")
    if not project.has_questions:
        return WorkNote(
            Reason.NOTHING_IMPORTED,
            "There are no questions yet",
            link="Import questions",
            page="project-overview",
        )
    if not project.unfinished:
        return WorkNote(Reason.OVER, "All work is done")
    if person.paused and not working:
        return WorkNote(Reason.PAUSED, "Paused")
    for offer in ready:
        if offer.lacks:
            lack = lacks[offer.lacks]
            return WorkNote(Reason.LACKS, lack.title, lack.hint, lack.link, lack.page, lack.number)
    return _explain_empty(person, working)


def _explain_empty(person: MemberFacts, working: Sequence[OfferFacts]) -> WorkNote:
    """Return why a person whom nothing stops gets nothing, though work is left in the project."""
    policies = [offer.policy for offer in working]
    if number := sum(policy.open for policy in policies):
        splits = " and ".join(dict.fromkeys(each.split for each in policies if each.open))
        many = f"{MOST:,} or more" if number >= MOST else f"{number:,}"
        left = f"{many} questions of {splits} need more people, and they have had each of them."
        if number == 1:
            left = f"One question of {splits} needs more people, and they have had it."
        return WorkNote(
            Reason.HAD_ALL,
            "Has had everything open",
            left,
            "Change the policies",
            "project-policies",
        )
    if number := sum(policy.held for policy in policies):
        others = "others have the last one" if number == 1 else f"others have the last {number:,}"
        return WorkNote(
            Reason.TAKEN,
            "Everything open is in others’ hands",
            f"For the moment {others}. What they release comes back.",
            "Ask more people per question",
            "project-policies",
        )
    if any(policy.waits for policy in policies):
        label = next(policy.label for policy in policies if policy.waits)
        return WorkNote(
            Reason.WAITS,
            "Waits for the work of others",
            f"No question has come as far as “{label}” for them yet.",
        )
    roles = join_role_names(set(person.roles) - STAFF)
    if not any(policy.has_tasks for policy in policies):
        title = f"No work is open to the role {roles}"
        if not set(person.roles) - STAFF - BY_STUDIES:
            return WorkNote(Reason.NO_STAGE, title, "It comes with a study or an audit.")
        hint = "No stage of the project has a task for it."
        return WorkNote(Reason.NO_STAGE, title, hint, "See the policies", "project-policies")
    return WorkNote(
        Reason.STAGE_DONE,
        "Their part is done",
        f"Nothing is left for the role {roles}. Give them another role, or import more questions.",
    )


NOT_OPEN = WorkNote(
    Reason.NOT_OPEN,
    "The questions are not open yet",
    "They were imported to be opened later.",
    "Open them",
    "project-questions",
)


def _held_hint(person: MemberFacts) -> str:
    """Return what a person holds that may need a word from the team, "" if nothing does."""
    parts = []
    if person.returned and person.returned_at:
        day = f"{person.returned_at.day} {person.returned_at:%B}"
        parts.append(f"{person.returned} returned to them, the first on {day}")
    if person.parked:
        parked = f"{person.parked} question{'' if person.parked == 1 else 's'} parked"
        parts.append(f"{parked}, with a question to the team" if person.asked else parked)
    return "; ".join(parts)
