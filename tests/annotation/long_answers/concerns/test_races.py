"""Concerns under real races: threads, each on its own PostgreSQL connection."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.long_answers.concerns import services as concerns_services
from annotation.models import (
    Assignment,
    AuditEntry,
    Concern,
    LongAnswer,
    Question,
    StagePolicy,
    Task,
)
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.long_answers import helpers
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 8


def raise_it(assignment, about=()):
    return concerns_services.raise_concern(
        assignment=Assignment.objects.get(pk=assignment.pk),
        disambiguations=about,
        reason="They mean the same.",
        by=assignment.user,
        now=timezone.now(),
    )


def decide(concern, by, state, note="One."):
    mine = Concern.objects.get(pk=concern.pk)
    return concerns_services.decide_concern(
        concern=mine, state=state, note=note, by=by, now=timezone.now()
    )


def ruled_state(question):
    """What the concerns of a question say its state should be."""
    states = set(Concern.objects.filter(question=question).values_list("state", flat=True))
    if "upheld" in states:
        return "excluded"
    return "flagged" if "open" in states else ""


def fresh(project):
    now = timezone.now()
    question = helpers.open_question(project, now)
    return question, now


def test_two_of_the_team_decide_at_once(project, ann, rosa, ada):
    for _ in range(ROUNDS):
        question, now = fresh(project)
        mine = helpers.take(project, ann, now)
        concern = raise_it(mine)
        results = in_parallel(
            [
                lambda concern=concern: decide(concern, rosa, "upheld"),
                lambda concern=concern: decide(concern, ada, "dismissed"),
            ]
        )
        refused = [each for each in results if isinstance(each, Exception)]
        assert len(refused) == 1
        assert isinstance(refused[0], Conflict)
        concern.refresh_from_db()
        won = AuditEntry.objects.filter(target=f"concern:{concern.pk}").exclude(
            action="concern_raised"
        )
        assert [each.action for each in won] == [f"concern_{concern.state}"]
        question.refresh_from_db()
        assert question.state == (ruled_state(question) or "imported")
        assignments.give_back(assignment=mine, by=ann, now=timezone.now())


def test_a_submission_while_a_concern_is_upheld(project, ann, ben, rosa):
    for _ in range(ROUNDS):
        question, now = fresh(project)
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        concern = raise_it(mine)

        def submit(theirs=theirs):
            return assignments.submit_response(
                assignment=Assignment.objects.get(pk=theirs.pk),
                response=helpers.response(),
                by=ben,
                now=timezone.now(),
            )

        results = in_parallel([submit, lambda concern=concern: decide(concern, rosa, "upheld")])
        assert not [each for each in results if isinstance(each, Exception)]
        question.refresh_from_db()
        assert question.state == Question.State.EXCLUDED
        assert LongAnswer.objects.filter(assignment=theirs).exists()
        assert Task.objects.get(question=question).seats == 0
        assignments.give_back(assignment=mine, by=ann, now=timezone.now())


def test_a_question_is_taken_while_a_concern_is_raised(project, ann):
    """Whoever got it before may write on; nobody gets it after."""
    crowd = [
        factories.make_member(project, "annotator", name=f"P{number} Person") for number in range(4)
    ]
    project.policies.update(people=25)
    for _ in range(ROUNDS):
        question, now = fresh(project)
        mine = helpers.take(project, ann, now)
        results = in_parallel(
            [
                lambda mine=mine: raise_it(mine),
                *(lambda by=person: helpers.take(project, by, timezone.now()) for person in crowd),
            ]
        )
        assert not [each for each in results if isinstance(each, Exception)]
        question.refresh_from_db()
        assert question.state == Question.State.FLAGGED
        assert Task.objects.get(question=question).seats == 0
        late = factories.make_member(project, "annotator", name="Late Lane")
        assert helpers.take(project, late, timezone.now()) is None
        for each in Assignment.objects.filter(state="active"):
            assignments.give_back(assignment=each, by=each.user, now=timezone.now())


def test_withdrawn_while_it_is_decided(project, ann, rosa):
    for _ in range(ROUNDS):
        question, now = fresh(project)
        mine = helpers.take(project, ann, now)
        concern = raise_it(mine)

        def withdraw(concern=concern):
            own = Concern.objects.get(pk=concern.pk)
            return concerns_services.withdraw_concern(concern=own, by=ann, now=timezone.now())

        results = in_parallel([withdraw, lambda concern=concern: decide(concern, rosa, "upheld")])
        refused = [each for each in results if isinstance(each, Exception)]
        assert len(refused) == 1
        assert isinstance(refused[0], Conflict)
        concern.refresh_from_db()
        assert concern.state in ("withdrawn", "upheld")
        question.refresh_from_db()
        assert question.state == (ruled_state(question) or "imported")
        assignments.give_back(assignment=mine, by=ann, now=timezone.now())


def test_eight_presses_raise_one(project, ann):
    _, now = fresh(project)
    mine = helpers.take(project, ann, now)
    results = in_parallel([lambda: raise_it(mine, [1]).pk] * 8)
    assert len(set(results)) == 1
    assert Concern.objects.count() == 1
    assert AuditEntry.objects.filter(action="concern_raised").count() == 1


def test_more_people_are_asked_for_while_concerns_come_and_go(project, ann, rosa):
    """Nobody waits in a circle, and the seats are right in the end."""
    policy = project.policies.get(split="dev")
    question, now = fresh(project)
    mine = helpers.take(project, ann, now)

    def come_and_go():
        for _ in range(ROUNDS):
            decide(raise_it(mine), rosa, "dismissed")

    def ask():
        for number in range(ROUNDS):
            people = 2 + number % 2
            own = StagePolicy.objects.get(pk=policy.pk)
            tasks.change_people(policy=own, people=people, by=rosa, now=timezone.now())

    results = in_parallel([come_and_go, ask])
    assert not [each for each in results if isinstance(each, Exception)]
    question.refresh_from_db()
    assert question.state == Question.State.IMPORTED
    assert Task.objects.get(question=question).seats == 2  # three asked for, Ann has one


def test_two_concerns_of_one_question_are_decided_at_once(project, ann, ben, rosa, ada):
    for states in [("upheld", "dismissed"), ("dismissed", "dismissed")] * 4:
        question, now = fresh(project)
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        first, second = raise_it(mine), raise_it(theirs)
        results = in_parallel(
            [
                lambda first=first, state=states[0]: decide(first, rosa, state),
                lambda second=second, state=states[1]: decide(second, ada, state),
            ]
        )
        assert not [each for each in results if isinstance(each, Exception)]
        question.refresh_from_db()
        assert question.state == (ruled_state(question) or "imported")
        for each in (mine, theirs):
            assignments.give_back(assignment=each, by=each.user, now=timezone.now())
