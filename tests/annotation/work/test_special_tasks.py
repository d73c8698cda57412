"""Tasks with terms of their own: their number of people, their order, and who never gets them."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.home.ready import list_ready_stages
from annotation.models import Question, Task
from annotation.questions import services as questions_services
from annotation.work import assignments, tasks
from annotation.work.tasks import SpecialTask
from tests import factories
from tests.annotation.work.helpers import in_parallel, seats_add_up
from tests.annotation.work.plain_stage import PlainStage, put_in_place


@pytest.fixture
def pairs(monkeypatch, project):
    """A second stage without tasks of its own, whose policy asks for one person."""
    put_in_place(
        monkeypatch,
        PlainStage("page"),
        PlainStage("pairs", first=False, meets_others=True, opens=lambda question: False),
    )
    project.policies.all().delete()
    for stage in ("page", "pairs"):
        project.policies.create(stage=stage, split="dev", people=1)
    return project.policies.get(stage="pairs")


@pytest.fixture
def made(project, pairs):
    return [factories.make_question(project).pk for _ in range(3)]


def open_special(project, *units):
    return tasks.open_special(stage="pairs", project=project, units=units, now=timezone.now())


def take(project, by):
    now = timezone.now()
    return assignments.take_next(project=project, stage="pairs", by=by, now=now)


def submit(turn):
    now = timezone.now()
    response = {"words": "both"}
    return assignments.submit_response(assignment=turn, response=response, by=turn.user, now=now)


def offered(user):
    rows = list_ready_stages(user, active=[], now=timezone.now())
    return sum(row.open for row in rows if row.stage == "pairs")


def test_a_task_asks_for_its_own_number_of_people(project, made, pairs, ann, ben):
    assert open_special(project, SpecialTask(made[0], "1-0", place=0, people=2)) == 1
    assert submit(take(project, ann))
    assert submit(take(project, ben))
    seats_add_up()
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    tasks.change_people(policy=pairs, people=5, by=rosa, now=timezone.now())
    assert Task.objects.get(unit="1-0").seats == 0, "the policy does not decide"


def test_tasks_come_in_their_own_order_whatever_the_questions(project, made, pairs, ann):
    first, second, third = made
    open_special(
        project,
        SpecialTask(third, "1-0", place=0, people=1),
        SpecialTask(first, "1-1", place=1, people=1),
        SpecialTask(second, "1-2", place=2, people=1),
    )
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    questions_services.prioritise_questions(
        project=project, question_ids=[second], priority="FIRST", by=rosa, now=timezone.now()
    )
    units = []
    for _ in range(3):
        turn = take(project, ann)
        units.append(turn.task.unit)
        submit(turn)
    assert units == ["1-0", "1-1", "1-2"]


def test_people_who_are_barred_never_get_a_task(project, made, pairs, ann, ben):
    open_special(project, SpecialTask(made[0], "1-0", place=0, people=2, barred=(ann.pk,)))
    assert take(project, ann) is None
    assert offered(ann) == 0
    assert offered(ben) == 1
    assert take(project, ben) is not None


def test_a_task_after_another_is_for_those_who_did_that_one(project, made, pairs, ann, ben):
    open_special(
        project,
        SpecialTask(made[0], "1-0", place=0, people=1),
        SpecialTask(made[0], "1-9", place=9, people=1, after="1-0"),
    )
    turn = take(project, ann)
    assert turn.task.unit == "1-0"
    assert take(project, ben) is None
    assert offered(ben) == 0
    submit(turn)
    assert take(project, ben) is None
    assert offered(ben) == 0
    assert offered(ann) == 1
    assert take(project, ann).task.unit == "1-9"


def test_closed_tasks_go_to_nobody_and_stay_with_their_people(project, made, pairs, ann, ben):
    open_special(project, SpecialTask(made[0], "1-0", place=0, people=2))
    turn = take(project, ann)
    tasks.ask_no_more(stage="pairs", project=project, units=["1-0"])
    assert take(project, ben) is None
    assert submit(turn)
    assert Task.objects.get(unit="1-0").seats == 0


@pytest.mark.django_db(transaction=True)
def test_many_at_once_never_take_more_seats_than_a_task_asks_for(project, made, pairs):
    people = [factories.make_member(project, "annotator", name=f"P {n}") for n in range(6)]
    open_special(project, *(SpecialTask(pk, f"1-{n}", n, people=2) for n, pk in enumerate(made)))
    in_parallel([lambda person=person: take(project, person) for person in people])
    taken = Task.objects.filter(policy=pairs).values_list("seats", flat=True)
    assert sum(2 - seats for seats in taken) == 6
    seats_add_up()


def test_a_task_of_a_closed_question_has_no_seats(project, made, pairs, ann):
    Question.objects.filter(pk=made[0]).update(state="excluded")
    open_special(project, SpecialTask(made[0], "1-0", place=0, people=2))
    assert Task.objects.get(unit="1-0").seats == 0


def test_no_task_comes_after_itself(project, made, pairs):
    open_special(project, SpecialTask(made[0], "1-0", place=0, people=1))
    task = Task.objects.get(unit="1-0")
    with pytest.raises(IntegrityError, match="task_not_after_itself"), transaction.atomic():
        Task.objects.filter(pk=task.pk).update(after=task)
