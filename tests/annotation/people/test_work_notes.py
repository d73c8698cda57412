"""Why somebody has no work: what is said agrees with what the engine would hand out."""

import datetime as dt

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.core.refusals import Denied
from annotation.models import Membership, Project, Question, StagePolicy, Task
from annotation.people.work_notes import (
    Lack,
    MemberFacts,
    OfferFacts,
    PolicyFacts,
    ProjectFacts,
    Reason,
    explain_work,
)
from annotation.people.work_queries import list_idle, list_work
from annotation.qualifications.models import Qualified
from annotation.stages import registry as stages
from annotation.work import assignments, leases
from tests import factories
from tests.annotation.qualifications.helpers import make as make_exam

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


# --- pure ----------------------------------------------------------------------------------------


def policy(**facts):
    defaults = {
        "stage": "generation",
        "label": "Generation",
        "split": "dev",
        "qualification": None,
        "open": 0,
        "held": 0,
        "back_at": None,
        "has_tasks": True,
        "waits": False,
    }
    return PolicyFacts(**defaults | facts)


def offer(role="annotator", *, lacks=None, ready=False, **facts):
    return OfferFacts(role, policy(**facts), lacks, ready)


def member(*offers, **facts):
    defaults = {
        "user": 1,
        "name": "Nora",
        "enabled": True,
        "roles": ["annotator"],
        "paused": [],
        "submitted_at": None,
        "seen_at": None,
        "active": 0,
        "parked": 0,
        "returned": 0,
        "returned_at": None,
        "asked": 0,
    }
    return MemberFacts(**defaults | facts, offers=offers)


def explain(person, **facts):
    defaults = {"running": True, "has_questions": True, "unfinished": True}
    return explain_work(
        person, ProjectFacts(**defaults | facts), lacks={(0, 7): Lack("Has not passed “X”")}
    )


@pytest.mark.parametrize(
    ("person", "reason", "title"),
    [
        (member(offer(ready=True)), Reason.HAS_WORK, "Has work"),
        (member(offer(ready=True), enabled=False), Reason.SWITCHED_OFF, "switched off"),
        (member(active=1), Reason.HAS_WORK, "Has work"),
        (member(offer(ready=True, lacks=(0, 7))), Reason.LACKS, "Has not passed “X”"),
        (
            member(offer(ready=True, lacks=(0, 7)), offer(ready=True)),
            Reason.HAS_WORK,
            "Has work",
        ),
        (member(offer(lacks=(0, 7))), Reason.STAGE_DONE, "Their part is done"),
        (member(offer(ready=True), paused=["annotator"]), Reason.PAUSED, "Paused"),
        (
            member(
                offer(ready=True),
                offer("validator", ready=True),
                roles=["annotator", "validator"],
                paused=["annotator"],
            ),
            Reason.HAS_WORK,
            "Has work",
        ),
        (member(roles=["admin"]), Reason.STAFF, "Staff get none"),
        (member(offer("researcher", ready=True), roles=["researcher"]), Reason.HAS_WORK, "Has"),
        (member(offer(open=3)), Reason.HAD_ALL, "Has had everything open"),
        (member(offer(held=1)), Reason.TAKEN, "in others’ hands"),
        (member(offer(waits=True)), Reason.WAITS, "Waits for the work of others"),
        (member(offer(has_tasks=False)), Reason.NO_STAGE, "open to the role annotator"),
        (member(roles=["judge"]), Reason.NO_STAGE, "open to the role judge"),
    ],
)
def test_each_reason(person, reason, title):
    note = explain(person)
    assert note.reason == reason
    assert title in note.title
    assert note.has_work == (reason == Reason.HAS_WORK)


def test_where_nothing_is_to_be_had_nobody_is_a_problem():
    idle = member(offer(lacks=(0, 7)))
    assert explain(idle, unfinished=False).reason == Reason.OVER
    paused = member(offer(), paused=["annotator"])
    assert explain(paused, unfinished=False).is_fine
    assert explain(idle, running=False).is_fine
    note = explain(idle, has_questions=False, unfinished=False)
    assert (note.reason, note.page) == (Reason.NOTHING_IMPORTED, "project-overview")


def test_what_they_hold_is_said():
    person = member(parked=2, asked=1, returned=1, returned_at=NOW)
    assert explain(person).hint == (
        "1 returned to them, the first on 1 March; 2 questions parked, with a question to the team"
    )


def test_numbers_are_said_in_words():
    assert "One question of dev needs more people" in explain(member(offer(open=1))).hint
    both = member(offer(open=1), offer(open=2, split="train"))
    assert "3 questions of dev and train need more people" in explain(both).hint
    assert "1,000 or more questions" in explain(member(offer(open=1000))).hint
    assert "others have the last one" in explain(member(offer(held=1))).hint


# --- with the engine -----------------------------------------------------------------------------


def would_get_work(project, user, now):
    """Ask the engine for a task of each stage of the person, and put everything back."""
    roles = set(
        Membership.objects.filter(project=project, user=user).values_list("role", flat=True)
    )
    for stage in stages.of_protocol(project.protocol):
        if stage.role not in roles:
            continue
        try:
            with transaction.atomic():
                turn = assignments.take_next(project=project, stage=stage.key, by=user, now=now)
                transaction.set_rollback(True)
        except Denied:
            continue
        if turn is not None:
            return True
    return False


@pytest.fixture
def round_(project, ada, now):
    """A round in which everyone has another reason, by name."""
    StagePolicy.objects.create(project=project, stage="validation", split="dev", people=1)
    exam = make_exam(project, ada, now)
    project.policies.filter(split="test").update(qualification=exam)
    open_, ending = factories.make_task(project), factories.make_task(project, split="train")
    factories.make_task(project, split="test")

    def person(name, *roles):
        return factories.make_member(project, *(roles or ["annotator"]), name=name)

    done = person("had all")
    for task in Task.objects.all():
        if task.policy.qualification_id is None:
            factories.make_assignment(task, done, state="skipped")
    passed = person("passed")
    for task in (open_, ending):
        factories.make_assignment(task, passed, state="skipped")
    Qualified.objects.create(qualification=exam, user=passed, given_at=now, given_by=ada)
    holds = person("holds")
    for task in (open_, ending):
        factories.make_assignment(task, holds, state="skipped")
    factories.make_assignment(factories.make_task(project, split="train", seats=1), holds)
    parked = person("parked")
    for task in (open_, ending):
        factories.make_assignment(task, parked, state="skipped")
    turn = factories.make_assignment(factories.make_task(project, seats=1), parked)
    leases.park_assignment(assignment=turn, reason="Asks the team.", by=parked, now=now)
    paused = person("paused")
    Membership.objects.filter(user=paused).update(paused_at=now, pause_reason="10 skips")
    person("fresh")
    person("validator", "validator")
    person("judge", "judge")
    person("researcher", "researcher")
    person("gone")
    type(paused).objects.filter(name="gone").update(is_active=False)
    return project


@pytest.mark.django_db
def test_the_notes_agree_with_the_engine(round_, now):
    work = list_work([round_], now=now)[round_.pk]
    notes = {each.facts.name: each.note for each in work}
    assert {name: note.reason.value for name, note in notes.items()} == {
        "Ada Adler": "staff",
        "fresh": "has work",
        "gone": "switched off",
        "had all": "lacks something",
        "holds": "has work",
        "judge": "no stage",
        "parked": "has work",
        "passed": "has work",
        "paused": "paused",
        "researcher": "staff",
        "validator": "waits",
    }
    assert notes["had all"].title.startswith("Has not passed “")
    assert notes["had all"].hint == "Has not started it."
    assert notes["parked"].hint == "1 question parked"
    for each in work:
        if not each.facts.enabled:  # cannot sign in, so that the engine is not asked
            continue
        user = Membership.objects.filter(user=each.facts.user).first().user
        gets = would_get_work(round_, user, now)
        assert each.note.has_work == (gets or each.facts.holds > 0), each.facts.name
    assert list_idle([round_], now=now) == [(round_.pk, name) for name in ("had all", "validator")]


@pytest.mark.django_db
def test_seats_whose_lease_has_ended_count_as_work(project, ann, now):
    task = factories.make_task(project, split="train", seats=1)
    other = factories.make_member(project, "annotator", name="Other")
    turn = factories.make_assignment(task, other)
    assert dict(names(project, now))["Ann Archer"] == Reason.TAKEN
    assert not would_get_work(project, ann, now)
    type(turn).objects.filter(pk=turn.pk).update(lease_ends_at=now)
    assert dict(names(project, now))["Ann Archer"] == Reason.HAS_WORK
    assert would_get_work(project, ann, now)


def names(project, now):
    return [
        (each.facts.name, each.note.reason) for each in list_work([project], now=now)[project.pk]
    ]


@pytest.mark.django_db
def test_a_finished_round_and_one_without_questions(project, ann, now):
    assert dict(names(project, now))["Ann Archer"] == Reason.NOTHING_IMPORTED
    factories.make_task(project, seats=0)
    assert dict(names(project, now))["Ann Archer"] == Reason.STAGE_DONE
    Question.objects.update(state="accepted")
    assert dict(names(project, now))["Ann Archer"] == Reason.OVER
    assert list_idle([project], now=now) == []
    factories.make_task(project)
    Project.objects.filter(pk=project.pk).update(state="paused")
    project.refresh_from_db()
    assert dict(names(project, now))["Ann Archer"] == Reason.NOT_RUNNING


@pytest.mark.django_db
def test_the_number_of_queries_does_not_grow(round_, now):
    def count():
        with CaptureQueriesContext(connection) as queries:
            list_work([round_], now=now)
        return len(queries)

    few = count()
    for number in range(200):
        factories.make_member(round_, "annotator", "validator", name=f"More {number}")
    assert count() == few <= 6
