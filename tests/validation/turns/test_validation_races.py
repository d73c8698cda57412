"""Stage two under real races: threads, each on its own PostgreSQL connection."""

from dataclasses import replace

import pytest
from django.utils import timezone

from annotation.core.refusals import Denied
from annotation.models import Annotation, Assignment, Question, Task
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import easy, in_parallel, read_a_page, seats_add_up
from tests.validation.conftest import kept, none, one, outcomes_hold
from validation.models import Decision, Validation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def crowd(project):
    """Six people who both answer and validate."""
    easy(project)
    return [
        factories.make_member(project, "annotator", "validator", name=f"P{number} Person")
        for number in range(6)
    ]


def made(project, count):
    questions = [factories.make_question(project) for _ in range(count)]
    tasks.open_tasks(question_ids=[question.pk for question in questions], now=timezone.now())
    return questions


def take(project, stage, by):
    return assignments.take_next(project=project, stage=stage, by=by, now=timezone.now())


def generate(project, by, response):
    return hand_in(take(project, "generation", by), by, response)


def hand_in(turn, by, response):
    now = timezone.now()
    read_a_page(turn, now)
    response = kept(turn, response, now)
    return assignments.submit_response(assignment=turn, response=response, by=by, now=now)


def validate(turn, by, **choices):
    response, said = factories.opened(turn)
    response = replace(response, verdicts=(True,) * len(said), **choices)
    return assignments.submit_response(
        assignment=turn, response=response, by=by, now=timezone.now()
    )


def raised(results):
    return [result for result in results if isinstance(result, Exception)]


def test_six_people_answer_and_validate_forty_questions_all_at_once(project, crowd):
    """Nothing is doubled, nobody validates their own, and every question comes to an end."""
    questions = made(project, 40)

    def work(number, person):
        def until_none_is_left():
            idle = 0
            while idle < 3:
                idle += 1
                if turn := take(project, "generation", person):
                    hand_in(turn, person, none() if number % 2 else one("1843"))
                    idle = 0
                if turn := take(project, "validation", person):
                    validate(turn, person)
                    idle = 0

        return until_none_is_left

    assert not raised(in_parallel([work(n, person) for n, person in enumerate(crowd)]))
    # Whoever was last had nobody left to validate for them: finish what is open.
    for person in crowd:
        while turn := take(project, "validation", person):
            validate(turn, person)
    states = set(Question.objects.values_list("state", flat=True))
    assert states <= {"auto_accepted", "accepted"}
    assert Annotation.objects.count() == 2 * len(questions)
    decided = Decision.objects.filter(in_force=True).count()
    assert decided == Validation.objects.count()
    assert decided == Question.objects.filter(state="accepted").count()
    for question in questions:
        people = list(
            Assignment.objects.filter(task__question=question).values_list("user", flat=True)
        )
        assert len(people) == len(set(people))
    seats_add_up()
    outcomes_hold()


def test_two_validators_want_one_question(project, crowd):
    [question] = made(project, 1)
    generate(project, crowd[0], one("1843"))
    generate(project, crowd[1], one("1869"))
    results = in_parallel([lambda by=by: take(project, "validation", by) for by in crowd[2:]])
    assert not raised(results)
    assert [result is not None for result in results].count(True) == 1
    assert Task.objects.get(question=question, policy__stage="validation").seats == 0


def test_eight_racing_submits_give_one_decision(project, crowd):
    made(project, 1)
    generate(project, crowd[0], one("1843"))
    generate(project, crowd[1], one("1869"))
    turn = take(project, "validation", crowd[2])
    submit = [lambda: validate(Assignment.objects.get(pk=turn.pk), crowd[2]).pk] * 8
    results = in_parallel(submit)
    assert not raised(results)
    assert len(set(results)) == 1
    assert Decision.objects.count() == 1


def test_work_left_out_while_the_validator_submits(project, crowd, rosa):
    """Either the decision was first and is set aside, or the validator is told; never both."""
    for _ in range(6):
        [question] = made(project, 1)
        first = generate(project, crowd[0], one("1843"))
        generate(project, crowd[1], one("1869"))
        turn = take(project, "validation", crowd[2])
        work = Assignment.objects.get(pk=first.assignment_id)
        left_out, validated = in_parallel(
            [
                lambda work=work: assignments.soft_reject(
                    assignment=work, note="Copied.", by=rosa, now=timezone.now()
                ),
                lambda turn=turn: validate(Assignment.objects.get(pk=turn.pk), crowd[2]),
            ]
        )
        assert not isinstance(left_out, Exception)
        assert not isinstance(validated, Exception) or isinstance(validated, Denied)
        question.refresh_from_db()
        assert question.state == "generating"
        assert not Decision.objects.filter(question=question, in_force=True).exists()
        assert Task.objects.get(question=question, policy__stage="validation").seats == 0
        turn.refresh_from_db()
        if turn.state == "active":
            assignments.give_back(assignment=turn, by=crowd[2], now=timezone.now())
        generate(project, crowd[3], one("1843"))
        seats_add_up()
        outcomes_hold()


def test_a_late_generator_and_a_validator(project, crowd):
    """More people are asked; the late answer and the validator's decision race."""
    for _ in range(6):
        [question] = made(project, 1)
        generate(project, crowd[0], one("1843"))
        generate(project, crowd[1], one("1869"))
        turn = take(project, "validation", crowd[2])
        policy = project.policies.get(stage="generation", split="dev")
        results = in_parallel(
            [
                lambda policy=policy: tasks.change_people(
                    policy=policy, people=3, by=None, now=timezone.now()
                ),
                lambda turn=turn: validate(Assignment.objects.get(pk=turn.pk), crowd[2]),
            ]
        )
        assert not isinstance(results[0], Exception), results
        question.refresh_from_db()
        assert question.state == "generating"
        generate(project, crowd[3], one("1910"))
        question.refresh_from_db()
        assert question.state == "validating"
        turn.refresh_from_db()
        if turn.state == "active":
            validate(turn, crowd[2])
        else:
            validate(take(project, "validation", crowd[4]), crowd[4])
        question.refresh_from_db()
        decision = Decision.objects.get(question=question, in_force=True)
        assert (question.state, len(decision.covers)) == ("accepted", 3)
        policy.refresh_from_db()
        tasks.change_people(policy=policy, people=2, by=None, now=timezone.now())
        Question.objects.filter(pk=question.pk).delete()
