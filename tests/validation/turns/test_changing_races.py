"""Changes of submissions under real races: threads, each on its own PostgreSQL connection."""

import datetime as dt

import pytest
from django.utils import timezone

from annotation.core.refusals import Denied
from annotation.models import (
    Annotation,
    Assignment,
    PayEntry,
    Question,
    ReplacedSubmission,
    SubmissionChange,
)
from annotation.work import assignments, changing, tasks
from tests import factories
from tests.annotation.work.helpers import easy, in_parallel, read_a_page, seats_add_up
from tests.validation.conftest import kept, one, several
from validation.questions import exclusion

pytestmark = pytest.mark.django_db(transaction=True)
FIRST = several(("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
SECOND = several(("When did it open to people?", "1843"), ("When did it reopen to trains?", "2010"))
TIMES = 6


@pytest.fixture
def crowd(project):
    easy(project)
    project.policies.filter(stage="generation").update(pay="0.50", currency="USD")
    return [
        factories.make_member(project, "annotator", "validator", name=f"P{number} Person")
        for number in range(4)
    ]


def waiting(project, crowd):
    """Return a submission of the first person on a new question that waits for a validator."""
    now = timezone.now()
    question = factories.make_question(project)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    for person, response in zip(crowd, (FIRST, one("1900")), strict=False):
        turn = assignments.take_next(project=project, stage="generation", by=person, now=now)
        read_a_page(turn, now)
        assignments.submit_response(
            assignment=turn, response=kept(turn, response, now), by=person, now=now
        )
    return Assignment.objects.get(task__question=question, user=crowd[0])


def fresh(turn):
    return Assignment.objects.select_related("policy", "project", "task__question").get(pk=turn.pk)


def begin(turn, by):
    return lambda: changing.begin_change(assignment=fresh(turn), by=by, now=timezone.now())


def submit(turn, response, by, now=None):
    at = now or timezone.now()
    sent = kept(fresh(turn), response, at)
    return lambda: changing.submit_change(assignment=fresh(turn), response=sent, by=by, now=at)


def take(project, by):
    return lambda: assignments.take_next(
        project=project, stage="validation", by=by, now=timezone.now()
    )


def over(turn):
    """Let nobody be given the question in the next round."""
    turn.task.question.tasks.update(seats=0)
    Question.objects.filter(pk=turn.task.question_id).update(state="excluded")


def only_denied(results):
    failed = [result for result in results if isinstance(result, Exception)]
    assert all(isinstance(result, Denied) for result in failed), results
    return failed


def one_is_valid(turn):
    assert Annotation.objects.filter(assignment=turn).count() == 1
    assert PayEntry.objects.filter(assignment=turn, kind="submitted").count() == 1
    seats_add_up()


def test_somebody_changes_it_or_a_validator_has_it(project, crowd):
    for _ in range(TIMES):
        turn = waiting(project, crowd)
        changed, first, second = in_parallel(
            [begin(turn, crowd[0]), take(project, crowd[2]), take(project, crowd[3])]
        )
        only_denied([changed, first, second])
        given = [each for each in (first, second) if isinstance(each, Assignment)]
        begun = isinstance(changed, SubmissionChange)
        assert begun is not bool(given), (changed, first, second)
        one_is_valid(turn)
        for each in given:
            assignments.give_back(assignment=each, by=each.user, now=timezone.now())
        over(turn)


def test_a_change_that_is_submitted_meets_no_validator(project, crowd):
    for _ in range(TIMES):
        turn = waiting(project, crowd)
        begin(turn, crowd[0])()
        submitted, taken = in_parallel([submit(turn, SECOND, crowd[0]), take(project, crowd[2])])
        assert isinstance(submitted, Annotation), submitted
        if taken is not None:
            # Whoever was given it, was given the change.
            assert taken.started_at >= ReplacedSubmission.objects.get(assignment=turn).replaced_at
            assignments.give_back(assignment=taken, by=crowd[2], now=timezone.now())
        one_is_valid(turn)
        over(turn)


def test_a_change_and_the_end_of_its_time(project, crowd):
    for _ in range(TIMES):
        turn = waiting(project, crowd)
        begin(turn, crowd[0])()
        SubmissionChange.objects.update(
            started_at=timezone.now() - dt.timedelta(hours=1), ends_at=timezone.now()
        )
        turn.task.question.tasks.update(held_until=timezone.now())
        late, taken = in_parallel([submit(turn, SECOND, crowd[0]), take(project, crowd[2])])
        assert isinstance(late, Denied)
        assert isinstance(taken, Assignment)
        assert not ReplacedSubmission.objects.filter(assignment=turn).exists()
        assert "2010" in str(SubmissionChange.objects.get(assignment=turn).draft)
        one_is_valid(turn)
        assignments.give_back(assignment=taken, by=crowd[2], now=timezone.now())
        over(turn)


def test_a_change_and_a_decision_of_the_team(project, crowd):
    staff = factories.make_member(project, "researcher", name="Rosa Reed")
    for _ in range(TIMES):
        turn = waiting(project, crowd)
        begin(turn, crowd[0])()

        def exclude(question=turn.task.question):
            return exclusion.exclude_questions(
                question_ids=[question.pk],
                project=project,
                reason="It asks nothing.",
                by=staff,
                now=timezone.now(),
            )

        results = in_parallel([submit(turn, SECOND, crowd[0]), exclude])
        only_denied(results)
        replaced = ReplacedSubmission.objects.filter(assignment=turn).exists()
        assert replaced is isinstance(results[0], Annotation)
        assert Annotation.objects.filter(assignment=turn).count() == 1


def test_two_windows(project, crowd):
    for _ in range(TIMES):
        turn = waiting(project, crowd)
        begin(turn, crowd[0])()
        third = several(("When did it open to boats?", "1843"), ("When did it shut?", "1865"))
        results = in_parallel([submit(turn, each, crowd[0]) for each in (SECOND, third)])
        assert len(only_denied(results)) == 1
        assert ReplacedSubmission.objects.filter(assignment=turn).count() == 1
        one_is_valid(turn)
        assert len(only_denied(in_parallel([begin(turn, crowd[0])] * 2))) == 0
        assert SubmissionChange.objects.filter(assignment=turn).count() == 1


def test_a_change_and_the_team_that_returns_it(project, crowd):
    staff = factories.make_member(project, "researcher", name="Rosa Reed")
    for _ in range(TIMES):
        turn = waiting(project, crowd)
        begin(turn, crowd[0])()

        def give_back(turn=turn):
            return assignments.return_to_author(
                assignment=fresh(turn), note="Look again.", by=staff, now=timezone.now()
            )

        results = in_parallel([submit(turn, SECOND, crowd[0]), give_back])
        only_denied(results)
        turn.refresh_from_db()
        assert turn.state == "parked"
        assert not Annotation.objects.filter(assignment=turn).exists()
        assert "2010" in str(turn.draft) or isinstance(results[0], Denied)
        assignments.give_back(assignment=fresh(turn), by=crowd[0], now=timezone.now())
        over(turn)
