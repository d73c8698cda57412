"""What members have to do, or why they have nothing, read from the rows that the engine reads.

The same number of queries for any number of people, at most eight.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import or_
from typing import Any

from django.db import connection
from django.db.models import Q

from annotation.core import states
from annotation.core.models.projects import Project
from annotation.core.models.qualifications import Qualification
from annotation.core.models.questions import Question
from annotation.extensions import hooks
from annotation.imports.opening import is_closed
from annotation.people.statements import MEMBERS, OFFERS, POLICIES, PROJECTS
from annotation.people.work_notes import (
    IDLE,
    MOST,
    NEEDS_OPENING,
    NOT_OPEN,
    Lack,
    MemberFacts,
    OfferFacts,
    PolicyFacts,
    ProjectFacts,
    WorkNote,
    explain_work,
)
from annotation.qualifications.models import QualificationAttempt
from annotation.qualifications.policies import DEMAND as QUALIFICATION
from annotation.stages import registry as stages
from annotation.work.picking import had_values, not_had_sql
from annotation.work.seats import seats_sql, seats_values

# The seats of a task once those whose lease has ended are taken back.
_HELD_ON = "AND NOT (a.state IN ('active', 'parked') AND a.lease_ends_at <= %(now)s)"
_UNFINISHED = ("imported", "generating", "validating")
Attempt = QualificationAttempt.State


@dataclass(frozen=True)
class MemberWork:
    """A member with what is to be said of their work."""

    facts: MemberFacts
    note: WorkNote


def list_work(projects: Collection[Project], *, now: dt.datetime) -> dict[int, list[MemberWork]]:
    """Return each member of each project with their work, by name, by id of the project."""
    ids = [project.pk for project in projects]
    people = _read_members(ids)
    policies = _read_policies(ids)
    offers = _read_offers(ids, policies, now)
    facts = _project_facts(projects, policies)
    lacks = _describe_lacks(offers)
    work: dict[int, list[MemberWork]] = defaultdict(list)
    for pk, person in people:
        whole = replace(person, offers=offers.get((pk, person.user), ()))
        note = explain_work(whole, facts[pk], lacks=lacks.get(person.user, {}))
        work[pk].append(MemberWork(whole, note))
    return _name_closed(projects, work)


def _name_closed(
    projects: Collection[Project], work: Mapping[int, list[MemberWork]]
) -> dict[int, list[MemberWork]]:
    """Say of people whose stage has nothing that there are questions to open, where there are.

    One query, and only where this can be the reason.
    """
    empty = {
        project.pk: {
            each.facts.user
            for each in work.get(project.pk, ())
            if each.note.reason in NEEDS_OPENING and _begins(project, each.facts)
        }
        for project in projects
    }
    asked = [Q(project=each) & is_closed(each) for each in projects if empty[each.pk]]
    closed: set[int] = set()
    if asked:
        rows = Question.objects.filter(reduce(or_, asked)).order_by()
        closed = set(rows.values_list("project", flat=True).distinct())
    return {
        pk: [
            replace(each, note=NOT_OPEN) if pk in closed and each.facts.user in empty[pk] else each
            for each in members
        ]
        for pk, members in work.items()
    }


def _begins(project: Project, person: MemberFacts) -> bool:
    """Whether the person works in a stage that questions begin with."""
    first = stages.list_writing_stages(project)
    return any(offer.policy.stage in first for offer in person.offers)


def list_idle(projects: Collection[Project], *, now: dt.datetime) -> list[tuple[int, str]]:
    """Return project and name of each member who is ready to work and has nothing to do."""
    work = list_work(projects, now=now)
    return [
        (pk, each.facts.name)
        for pk, members in work.items()
        for each in members
        if each.note.reason in IDLE
    ]


# --- the rows ------------------------------------------------------------------------------------


def _fetch(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _read_members(projects: Sequence[int]) -> list[tuple[int, MemberFacts]]:
    rows = _fetch(MEMBERS, {"projects": projects})
    return [(pk, MemberFacts(*fields)) for pk, *fields in rows]


def _read_policies(projects: Sequence[int]) -> dict[int, tuple[int, PolicyFacts]]:
    """Return project and facts of each policy, by its id."""
    every = stages.list_stages()
    values = {
        "projects": projects,
        "stages": [stage.key for stage in every],
        "opens_in": [stage.opens_in for stage in every],
        "unfinished": list(_UNFINISHED),
        "most": MOST,
    }
    return {
        pk: (project, PolicyFacts(stage, stages.get_stage(stage).label, *fields))
        for project, pk, stage, *fields in _fetch(POLICIES, values)
    }


@cache
def _offers_sql() -> str:
    lacks = ", ".join(
        demand.missing.string.replace("%(user)s", "m.user_id") for demand in hooks.list_demands()
    )
    return OFFERS.format(
        lacks=lacks,
        not_had=not_had_sql(user="m.user_id", stage="p.stage"),
        seats_then=seats_sql(_HELD_ON),
    )


def _read_offers(
    projects: Sequence[int], policies: Mapping[int, tuple[int, PolicyFacts]], now: dt.datetime
) -> dict[tuple[int, int], list[OfferFacts]]:
    """Return what the engine has for each member, by project and person."""
    every = stages.list_stages()
    values = {
        **seats_values(),
        **had_values(),
        "projects": projects,
        "stages": [stage.key for stage in every],
        "roles": [stage.role for stage in every],
        "now": now,
    }
    offers = defaultdict(list)
    for project, user, role, policy, missing, ready in _fetch(_offers_sql(), values):
        lacking = next(((n, value) for n, value in enumerate(missing) if value is not None), None)
        offers[project, user].append(OfferFacts(role, policies[policy][1], lacking, ready))
    return offers


def _project_facts(
    projects: Collection[Project], policies: Mapping[int, tuple[int, PolicyFacts]]
) -> dict[int, ProjectFacts]:
    undecided = sorted(set(Question.State.values) - states.DECIDED)
    rows = _fetch(
        PROJECTS, {"projects": [project.pk for project in projects], "undecided": undecided}
    )
    read = {pk: (questions, left) for pk, questions, left in rows}
    busy = {project for project, facts in policies.values() if facts.open or facts.held}
    return {
        project.pk: ProjectFacts(
            running=project.state == Project.State.RUNNING,
            has_questions=read[project.pk][0],
            unfinished=read[project.pk][1] or project.pk in busy,
        )
        for project in projects
    }


# --- what people lack, in words ------------------------------------------------------------------


def _describe_lacks(
    offers: Mapping[tuple[int, int], Sequence[OfferFacts]],
) -> dict[int, dict[tuple[int, int], Lack]]:
    """Return the words for what each person lacks for work that is there. Two queries at most."""
    wanted = {
        (user, offer.lacks)
        for (_, user), theirs in offers.items()
        for offer in theirs
        if offer.lacks and offer.ready
    }
    demands = hooks.list_demands()
    exams = {(user, lack[1]) for user, lack in wanted if demands[lack[0]] is QUALIFICATION}
    described = _describe_exams(exams)
    words: dict[int, dict[tuple[int, int], Lack]] = defaultdict(dict)
    for user, lack in wanted:
        number, value = lack
        said = demands[number].for_team
        words[user][lack] = (
            described[user, value]
            if demands[number] is QUALIFICATION
            else Lack(said.title, said.hint, said.page, link=said.link)
        )
    return words


def _describe_exams(wanted: Collection[tuple[int, int]]) -> dict[tuple[int, int], Lack]:
    """Return how far people are with the qualifications that they lack, by person and number."""
    if not wanted:
        return {}
    exams = Qualification.objects.in_bulk({number for _, number in wanted})
    attempts = QualificationAttempt.objects.filter(
        user__in={user for user, _ in wanted}, qualification__in=exams
    )
    latest = {
        (user, number): state
        for user, number, state in attempts.order_by("user", "qualification", "-pk")
        .distinct("user", "qualification")
        .values_list("user", "qualification", "state")
    }
    return {
        (user, number): _describe_exam(exams[number], latest.get((user, number)))
        for user, number in wanted
    }


def _describe_exam(exam: Qualification, state: str | None) -> Lack:
    hints: Mapping[str, tuple[str, str]] = {
        Attempt.IN_PROGRESS: ("Has begun it.", "See how far they are"),
        Attempt.IN_REVIEW: ("Their attempt waits for the team.", "Read it"),
        Attempt.FAILED: ("Did not pass the last attempt.", "See which"),
    }
    hint, link = hints.get(state or "", ("Has not started it.", "See the qualification"))
    if exam.state != Qualification.State.OPEN:
        hint, link = f"It is {exam.get_state_display().lower()}.", "Open it"
    return Lack(f"Has not passed “{exam.title}”", hint, "qualification-view", exam.pk, link)
