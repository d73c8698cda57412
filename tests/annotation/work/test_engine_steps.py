"""Stages that follow one another, and who may do them: what a stage says of itself decides."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.home.ready import list_ready_stages
from annotation.models import Assignment, Question, Task
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import in_parallel, seats_add_up
from tests.annotation.work.plain_stage import PlainStage, put_in_place


def waiting(question):
    return question.state == "validating"


def after(stage):
    """Ready once somebody has submitted this stage on the question."""

    def opens(question):
        done = Assignment.objects.filter(task__question=question, stage=stage, state="submitted")
        return waiting(question) and done.exists()

    return opens


@pytest.fixture
def register(monkeypatch, project):
    """Put other stages in the place of those there are; each asks for one person."""

    def put(*every):
        put_in_place(monkeypatch, *every)
        project.policies.all().delete()
        for stage in every:
            project.policies.create(stage=stage.key, split="dev", people=1)

    return put


@pytest.fixture
def three_steps(register):
    """The page, then the paragraph, then the words: all three by one person."""
    later = {"first": False, "opens_in": "validating", "meets_others": True}
    register(
        PlainStage("page"),
        PlainStage("paragraph", opens=waiting, **later),
        PlainStage("words", opens=after("paragraph"), **later),
    )


def opened(project, count=1):
    made = [factories.make_question(project) for _ in range(count)]
    tasks.open_tasks(question_ids=[question.pk for question in made], now=timezone.now())
    return made


def take(project, stage, by):
    return assignments.take_next(project=project, stage=stage, by=by, now=timezone.now())


def submit(turn, **response):
    now = timezone.now()
    return assignments.submit_response(assignment=turn, response=response, by=turn.user, now=now)


def state_of(question):
    return Question.objects.get(pk=question.pk).state


def test_one_person_does_three_steps_of_a_question(project, ann, three_steps):
    [question] = opened(project)
    submit(take(project, "page", ann))
    assert state_of(question) == "validating"
    assert take(project, "words", ann) is None
    second = take(project, "paragraph", ann)
    submit(second)
    assert state_of(question) == "validating"
    assert take(project, "paragraph", ann) is None, "each step once"
    submit(take(project, "words", ann), decide="accepted")
    assert state_of(question) == "accepted"
    assert Assignment.objects.filter(user=ann, task__question=question).count() == 3
    seats_add_up()


def test_what_is_ready_counts_the_next_step_too(project, ann, three_steps):
    opened(project)
    submit(take(project, "page", ann))
    assert [
        row.stage for row in list_ready_stages(ann, active=[], now=timezone.now()) if row.open
    ] == ["paragraph"]


def test_a_step_done_keeps_its_seat_while_the_question_waits_for_the_next(
    project, ann, ben, three_steps
):
    opened(project)
    submit(take(project, "page", ann))
    submit(take(project, "paragraph", ann))
    policy = project.policies.get(stage="paragraph")
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    now = timezone.now()
    tasks.change_people(policy=policy, people=2, by=rosa, now=now)
    assert Task.objects.get(policy=policy).seats == 1
    tasks.change_people(policy=policy, people=1, by=rosa, now=now)
    assert take(project, "paragraph", ben) is None


def test_a_stage_that_does_not_meet_others_wants_somebody_else(project, ann, ben, register):
    register(
        PlainStage("page"),
        PlainStage("check", first=False, opens_in="validating", opens=waiting, decides=True),
    )
    opened(project)
    submit(take(project, "page", ann))
    assert take(project, "check", ann) is None
    assert take(project, "check", ben) is not None


def test_only_the_stage_that_says_so_meets_others(project, ann, ben, register):
    """Who did the later step first is still kept from the first one, which does not say so."""
    register(
        PlainStage("page", units=("a", "b")),
        PlainStage("look", first=False, meets_others=True),
    )
    opened(project)
    submit(take(project, "look", ann))
    assert take(project, "page", ann) is None
    assert take(project, "page", ben) is not None


@pytest.mark.parametrize("once", [False, True])
def test_units_may_go_to_one_person_or_not(project, ann, register, once):
    register(PlainStage("pairs", units=("a", "b"), once_per_question=once))
    opened(project)
    submit(take(project, "pairs", ann))
    assert (take(project, "pairs", ann) is None) == once


@pytest.mark.django_db(transaction=True)
def test_people_race_through_three_steps_of_twenty_questions(project, three_steps):
    """Each step of each question is done once, by whoever is first; all of them end."""
    questions = opened(project, 20)
    crowd = [factories.make_member(project, "annotator", name=f"P{n} Person") for n in range(6)]

    def work(person):
        def until_none_is_left():
            idle = 0
            while idle < 3:
                idle += 1
                for stage in ("page", "paragraph", "words"):
                    if turn := take(project, stage, person):
                        submit(turn, **({"decide": "accepted"} if stage == "words" else {}))
                        idle = 0

        return until_none_is_left

    results = in_parallel([work(person) for person in crowd])
    assert not [each for each in results if isinstance(each, Exception)], results
    work(crowd[0])()  # somebody may have looked in vain while the last steps were made
    assert {state_of(question) for question in questions} == {"accepted"}
    done = Assignment.objects.values_list("stage", "task__question")
    assert len(done) == len(set(done)) == 60
    seats_add_up()


@pytest.mark.django_db(transaction=True)
def test_one_person_who_asks_eight_times_for_the_next_step_gets_one(project, ann, three_steps):
    opened(project, 3)
    for _ in range(3):
        submit(take(project, "page", ann))
    results = in_parallel([lambda: take(project, "paragraph", ann)] * 8)
    assert len({turn.pk for turn in results}) == 1
    assert Assignment.objects.filter(stage="paragraph").count() == 1


class TestPeople:
    def change(self, project, stage, people, now):
        rosa = factories.make_member(project, "researcher", name="Rosa Reed")
        policy = project.policies.get(stage=stage)
        tasks.change_people(policy=policy, people=people, by=rosa, now=now)

    def test_a_stage_says_how_many_a_policy_may_ask_for(self, project, register, now):
        register(PlainStage("page", people_max=3))
        self.change(project, "page", 3, now)
        with pytest.raises(Conflict, match="Ask for 1 to 3 people"):
            self.change(project, "page", 4, now)

    def test_one_who_decides_is_one(self, project, register, now):
        register(PlainStage("check", people_max=1, decides=True, role="validator"))
        with pytest.raises(Conflict, match="One validator decides on a question"):
            self.change(project, "check", 2, now)
