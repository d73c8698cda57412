"""Attempts under real races: threads, each on its own PostgreSQL connection."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.generation.responses import to_json
from annotation.models import AuditEntry, QualificationAnswer, QualificationAttempt, Qualified
from annotation.qualifications import attempts, grading
from annotation.qualifications import services as qualifications_services
from tests.annotation.qualifications.helpers import RIGHT, answer_to, attempt_with, make
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def exam(project, rosa):
    return make(project, rosa, timezone.now(), max_attempts=2)


def start(exam, by):
    return attempts.start_attempt(qualification=exam, by=by, now=timezone.now())


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


def test_eight_clicks_begin_one_attempt(exam, ann):
    results = in_parallel([lambda: start(exam, ann)] * 8)
    assert not failures(results)
    assert len({attempt.pk for attempt in results}) == 1
    assert QualificationAttempt.objects.count() == 1
    assert QualificationAnswer.objects.count() == 3


def test_eight_submissions_are_one(exam, ann):
    attempt = attempt_with(exam, ann, timezone.now(), right=3, hand_in=False)

    def submit():
        mine = QualificationAttempt.objects.get(pk=attempt.pk)
        return attempts.submit_attempt(attempt=mine, by=ann, now=timezone.now()).submitted_at

    results = in_parallel([submit] * 8)
    assert not failures(results)
    assert len(set(results)) == 1
    assert Qualified.objects.count() == 1
    assert AuditEntry.objects.filter(action="qualification_submitted").count() == 1


def test_what_is_saved_while_it_is_handed_in_is_graded_or_refused(exam, ann):
    attempt = attempt_with(exam, ann, timezone.now(), right=2, hand_in=False)

    def save():
        answer = answer_to(attempt, 3)
        return attempts.save_draft(
            answer=answer,
            draft=to_json(RIGHT[2]),
            version=answer.draft_version,
            by=ann,
            now=timezone.now(),
        )

    def submit():
        mine = QualificationAttempt.objects.get(pk=attempt.pk)
        return attempts.submit_attempt(attempt=mine, by=ann, now=timezone.now()).score

    saved, score = in_parallel([save, submit])
    assert not isinstance(score, Exception)
    answer = answer_to(attempt, 3)
    if isinstance(saved, Exception):
        assert isinstance(saved, Conflict)
        assert (score, answer.passed) == (2, False)
    else:
        assert (score, answer.draft, answer.passed) == (3, to_json(RIGHT[2]), True)


def test_two_windows_save_one_of_them(exam, ann):
    attempt = start(exam, ann)
    drafts = [to_json(each) for each in RIGHT]

    def save(draft):
        answer = answer_to(attempt)
        return attempts.save_draft(
            answer=answer, draft=draft, version=0, by=ann, now=timezone.now()
        )

    results = in_parallel([lambda draft=draft: save(draft) for draft in drafts])
    assert [each for each in results if each == 1]
    assert len(failures(results)) == 2
    assert answer_to(attempt).draft in drafts
    assert answer_to(attempt).draft_version == 1


def test_taken_back_while_somebody_begins(exam, ann, rosa):
    """Never an attempt in progress at a qualification that is being changed."""
    in_parallel(
        [
            lambda: start(exam, ann),
            lambda: qualifications_services.set_state(
                qualification=exam, state="draft", by=rosa, now=timezone.now()
            ),
        ]
    )
    assert not QualificationAttempt.objects.filter(state="in_progress").exists()


def test_the_team_qualifies_somebody_twice_at_once(exam, ann, rosa, ada):
    def grant(by):
        return grading.grant_qualification(
            qualification=exam, user=ann, note="", by=by, now=timezone.now()
        ).pk

    results = in_parallel([lambda: grant(rosa), lambda: grant(ada)] * 3)
    assert not failures(results)
    assert len(set(results)) == 1
    assert AuditEntry.objects.filter(action="qualified_by_hand").count() == 1
