"""Training under real races: threads, each on its own PostgreSQL connection."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.models import AuditEntry, QualificationAttempt, WalkThrough
from annotation.qualifications import attempts
from annotation.qualifications import training_services as training
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import (
    CROSSED,
    LONG_ANSWER,
    WALKED,
    answer_to,
    long_to_json,
    make_training,
    study,
)
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(db):
    return long_answers.make_project(slug="long-answers")


@pytest.fixture
def wilma(project):
    return factories.make_member(project, "annotator", name="Wilma Wood")


@pytest.fixture
def staff(project):
    names = ("Rita Reed", "Rob Rush", "Rex Row", "Ruth Ring")
    return [factories.make_member(project, "researcher", name=name) for name in names]


@pytest.fixture
def course(project, staff):
    return make_training(project, staff[0], timezone.now())


def hold(course, user, by, notes):
    now = timezone.now()
    held_on = timezone.localtime(now).date()
    return training.record_walk_through(
        qualification=course, user=user, held_on=held_on, notes=notes, by=by, now=now
    )


def test_two_of_the_team_mark_the_same_walk_through(course, wilma, staff):
    study(course, wilma, timezone.now())
    results = in_parallel([lambda by=by: hold(course, wilma, by, f"By {by.name}.") for by in staff])
    won = [each for each in results if isinstance(each, WalkThrough)]
    lost = [each for each in results if not isinstance(each, WalkThrough)]
    assert len(won) == 1
    assert all(isinstance(each, Conflict) and "already" in str(each) for each in lost)
    walk = WalkThrough.objects.get()
    assert walk.notes == f"By {walk.held_by.name}."
    assert AuditEntry.objects.filter(action="walk_through_held").count() == 1


def test_a_double_click_marks_it_once(course, wilma, staff):
    study(course, wilma, timezone.now())
    results = in_parallel([lambda: hold(course, wilma, staff[0], "Both dates.")] * 4)
    assert len({each.pk for each in results}) == 1


@pytest.mark.parametrize("turn", range(4))
def test_the_exam_begins_or_the_walk_through_is_taken_back(course, wilma, staff, turn):
    study(course, wilma, timezone.now())
    walk = hold(course, wilma, staff[0], "")

    def begin():
        return attempts.start_attempt(qualification=course, by=wilma, now=timezone.now())

    def take_back():
        training.take_back(
            walk_through=walk, note="It was somebody else.", by=staff[0], now=timezone.now()
        )
        return "taken back"

    began, taken = in_parallel([begin, take_back])
    exams = QualificationAttempt.objects.filter(part="exam")
    walk.refresh_from_db()
    if isinstance(began, QualificationAttempt):
        assert isinstance(taken, Conflict)
        assert walk.taken_back_at is None
    else:
        assert isinstance(began, Conflict)
        assert taken == "taken back"
        assert not exams.exists()


def test_the_last_samples_handed_in_together_end_the_study_once(project, staff, wilma):
    course = make_training(
        project, staff[0], timezone.now(), title="Two", samples=(CROSSED, WALKED)
    )
    attempt = attempts.start_attempt(
        qualification=course, by=wilma, now=timezone.now(), part="study"
    )
    for number in (1, 2):
        attempts.save_draft(
            answer=answer_to(attempt, number),
            draft=long_to_json(LONG_ANSWER),
            version=0,
            by=wilma,
            now=timezone.now(),
        )

    def hand_in(number):
        attempts.hand_in_sample(answer=answer_to(attempt, number), by=wilma, now=timezone.now())

    results = in_parallel([lambda n=n: hand_in(n) for n in (1, 2, 1, 2)])
    assert results == [None] * 4
    attempt.refresh_from_db()
    assert attempt.state == "submitted"
    assert AuditEntry.objects.filter(action="self_study_done").count() == 1


def test_what_is_typed_while_a_sample_is_handed_in_is_kept_or_refused(course, wilma):
    attempt = attempts.start_attempt(
        qualification=course, by=wilma, now=timezone.now(), part="study"
    )
    draft = long_to_json(LONG_ANSWER)
    answer = answer_to(attempt)
    attempts.save_draft(answer=answer, draft=draft, version=0, by=wilma, now=timezone.now())

    def save():
        more = draft | {"text": f"{LONG_ANSWER.text} More."}
        return attempts.save_draft(
            answer=answer_to(attempt), draft=more, version=1, by=wilma, now=timezone.now()
        )

    def hand_in():
        attempts.hand_in_sample(answer=answer_to(attempt), by=wilma, now=timezone.now())

    saved, handed_in = in_parallel([save, hand_in])
    assert handed_in is None
    answer = answer_to(attempt)
    words = answer.result["figures"]["words"]
    assert words == len(answer.draft["text"].split())  # what was measured is what is kept
    assert isinstance(saved, Conflict) == (answer.draft["text"] == LONG_ANSWER.text)


def test_eight_clicks_begin_one_self_study(course, wilma):
    def begin():
        return attempts.start_attempt(
            qualification=course, by=wilma, now=timezone.now(), part="study"
        )

    results = in_parallel([begin] * 8)
    assert len({each.pk for each in results}) == 1
