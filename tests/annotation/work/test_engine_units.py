"""Stages that split a question into units: K of K means that every unit has its people."""

import random

import pytest
from django.utils import timezone

from annotation.models import Assignment, AuditEntry, Question, Task
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import in_parallel, seats_add_up
from tests.annotation.work.plain_stage import PlainStage, put_in_place

UNITS = ("1", "2", "3", "4", "5")
PEOPLE = 3


@pytest.fixture
def pairs(monkeypatch):
    """A protocol of one stage, with five tasks on each question."""
    stage = PlainStage("pairs", units=UNITS)
    put_in_place(monkeypatch, stage)
    return stage


@pytest.fixture
def question(project, pairs):
    project.policies.all().delete()
    project.policies.create(stage="pairs", split="dev", people=PEOPLE)
    question = factories.make_question(project)
    assert tasks.open_tasks(question_ids=[question.pk], now=timezone.now()) == len(UNITS)
    return question


def held(question, people):
    """Give every unit to three of the people; return the assignments."""
    units = [task for task in question.tasks.order_by("unit") for _ in range(PEOPLE)]
    rows = [factories.make_assignment(*each) for each in zip(units, people, strict=True)]
    Task.objects.filter(question=question).update(seats=0)
    return rows


def crowd(project):
    names = range(len(UNITS) * PEOPLE)
    return [factories.make_member(project, "annotator", name=f"P{n} Person") for n in names]


def submit(turn):
    turn = Assignment.objects.get(pk=turn.pk)
    return assignments.submit_response(
        assignment=turn, response={}, by=turn.user, now=timezone.now()
    )


def state_of(question):
    return Question.objects.get(pk=question.pk).state


def test_one_unit_with_all_its_people_does_not_finish_the_question(project, question):
    turns = held(question, crowd(project))
    for turn in turns[:PEOPLE]:
        submit(turn)
        assert state_of(question) == "generating"
    for turn in turns[PEOPLE:-1]:
        submit(turn)
        assert state_of(question) == "generating"
    submit(turns[-1])
    assert state_of(question) == "accepted"
    seats_add_up()


@pytest.mark.parametrize("missing", range(len(UNITS)))
def test_a_question_waits_for_its_last_unit_whichever_it_is(project, question, missing):
    turns = held(question, crowd(project))
    last = turns.pop(missing * PEOPLE)
    for turn in turns:
        submit(turn)
    assert state_of(question) == "generating"
    submit(last)
    assert state_of(question) == "accepted"


def test_work_left_out_of_one_unit_opens_the_question_again(project, question, rosa):
    turns = held(question, crowd(project))
    for turn in turns:
        submit(turn)
    left_out = Assignment.objects.get(pk=turns[7].pk)
    now = timezone.now()
    assignments.soft_reject(assignment=left_out, note="Not serious.", by=rosa, now=now)
    assert state_of(question) == "generating"
    assert list(question.tasks.filter(seats=1)) == [left_out.task]
    assignments.use_again(assignment=left_out, by=rosa, now=now)
    assert state_of(question) == "accepted"
    seats_add_up()


def test_a_question_is_skipped_when_every_unit_is(project, question):
    """As many people as were asked for, on each unit; three on one are not enough."""
    turns = held(question, crowd(project))
    for turn in turns[:-1]:
        assignments.skip_question(
            assignment=turn, reason="subjective", by=turn.user, now=timezone.now()
        )
        assert state_of(question) == "imported"
    last = turns[-1]
    assignments.skip_question(
        assignment=last, reason="subjective", by=last.user, now=timezone.now()
    )
    assert state_of(question) == "skipped"
    assert not question.tasks.exclude(seats=0).exists()


@pytest.mark.django_db(transaction=True)
def test_fifteen_submissions_at_once_finish_the_question_with_the_last_of_them(project, pairs):
    project.policies.all().delete()
    project.policies.create(stage="pairs", split="dev", people=PEOPLE)
    people = crowd(project)
    for seed in range(4):
        question = factories.make_question(project)
        tasks.open_tasks(question_ids=[question.pk], now=timezone.now())
        turns = held(question, random.Random(seed).sample(people, len(people)))
        results = in_parallel([lambda turn=turn: submit(turn) for turn in turns])
        assert not [each for each in results if isinstance(each, Exception)], results
        assert state_of(question) == "accepted"
        # The log's rows are written under the question's lock: their order is the order of events.
        targets = [f"assignment:{turn.pk}" for turn in turns]
        rows = AuditEntry.objects.filter(target__in=[*targets, f"question:{question.pk}"])
        actions = list(rows.order_by("pk").values_list("action", "data__after"))
        assert actions[:2] == [("assignment_submitted", None), ("question_state", "generating")]
        assert actions[2:-1] == [("assignment_submitted", None)] * (len(turns) - 1)
        assert actions[-1] == ("question_state", "accepted")
        seats_add_up()


@pytest.mark.django_db(transaction=True)
def test_fifteen_people_take_and_answer_every_seat_of_every_unit(project, question):
    """The engine hands the units out: everybody may answer several, each of them once."""
    people = crowd(project)

    def work(person):
        def until_none_is_left():
            count = 0
            while turn := assignments.take_next(
                project=project, stage="pairs", by=person, now=timezone.now()
            ):
                submit(turn)
                count += 1
            return count

        return until_none_is_left

    results = in_parallel([work(person) for person in people])
    assert not [each for each in results if isinstance(each, Exception)], results
    assert sum(results) == len(UNITS) * PEOPLE
    assert state_of(question) == "accepted"
    for task in question.tasks.all():
        assert task.assignments.filter(state="submitted").count() == PEOPLE
    seats_add_up()
