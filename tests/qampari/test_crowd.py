"""A crowd checks answers, one in ten of them wrong on purpose (Q3): careless people are found."""

import random

import pytest
from django.utils import timezone

from annotation.core.refusals import Denied
from annotation.golds import services as golds_services
from annotation.golds.queries import rule_of
from annotation.models import GoldFlag, GoldItem, GoldVerdict, Question
from annotation.sheets.choice_sheet import Chosen
from annotation.stages import registry as stages
from annotation.work import assignments
from metrics.gold_items import count_golds_needed, flag_probabilities
from metrics.text import answer_key
from qampari.models import Candidate
from qampari.verdicts import CHECK, read_answers_and_settings
from tests import factories as people
from tests import plans
from tests.annotation.golds import checks
from tests.qampari import factories

pytestmark = [pytest.mark.django_db, pytest.mark.patience(3)]
PEOPLE, CARELESS, ROUNDS, RATE = 10, 1, 80, 10
# Careless people find everything correct, nearly.
MISSES = {"careless": 0.85, "careful": 0.03}


@pytest.fixture(autouse=True)
def same_lots(db):
    checks.number_tasks()


def make(questions, people_each=1, rate=RATE, **settings):
    project, now = factories.make_project(), timezone.now()
    project.policies.update(people=people_each)
    for number in range(questions):
        towns = [f"Town {number}-{place}" for place in range(5)]
        factories.make_question(project, now, answers=towns)
    plan = golds_services.save_plan(
        project=project,
        stage=CHECK,
        by=None,
        now=now,
        **{"rate": rate, "seed": 18, "enough": 4, "missed": 3} | settings,
    )
    return project, plan


def take(person, project):
    return assignments.take_next(project=project, stage=CHECK, by=person, now=timezone.now())


def submit(work, verdict):
    assignments.submit_response(
        assignment=work, response=Chosen(verdict=verdict), by=work.user, now=timezone.now()
    )


def test_wrong_answers_are_of_other_questions_of_the_type_with_their_evidence():
    project, plan = make(8, rate=40)
    assert plan.items.count() >= 15
    for item in plan.items.select_related("task__question", "origin"):
        assert item.kind == GoldItem.Kind.COPY
        assert item.origin_id != item.task.question_id
        own = Candidate.objects.filter(question=item.task.question)
        assert answer_key(item.content["text"]) not in {answer_key(row.text) for row in own}
        assert item.content["evidence"]
    ann = people.make_member(project, "annotator")
    while not (work := take(ann, project)).gold:
        submit(work, "correct")
    [shown] = stages.get_stage(CHECK).build_sheet_context(work, now=timezone.now()).answers
    assert shown.text == GoldItem.objects.get(task=work.task_id).content["text"]
    submit(work, "unclear")
    assert GoldVerdict.objects.get().missed is None


def test_answers_that_two_people_judged_alike_are_items_as_well():
    project, now = factories.make_project(least_answers=1, checked_percent=0), timezone.now()
    project.policies.filter(stage=CHECK).update(people=2)
    finished = factories.make_question(project, now, answers=("Kelso", "Leeds"))
    crowd = [people.make_member(project, "annotator") for _ in range(3)]
    for person in crowd[:2]:
        factories.check(person, project, ["correct", "correct"])
    finished.refresh_from_db()
    assert finished.state == "accepted"
    for _ in range(2):
        factories.make_question(project, now, answers=("Truro",))
    settings = {"rate": 50, "seed": 18, "source": "finished"}
    plan = golds_services.save_plan(project=project, stage=CHECK, by=None, now=now, **settings)
    assert sorted(plan.items.values_list("unit", flat=True)) == ["0", "1"]
    while not (work := take(crowd[2], project)).gold:
        submit(work, "correct")
    [shown] = stages.get_stage(CHECK).build_sheet_context(work, now=now).answers
    assert shown.text in ("Kelso", "Leeds")
    submit(work, "doubtful")
    assert GoldVerdict.objects.get().missed
    finished.refresh_from_db()
    assert finished.state == "accepted"


def test_wrong_answers_decide_nothing():
    project, _ = make(2, rate=50)
    ann = people.make_member(project, "annotator")
    while work := take(ann, project):
        submit(work, "doubtful" if work.gold else "correct")
    for question in Question.objects.filter(project=project):
        rows = read_answers_and_settings([question.pk])[question.pk].rows
        assert [row.said for row in rows] == [("correct",)] * 5


def test_the_careless_tenth_is_found_by_wrong_answers():
    draw = random.Random(18)
    project, plan = make(36, people_each=4)
    crowd = [people.make_member(project, "annotator") for _ in range(PEOPLE)]
    done = dict.fromkeys(crowd, 0)
    kinds = {user: "careless" if n < CARELESS else "careful" for n, user in enumerate(crowd)}
    for number in range(ROUNDS):
        if number & (number - 1) == 0:
            plans.count_rows()
        for user in crowd:
            try:
                work = take(user, project)
            except Denied:
                continue  # paused
            if work is not None:
                wrong = draw.random() < MISSES[kinds[user]]
                submit(work, "doubtful" if work.gold and not wrong else "correct")
                done[user] += 1

    rule = rule_of(plan)
    seen = {user: GoldVerdict.objects.filter(user=user).count() for user in crowd}
    careful = [seen[user] for user in crowd if kinds[user] == "careful"]
    alarms = sum(flag_probabilities(MISSES["careful"], rule, n)[-1] for n in careful if n)
    items = round(sum(careful) / len(careful))
    caught = set(GoldFlag.objects.values_list("user", flat=True))
    told = [
        f"{PEOPLE} people, {CARELESS} careless; {plan.items.count()} wrong answers drawn, "
        f"{sum(seen.values()) / sum(done.values()):.1%} of the work, {items} seen by each careful "
        f"person",
        *(
            f"careless: paused after {done[user]} answers, {seen[user]} of them wrong on purpose"
            for user in crowd[:CARELESS]
        ),
        *(
            f"{kind}: misses {error:.0%}, found within {items} with "
            f"{flag_probabilities(error, rule, items)[-1]:.1%}, with 95 % after "
            f"{count_golds_needed(error, rule)}"
            for kind, error in MISSES.items()
        ),
        f"found: {len(caught)}; careful people expected among them: {alarms:.2f}",
    ]
    print("\n".join(told))  # noqa: T201 - the power, to read
    assert {user.pk for user in crowd if kinds[user] == "careless"} <= caught
    assert len(caught) - CARELESS <= 1
    assert alarms < 0.5
    assert sum(seen.values()) / sum(done.values()) == pytest.approx(RATE / 100, abs=0.02)
    assert max(done[user] for user in crowd[:CARELESS]) < ROUNDS
