"""A gold item has any place among the work, each as likely as the others."""

import itertools
from collections import Counter

import pytest
from django.utils import timezone

from annotation.golds import services as golds_services
from annotation.models import GoldItem, Task
from annotation.questions.services import prioritise_questions
from annotation.work import assignments, seats
from qampari.verdicts import CHECK
from tests import factories as people
from tests.qampari import factories as lists

pytestmark = pytest.mark.django_db
ANSWERS, QUESTIONS = 3, 40


@pytest.fixture
def project():
    """Questions with three answers each, and others whose answers are wrong there."""
    project, now = lists.make_project(), timezone.now()
    for number in range(QUESTIONS):
        towns = [f"Town {number}-{place}" for place in range(ANSWERS)]
        lists.make_question(project, now, answers=towns)
        lists.make_question(
            project, now, answers=[f"{town} North" for town in towns], split="train"
        )
    return project


def draw(project, **settings):
    defaults = {"rate": 25, "seed": 18, "source": "copies"}
    now = timezone.now()
    return golds_services.save_plan(
        project=project, stage=CHECK, by=None, now=now, **defaults | settings
    )


def work_through(person, project):
    """Give the person everything; return each question with gold or not, in order."""
    done, now = [], timezone.now()
    while work := assignments.take_next(project=project, stage=CHECK, by=person, now=now):
        done.append((work.task.question_id, work.gold))
        assignments.give_back(assignment=work, by=person, now=now)
        Task.objects.filter(pk=work.task_id).update(seats=0)
    return done


def test_every_place_among_the_answers_of_a_question_is_as_likely(project):
    draw(project)
    order = work_through(people.make_member(project, "annotator"), project)
    places = Counter()
    for _, group in itertools.groupby(order, key=lambda each: each[0]):
        marks = [gold for _, gold in group]
        if marks.count(True) == 1:
            places[marks.index(True)] += 1
    assert len(places) == ANSWERS + 1, places
    expected = places.total() / (ANSWERS + 1)
    squares = sum((n - expected) ** 2 / expected for n in places.values())
    assert squares < 11.3, places  # 1 % of three degrees of freedom


def test_the_questions_stay_together_in_order(project):
    draw(project)
    order = work_through(people.make_member(project, "annotator"), project)
    questions = [question for question, _ in itertools.groupby(order, key=lambda each: each[0])]
    assert questions == sorted(set(questions))


def test_no_wrong_answer_is_drawn_twice(project):
    plan = draw(project, rate=50)
    texts = list(plan.items.values_list("content__text", flat=True))
    assert len(texts) == ANSWERS * QUESTIONS
    assert len(set(texts)) == len(texts)


def test_wrong_answers_are_those_that_nobody_is_given_as_long_as_there_are_some(project):
    plan = draw(project, rate=30)
    assert set(plan.items.values_list("origin__split", flat=True)) == {"train"}


def test_nobody_gets_an_answer_that_they_have_met_on_its_own_question():
    project, now = lists.make_project(), timezone.now()
    rows = [lists.make_question(project, now, answers=(town,)) for town in ("Kelso", "Leeds")]
    plan = draw(project, rate=50)
    person = people.make_member(project, "annotator")
    gold = plan.items.get(task__question=rows[1])
    assert gold.origin == rows[0]
    met = work_through(person, project)
    assert (rows[0].pk, False) in met
    assert (rows[1].pk, True) not in met


def test_whoever_has_begun_with_a_question_gets_no_item_that_is_drawn_later(project):
    early, late = (people.make_member(project, "annotator") for _ in range(2))
    now = timezone.now()
    project.policies.filter(stage=CHECK).update(people=5)
    first = assignments.take_next(project=project, stage=CHECK, by=early, now=now)
    plan = draw(project, rate=50)
    beside = GoldItem.objects.filter(plan=plan, task__question=first.task.question_id)
    assert beside
    for item in beside:
        assert early.pk in item.task.barred
        assert late.pk not in item.task.barred


def test_nobody_goes_back_for_a_gold_item(project):
    project.policies.filter(stage=CHECK).update(people=5)
    plan = draw(project, rate=50)
    person = people.make_member(project, "annotator")
    skipped = plan.items.first().task
    Task.objects.filter(pk=skipped.pk).update(seats=0)
    past = work_until(person, project, skipped.question_id)
    Task.objects.filter(pk=skipped.pk).update(seats=1)
    assert past
    order = work_through(person, project)
    assert order
    assert not person.assignments.filter(task=skipped).exists()
    assert person.assignments.filter(gold=True).exists()


def work_until(person, project, question):
    """Take and give back work until it is of a later question."""
    now = timezone.now()
    while work := assignments.take_next(project=project, stage=CHECK, by=person, now=now):
        assignments.give_back(assignment=work, by=person, now=now)
        if work.task.question_id > question:
            return work
    return None


def test_gold_items_are_closed_with_their_question(project, now):
    plan = draw(project, rate=50)
    item = plan.items.first()
    question = item.task.question
    type(question).objects.filter(pk=question.pk).update(state="excluded")
    seats.recount_open_seats([item.task_id])
    assert Task.objects.get(pk=item.task_id).seats == 0


def test_an_item_goes_with_its_host_when_that_is_handed_out_first(project):
    plan = draw(project, rate=50)
    staff = people.make_member(project, "admin")
    host = plan.items.first().host
    prioritise_questions(
        project=project,
        question_ids=[host.question_id],
        priority="FIRST",
        by=staff,
        now=timezone.now(),
    )
    item = plan.items.get(host=host)
    host.refresh_from_db()
    assert item.task.position == host.position < 0
