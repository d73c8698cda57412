"""Annotators change what they submitted; it stays valid until the change is, and one always is."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.models import (
    Annotation,
    Assignment,
    AuditEntry,
    PayEntry,
    ReplacedSubmission,
    SubmissionChange,
    Task,
)
from annotation.work import assignments, changing
from annotation.work.drafts import DraftConflict
from tests.validation.conftest import kept, none, one, several

FIRST = several(("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
SECOND = several(("When did it open to people?", "1843"), ("When did it reopen to trains?", "2010"))
LATER = dt.timedelta(minutes=31)


@pytest.fixture
def paid(project):
    project.policies.filter(stage="generation").update(pay="0.50", currency="USD")


@pytest.fixture
def turn(paid, project, question, ann, ben, answer):
    """Ann's submission on a question that waits for a validator."""
    answer(project, ann, FIRST)
    answer(project, ben, one("1900"))
    return Assignment.objects.get(user=ann)


def begin(turn, by, now):
    return changing.begin_change(assignment=turn, by=by, now=now)


def submit(turn, response, by, now):
    """Submit a change, with a reason for every warning."""
    return changing.submit_change(
        assignment=turn, response=kept(turn, response, now), by=by, now=now
    )


def asked(turn):
    return [pair.question for pair in Annotation.objects.get(assignment=turn).pairs.all()]


def take(project, by, now):
    return assignments.take_next(project=project, stage="validation", by=by, now=now)


def post(by, name, turn, data=None, **options):
    client = Client()
    client.force_login(by)
    return client.post(reverse(name, args=[turn.pk]), data or {}, **options)


class TestChanging:
    def test_the_submission_stays_until_the_change_is_submitted(self, turn, ann, now):
        begin(turn, ann, now)
        turn.refresh_from_db()
        assert (turn.state, asked(turn)[1]) == ("submitted", "When did it open to trains?")
        assert turn.pay == PayEntry.objects.get(assignment=turn).amount
        submitted_at = turn.submitted_at
        submit(turn, SECOND, ann, now)
        turn.refresh_from_db()
        assert asked(turn)[1] == "When did it reopen to trains?"
        assert (turn.state, turn.submitted_at) == ("submitted", submitted_at)
        assert PayEntry.objects.filter(assignment=turn).count() == 1
        assert not SubmissionChange.objects.exists()
        assert AuditEntry.objects.filter(action="assignment_changed").count() == 1

    def test_what_was_submitted_before_is_kept(self, turn, ann, now):
        for number, response in enumerate([SECOND, FIRST, none()]):
            at = now + dt.timedelta(minutes=number)
            begin(turn, ann, at)
            submit(turn, response, ann, at)
        rows = ReplacedSubmission.objects.filter(assignment=turn)
        assert [row.number for row in rows] == [1, 2, 3]
        told = [row.logged["pairs"][1]["question"] for row in rows]
        assert told[1] == "When did it reopen to trains?"
        assert [row.submitted_at for row in rows][1:] == [row.replaced_at for row in rows][:2]
        with pytest.raises(IntegrityError, match="replaced_once_per_number"), transaction.atomic():
            ReplacedSubmission.objects.create(
                **{"assignment": turn, "number": 1, "response": {}, "logged": {}},
                **{"submitted_at": now, "replaced_at": now},
            )

    def test_the_same_again_changes_nothing(self, turn, ann, now):
        before = Annotation.objects.get(assignment=turn).pk
        begin(turn, ann, now)
        submit(turn, FIRST, ann, now)
        assert Annotation.objects.get(assignment=turn).pk == before
        assert not ReplacedSubmission.objects.exists()
        assert not SubmissionChange.objects.exists()

    def test_a_second_click_changes_nothing(self, turn, ann, now):
        begin(turn, ann, now)
        first = submit(turn, SECOND, ann, now)
        assert submit(turn, SECOND, ann, now) == first
        with pytest.raises(Conflict, match="in another window"):
            submit(turn, FIRST, ann, now)
        assert ReplacedSubmission.objects.count() == 1

    def test_a_rule_that_refuses_leaves_everything(self, turn, ann, now):
        begin(turn, ann, now)
        with pytest.raises(ResponseRefused):
            changing.submit_change(assignment=turn, response=several(("", "")), by=ann, now=now)
        assert len(asked(turn)) == 2
        assert SubmissionChange.objects.exists()
        assert not ReplacedSubmission.objects.exists()

    def test_matching_answers_are_accepted_at_once(self, turn, question, ann, now):
        begin(turn, ann, now)
        submit(turn, one("1900"), ann, now)
        question.refresh_from_db()
        assert question.state == "auto_accepted"
        with pytest.raises(Conflict, match="the question is decided"):
            begin(turn, ann, now)

    def test_nobody_else_changes_it(self, turn, ben, now):
        with pytest.raises(Denied, match="Someone else"):
            begin(turn, ben, now)
        assert post(ben, "work-change", turn).status_code == 404
        assert post(ben, "work-change-leave", turn).status_code == 404

    def test_the_team_returns_it_with_what_was_typed(self, turn, ann, rosa, now):
        begin(turn, ann, now)
        typed = changing.find_change(turn).draft | {"none_reason": "typed"}
        changing.save_change(
            assignment=turn, draft=typed, version=turn.draft_version + 1, by=ann, now=now
        )
        assignments.return_to_author(assignment=turn, note="Look again.", by=rosa, now=now)
        turn.refresh_from_db()
        assert (turn.state, turn.draft) == ("parked", typed)
        assert not SubmissionChange.objects.exists()


class TestValidators:
    def test_they_are_not_given_it_meanwhile(self, turn, project, ann, val, now):
        begin(turn, ann, now)
        assert take(project, val, now) is None
        submit(turn, SECOND, ann, now)
        assert take(project, val, now) is not None

    def test_they_are_given_it_once_the_time_has_ended(self, turn, project, ann, val, now):
        begin(turn, ann, now)
        assert take(project, val, now + LATER) is not None

    def test_they_are_given_it_once_it_is_left_as_it_was(self, turn, project, ann, val, now):
        begin(turn, ann, now)
        changing.leave_change(assignment=turn, by=ann, now=now)
        assert take(project, val, now) is not None

    def test_two_who_change_their_own_both_hold_it(self, turn, project, ann, ben, val, now):
        bens = Assignment.objects.get(user=ben)
        begin(turn, ann, now)
        begin(bens, ben, now)
        submit(turn, SECOND, ann, now)
        assert take(project, val, now) is None
        changing.leave_change(assignment=bens, by=ben, now=now)
        assert take(project, val, now) is not None

    def test_a_task_that_is_made_meanwhile_is_held_too(
        self, project, question, ann, ben, val, answer, now
    ):
        answer(project, ann, FIRST)
        turn = Assignment.objects.get(user=ann)
        begin(turn, ann, now)
        answer(project, ben, one("1900"))
        assert Task.objects.get(policy__stage="validation").held_until == now + changing.LEASE
        assert take(project, val, now) is None

    def test_nothing_is_changed_once_they_have_it(self, turn, project, ann, val, now):
        taken = take(project, val, now)
        with pytest.raises(Conflict, match="the validator opened it on"):
            begin(turn, ann, now)
        assignments.give_back(assignment=taken, by=val, now=now)
        begin(turn, ann, now)
        with pytest.raises(Conflict, match="Someone else has this question"):
            assignments.reopen_assignment(assignment=taken, by=val, now=now)


class TestItsTime:
    def test_what_comes_too_late_is_kept_and_told(self, turn, ann, now):
        begin(turn, ann, now)
        with pytest.raises(Conflict, match="The time to change it ended at"):
            submit(turn, SECOND, ann, now + LATER)
        assert asked(turn)[1] == "When did it open to trains?"
        typed = changing.find_change(turn).draft
        assert typed["pairs"][1]["question"] == "When did it reopen to trains?"
        again = begin(turn, ann, now + LATER)
        assert again.draft == typed
        submit(turn, SECOND, ann, now + LATER)
        assert asked(turn)[1] == "When did it reopen to trains?"

    def test_text_is_saved_after_it_and_discarded_when_told(self, turn, ann, now):
        version = begin(turn, ann, now).draft_version
        save = {"assignment": turn, "by": ann, "now": now + LATER}
        assert changing.save_change(draft={"kind": "none"}, version=version, **save) == version + 1
        with pytest.raises(DraftConflict):
            changing.save_change(draft={"kind": "single"}, version=version, **save)
        changing.leave_change(assignment=turn, by=ann, now=now + LATER)
        assert not SubmissionChange.objects.exists()
        with pytest.raises(Conflict, match="in another window"):
            changing.save_change(draft={"kind": "single"}, version=version, **save)


class TestThePage:
    def test_it_is_the_form_with_what_was_submitted(self, turn, ann, now):
        answer = post(ann, "work-change", turn)
        assert answer["Location"] == reverse("work-page", args=[turn.pk])
        client = Client()
        client.force_login(ann)
        page = client.get(answer["Location"]).text
        assert "Submit the change" in page
        assert "When did it open to trains?" in page
        assert 'popovertarget="park"' not in page
        assert 'popovertarget="skip"' not in page
        left = client.post(reverse("work-change-leave", args=[turn.pk]))
        assert left["Location"] == reverse("submission-view", args=[turn.pk])

    def test_a_sign_of_life_asks_the_database_little(self, turn, ann, now):
        begin(turn, ann, now)
        client = Client()
        client.force_login(ann)
        address = reverse("work-touch", args=[turn.pk])
        with CaptureQueriesContext(connection) as seen:
            assert client.post(address).status_code == 200
        assert len(seen) <= 3


class TestTheApi:
    def test_it_changes_and_leaves(self, turn, ann, now):
        client = Client()
        client.force_login(ann)
        address = reverse("api-work-change", args=[turn.pk])
        begun = client.post(address).json()
        assert begun["state"] == "submitted"
        assert begun["changing_until"] is not None
        assert begun["can_submit"]
        sent = begun["response"] | {"kind": "none", "none_reason": "It is on no page."}
        body = {"version": begun["version"], "response": sent}
        json = {"content_type": "application/json"}
        name = reverse("api-work-draft", args=[turn.pk])
        saved = client.post(name, body, **json).json()
        assert saved["version"] == begun["version"] + 1
        assert client.delete(address).json()["response"]["kind"] == "multiple"
        again = client.post(address).json()
        assert again["response"]["kind"] == "none"
        body["version"] = again["version"]
        keep = [
            {"rule": each["rule"], "field": each["field"], "reason": "It is so."}
            for each in again["findings"]
        ]
        body["response"] |= {"keeps": keep}
        done = client.post(reverse("api-work-submit", args=[turn.pk]), body, **json)
        assert done.status_code == 200, done.text
        assert (done.json()["changing_until"], done.json()["response"]["kind"]) == (None, "none")
        assert Annotation.objects.get(assignment=turn).kind == "none"

    def test_what_cannot_be_changed_is_said(self, turn, project, ann, val, now):
        taken = take(project, val, now)
        client = Client()
        client.force_login(ann)
        refused = client.post(reverse("api-work-change", args=[turn.pk]))
        assert refused.status_code == 409
        assert "the validator opened it" in refused.json()["detail"]
        client.force_login(val)
        refused = client.post(reverse("api-work-change", args=[taken.pk]))
        assert refused.status_code == 409


def test_what_has_a_time_limit_or_steps_is_not_changed():
    from annotation.stages import registry as stages

    closed = {"nq", "qampari-extend", "validation", "audit"}
    assert {key for key in closed if stages.get_stage(key).revisable != 0} == set()


def test_an_old_submission_is_no_data(turn, ann, now):
    begin(turn, ann, now)
    submit(turn, SECOND, ann, now)
    assert Annotation.objects.filter(assignment=turn).count() == 1
