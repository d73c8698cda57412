"""Answers to consent texts: one person's, everyone's, and the people who allow training."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from psycopg2.sql import SQL

from accounts.models import User
from annotation.consent.countries import name_country
from annotation.consent.models import Background, Consent, ConsentText
from annotation.consent.policies import WORKING_ROLES, NotAgreed
from annotation.consent.statements import TEXT_TO_AGREE_TO
from annotation.core.models.people import Membership, Role
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.extensions.parts import Demand, LackWords, TurnColumn
from annotation.text.addresses import address_of

IN_FORCE = Q(withdrawn_at=None, replaced_at=None)


# --- what the engine asks -------------------------------------------------------------------------


def _not_agreed(text: int) -> NotAgreed:
    # Only people who are refused cost this statement.
    return NotAgreed(ConsentText.objects.select_related("project").get(pk=text))


def _lead_there(assignment: Assignment, text: int | None) -> None:
    if text is not None:
        assignment.leads_to = address_of("consent-give", assignment.project.slug)


DEMAND = Demand(
    missing=SQL(TEXT_TO_AGREE_TO.format(project="p.project_id", user="%(user)s")),
    refusal=_not_agreed,
    lasting=True,
    before_exams=True,
    for_team=LackWords(
        "Has not agreed to the consent text",
        "They are asked when they come, and get work once they agree.",
        "project-consent",
        "See the answers",
    ),
)
TURN_COLUMN = TurnColumn(
    sql=f"to_jsonb({TEXT_TO_AGREE_TO.format(project='p.id', user='a.user_id')})",
    keep=_lead_there,
)


# --- one person -----------------------------------------------------------------------------------


def newest_text(project: Project) -> ConsentText | None:
    """Return the text that people read now. One query."""
    return ConsentText.objects.filter(project=project).order_by("-version").first()


def consent_in_force(user: User, project: Project) -> Consent | None:
    """Return the person's answer that counts now, agreed or refused. One query."""
    rows = Consent.objects.filter(IN_FORCE, user=user, project=project)
    return rows.select_related("text").first()


def has_to_answer(user: User, project: Project) -> bool:
    """Return whether the person gets no work before they have agreed. One query."""
    text = RawSQL(TEXT_TO_AGREE_TO.format(project="%s", user="%s"), [*_ids(user, project)])  # noqa: S611 - a constant
    return (
        Project.objects.filter(pk=project.pk)
        .annotate(text=text)
        .filter(text__isnull=False)
        .exists()
    )


def _ids(user: User, project: Project) -> Sequence[int]:
    """Return the values of TEXT_TO_AGREE_TO in the order of their places."""
    return (project.pk, user.pk, project.pk, user.pk)


def agreed_by(user: User) -> QuerySet[Project]:
    """Return the projects in which the person has agreed, also those that they have left."""
    return Project.objects.filter(
        pk__in=Consent.objects.filter(IN_FORCE, user=user, given_at__isnull=False).values("project")
    )


@dataclass(frozen=True)
class ProjectConsent:
    """A person's answers in one project, the latest first."""

    project: Project
    answers: Sequence[Consent]

    @property
    def latest(self) -> Consent:
        """The answer that counts, or the last one that did."""
        return self.answers[0]

    @property
    def asks_background(self) -> bool:
        """Whether the person may say something about themselves: the text they agreed to asks."""
        return self.stands and self.latest.text.asks_background

    @property
    def stands(self) -> bool:
        """Whether the person has agreed and not withdrawn."""
        return self.latest.state == "agreed"


def list_own_consents(user: User) -> list[ProjectConsent]:
    """Return the person's answers, by project. One query."""
    rows = Consent.objects.filter(user=user).select_related("project", "text")
    by_project: dict[int, list[Consent]] = {}
    for row in rows.order_by("project__title", "project_id", "-id"):
        by_project.setdefault(row.project_id, []).append(row)
    return [ProjectConsent(answers[0].project, answers) for answers in by_project.values()]


def list_own_backgrounds(user: User) -> Mapping[int, Background]:
    """Return what the person said about themselves, by project. One query."""
    return {row.project_id: row for row in Background.objects.filter(user=user)}


# --- training -------------------------------------------------------------------------------------


def people_who_allow_training(project: Project) -> QuerySet[User]:
    """Return the people whose answers in the project may train models now.

    Those who said so, have not withdrawn it and have not been erased; no one where there is no
    text. Participants of crowds are never among them: their consent page does not ask.
    """
    allowed = Consent.objects.filter(IN_FORCE, project=project, may_train=True)
    return User.objects.filter(pk__in=allowed.values("user")).order_by("pk")


def may_train_models() -> Exists:
    """Return the condition for assignments whose person allows that they train models."""
    return Exists(
        Consent.objects.filter(
            IN_FORCE, user=OuterRef("user"), project=OuterRef("project"), may_train=True
        )
    )


# --- for the team ---------------------------------------------------------------------------------


@dataclass
class ConsentOfPerson:
    """Where one person of a project is with its text; `answers`: the latest first."""

    user: User
    required: int
    roles: list[str] = field(default_factory=list)
    answers: list[Consent] = field(default_factory=list)

    @property
    def state(self) -> str:
        """agreed, refused, withdrawn, again (to be asked again) or waiting (not asked yet)."""
        if not self.answers:
            return "waiting"
        state = self.answers[0].state
        if state == "agreed" and self.answers[0].text.version < self.required:
            return "again"
        return state


@dataclass(frozen=True)
class ConsentCounts:
    """How many people are where, and how many allow training."""

    agreed: int
    waiting: int
    refused: int
    withdrawn: int
    may_train: int


def required_version(project: Project) -> int:
    """Return the version that people must have agreed to, or a later one; 0 if none. One query."""
    asks = ConsentText.objects.filter(project=project, asks=True).order_by("-version")
    return asks.values_list("version", flat=True).first() or 0


def list_people(project: Project) -> list[ConsentOfPerson]:
    """Return everyone who works in the project or has answered, by name. Three queries.

    Staff who do no work are not asked, and participants of crowds have a page of their own.
    """
    required = required_version(project)
    people: dict[int, ConsentOfPerson] = {}
    members = Membership.objects.filter(project=project, user__is_participant=False)
    roles: dict[int, list[str]] = {}
    for row in members.select_related("user").order_by("user_id", "role"):
        roles.setdefault(row.user_id, []).append(str(Role(row.role).label))
        if row.role in WORKING_ROLES:
            people.setdefault(row.user_id, ConsentOfPerson(row.user, required))
    answers = Consent.objects.filter(project=project).select_related("user", "text")
    for answer in answers.order_by("-id"):
        person = people.setdefault(answer.user_id, ConsentOfPerson(answer.user, required))
        person.answers.append(answer)
    for pk, person in people.items():
        person.roles = roles.get(pk, [])
    return sorted(people.values(), key=lambda person: (person.user.name, person.user.pk))


def count_people(people: Sequence[ConsentOfPerson]) -> ConsentCounts:
    """Return how many of these people are where."""
    states = [person.state for person in people]
    return ConsentCounts(
        agreed=states.count("agreed"),
        waiting=states.count("waiting") + states.count("again"),
        refused=states.count("refused"),
        withdrawn=states.count("withdrawn"),
        may_train=sum(
            person.state in ("agreed", "again") and bool(person.answers[0].may_train)
            for person in people
        ),
    )


@dataclass(frozen=True)
class BackgroundShare:
    """How many of those who said something about one thing said this; share in per cent."""

    about: str
    said: str
    people: int
    of: int

    @property
    def share(self) -> float:
        return 100 * self.people / self.of


# Fewer would tell who said what.
FEWEST = 5
FEWEST_OF_A_COUNTRY = 3


def list_background_shares(project: Project) -> list[BackgroundShare]:
    """Return what the people of a project said about themselves, as shares (S16, Q6). One query.

    Only where at least FEWEST said something about a thing; countries of fewer than
    FEWEST_OF_A_COUNTRY are counted together.
    """
    rows = list(
        Background.objects.filter(project=project).values_list(
            "native_speaker", "full_time", "country"
        )
    )
    words = {True: "yes", False: "no"}
    native = Counter(words[said] for said, _, _ in rows if said is not None)
    full_time = Counter(words[said] for _, said, _ in rows if said is not None)
    countries = Counter(code for _, _, code in rows if code)
    named = Counter(
        {
            name_country(code): number
            for code, number in countries.items()
            if number >= FEWEST_OF_A_COUNTRY
        }
    )
    if others := countries.total() - named.total():
        named["other countries"] = others
    return [
        BackgroundShare(about, said, number, counts.total())
        for about, counts in (
            ("Native speaker", native),
            ("Works full time", full_time),
            ("Country", named),
        )
        if counts.total() >= FEWEST
        for said, number in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    ]
