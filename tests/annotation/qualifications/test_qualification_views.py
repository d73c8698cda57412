"""The pages of qualifications, as people and the team use them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.generation.responses import to_json
from annotation.models import Qualification, QualificationAttempt
from annotation.qualifications import attempts, grading
from annotation.qualifications.items import item_json
from tests import factories
from tests.annotation.qualifications.helpers import (
    BRIDGE,
    ITEMS,
    JUDGED,
    RIGHT,
    TUNNEL,
    answer_to,
    attempt_with,
    make,
)

pytestmark = pytest.mark.django_db
HX = {"HX-Request": "true"}
PAIRS = {
    "kind": "multiple",
    "pair-0-question": "When did the Thames Tunnel open to walkers?",
    "pair-0-answer": ["25 March 1843"],
    "pair-1-question": "When did the Thames Tunnel open to trains?",
    "pair-1-answer": ["7 December 1869"],
}
SECRETS = ("7 December 1869", "It opened twice", "Fowler", "25 March 1843", "through</strong> it")


@pytest.fixture
def exam(project, rosa, now):
    return make(project, rosa, now)


@pytest.fixture
def attempt(exam, ann, now):
    return attempts.start_attempt(qualification=exam, by=ann, now=now)


def at(name, *args):
    return reverse(name, args=args)


def post(client, attempt, number=1, **data):
    version = answer_to(attempt, number).draft_version
    return client.post(at("attempt-draft", attempt.pk, number), {"version": version} | data)


class TestTaking:
    def test_from_the_list_to_the_result(self, exam, ann, client_as, project):
        client = client_as(ann)
        assert exam.title in client.get(at("qualification-list", project.slug)).text
        start = at("qualification-start", project.slug, exam.pk)
        assert "3 short questions" in client.get(start).text
        first = client.post(start)
        attempt = QualificationAttempt.objects.get()
        assert first["Location"] == at("attempt-item", attempt.pk, 1)
        assert TUNNEL.prompt in client.get(first["Location"]).text

        checked = post(client, attempt, **PAIRS, action="check")
        assert checked["Location"] == f"{at('attempt-item', attempt.pk, 1)}#verdict"
        page = client.get(checked["Location"]).text
        assert "This passes" in page
        assert "It opened twice" in page
        assert "Checked 1 time" in page

        went = post(client, attempt, **PAIRS, action="go 2")
        assert went["Location"] == at("attempt-item", attempt.pk, 2)
        assert answer_to(attempt, 2).opened_at
        post(client, attempt, 2, kind="single", **{"single-answer": ["Fowler"]}, action="go 3")
        last = post(client, attempt, 3, kind="none", none_reason="Nowhere.", action="finish")
        assert "3 of 3 answered" in client.get(last["Location"]).text
        client.post(at("attempt-submit", attempt.pk))
        assert "You have passed" in client.get(last["Location"]).text
        assert "You have passed" in client.get(at("qualification-list", project.slug)).text
        assert "You are qualified since" in client.get(start).text

    def test_nothing_that_was_prepared_is_on_the_pages(self, attempt, ann, client_as, exam):
        client = client_as(ann)
        addresses = [at("attempt-item", attempt.pk, number) for number in (1, 2, 3)]
        addresses += [
            at("attempt-view", attempt.pk),
            at("qualification-start", exam.project.slug, exam.pk),
            at("qualification-list", exam.project.slug),
        ]
        for address in addresses:
            page = client.get(address).text
            assert not [words for words in SECRETS if words in page], address
        wrong = {"kind": "single", "single-answer": ["1850"], "action": "check", "version": "0"}
        reply = client.post(at("attempt-draft", attempt.pk, 1), wrong, headers=HX)
        assert "Not a match yet" in reply.text
        assert not [words for words in SECRETS if words in reply.text]

    def test_nor_in_a_result_that_can_be_tried_again(self, exam, ann, client_as, now):
        attempt = attempt_with(exam, ann, now, right=1)
        page = client_as(ann).get(at("attempt-view", attempt.pk)).text
        assert "It opened twice" in page  # that item passed
        assert "Fowler" not in page
        assert "Ask the team for a review" in page

    def test_what_is_prepared_is_shown_to_who_passed(self, project, rosa, ann, client_as, now):
        exam = make(project, rosa, now, pass_at=1, review_from=1)
        attempt = attempt_with(exam, ann, now, right=1)
        assert "Fowler" in client_as(ann).get(at("attempt-view", attempt.pk)).text

    def test_a_verdict_is_over_when_the_answer_changes(self, attempt, ann, client_as):
        client = client_as(ann)
        post(client, attempt, **PAIRS, action="check")
        reply = client.post(
            at("attempt-draft", attempt.pk, 1),
            PAIRS | {"version": 1, "pair-1-answer": ["1870"]},
            headers=HX,
        )
        assert "You have changed it since" in reply.text
        assert "This passes" not in reply.text

    def test_presses_without_scripts(self, attempt, ann, client_as):
        client = client_as(ann)
        added = post(client, attempt, **PAIRS, action="add-pair")
        assert added["Location"].endswith("#pair-3")
        assert len(answer_to(attempt).draft["pairs"]) == 3

    def test_two_windows(self, attempt, ann, client_as):
        client = client_as(ann)
        post(client, attempt, **PAIRS)
        other = PAIRS | {"pair-1-answer": ["1870"], "version": 0}
        for headers in ({}, HX):
            reply = client.post(at("attempt-draft", attempt.pk, 1), other, headers=headers)
            assert reply.status_code == 409
            assert "in another window" in reply.text
            assert at("attempt-item", attempt.pk, 1) in reply.text
        kept = client.post(at("attempt-draft", attempt.pk, 1), other | {"action": "overwrite 1"})
        assert kept.status_code == 302
        assert answer_to(attempt).draft["pairs"][1]["answers"][0]["text"] == "1870"

    def test_a_form_that_cannot_be_read(self, attempt, ann, client_as):
        client = client_as(ann)
        reply = client.post(
            at("attempt-draft", attempt.pk, 1), {"kind": "odd", "version": 0}, headers=HX
        )
        assert reply.status_code == 422
        assert "Choose multiple, single or none" in reply.text
        assert post(client, attempt, kind="odd").status_code == 302

    def test_the_hint_waits(self, attempt, ann, client_as, now):
        client = client_as(ann)
        assert post(client, attempt, **PAIRS, action="hint").status_code == 409
        assert answer_to(attempt).draft["kind"] == "multiple"  # saved all the same
        early = PAIRS | {"version": 1, "action": "hint"}
        reply = client.post(at("attempt-draft", attempt.pk, 1), early, headers=HX)
        assert reply.status_code == 200
        assert "data-wait" in reply.text
        assert "through" not in reply.text
        attempt.answers.update(opened_at=now.replace(year=now.year - 1))
        post(client, attempt, **PAIRS, action="hint")
        assert "<strong>through</strong> it" in client.get(at("attempt-item", attempt.pk, 1)).text

    def test_too_little_is_refused(self, attempt, ann, client_as):
        answer = client_as(ann).post(at("attempt-submit", attempt.pk))
        assert answer.status_code == 409
        assert "1 are needed" in answer.text

    def test_items_of_what_is_over_lead_to_the_result(self, exam, ann, client_as, now):
        attempt = attempt_with(exam, ann, now, right=2)
        address = at("attempt-item", attempt.pk, 1)
        assert client_as(ann).get(address)["Location"] == at("attempt-view", attempt.pk)

    def test_asking(self, exam, ann, client_as, now):
        attempt = attempt_with(exam, ann, now, right=1)
        client_as(ann).post(at("attempt-ask", attempt.pk), {"text": "Item 2?"})
        assert (
            "is reviewing your attempt" in client_as(ann).get(at("attempt-view", attempt.pk)).text
        )

    def test_no_such_item(self, attempt, ann, client_as):
        assert client_as(ann).get(at("attempt-item", attempt.pk, 4)).status_code == 404
        assert post(client_as(ann), attempt, **PAIRS, action="go 9").status_code == 404

    def test_one_that_is_being_written_is_not_shown(self, project, rosa, ann, client_as, now):
        exam = make(project, rosa, now, opened=False)
        assert exam.title not in client_as(ann).get(at("qualification-list", project.slug)).text
        start = at("qualification-start", project.slug, exam.pk)
        assert client_as(ann).get(start).status_code == 409


class TestJudging:
    @pytest.fixture
    def attempt(self, project, rosa, val, now):
        exam = make(
            project, rosa, now, items=[JUDGED], kind="validation",
            submit_at=0, review_from=1, pass_at=1,
        )  # fmt: skip
        return attempts.start_attempt(qualification=exam, by=val, now=now)

    def test_verdicts(self, attempt, val, client_as):
        client = client_as(val)
        page = client.get(at("attempt-item", attempt.pk, 1)).text
        assert "1850" in page
        said = {"verdict-0": "correct", "verdict-1": "correct"}
        post(client, attempt, **said, action="check")
        page = client.get(at("attempt-item", attempt.pk, 1)).text
        assert "Not every verdict is right" in page
        post(client, attempt, **said | {"verdict-1": "incorrect"}, action="finish")
        client.post(at("attempt-submit", attempt.pk))
        assert "It is <strong>incorrect" in client.get(at("attempt-view", attempt.pk)).text

    def test_odd_verdicts_are_none(self, attempt, val, client_as):
        data = {"verdict-0": "maybe", "verdict-1": "correct", "verdict-99999": "correct"}
        post(client_as(val), attempt, **data)
        assert answer_to(attempt).draft == {"verdicts": [None, "correct"]}

    def test_two_windows(self, attempt, val, client_as):
        post(client_as(val), attempt, **{"verdict-0": "correct"})
        late = {"verdict-0": "incorrect", "version": 0}
        reply = client_as(val).post(at("attempt-draft", attempt.pk, 1), late)
        assert reply.status_code == 409
        assert "Annotation 1" in reply.text


class TestTeam:
    def test_from_nothing_to_open(self, project, rosa, client_as):
        client = client_as(rosa)
        new = {"title": "Basics", "kind": "generation"}
        made = client.post(at("qualification-list", project.slug), new)
        exam = Qualification.objects.get()
        team = at("qualification-view", project.slug, exam.pk)
        assert made["Location"] == team
        item = {
            "part": "exam",
            "prompt": TUNNEL.prompt,
            "accepted": "When A? = 1843\nWhen B? = 1869",
            "threshold": "1",
            "hint_seconds": "120",
        }
        assert client.post(at("qualification-item-add", project.slug, exam.pk), item)[
            "Location"
        ] == team  # fmt: skip
        initial = client.get(team).context["form"].initial
        marks = {"submit_at": 1, "review_from": 1, "pass_at": 1}
        data = {name: value for name, value in (initial | marks).items() if value is not False}
        assert client.post(team, data).status_code == 302
        state = at("qualification-state", project.slug, exam.pk)
        assert client.post(state, {"state": "open"}).status_code == 302
        exam.refresh_from_db()
        assert (exam.state, exam.pass_at, exam.title) == ("open", 1, "Basics")

    def test_marks_that_do_not_rise(self, project, rosa, client_as, now):
        exam = make(project, rosa, now, opened=False)
        team = at("qualification-view", project.slug, exam.pk)
        answer = client_as(rosa).post(
            team, {"title": "X", "submit_at": 3, "review_from": 2, "pass_at": 1}
        )
        assert answer.status_code == 422
        assert answer.text.count("This must be at least the number") >= 2

    def test_settings_of_judging_know_no_rules(self, project, rosa, client_as, now):
        exam = make(
            project, rosa, now, items=[JUDGED], kind="validation", opened=False,
            submit_at=0, review_from=1, pass_at=1,
        )  # fmt: skip
        team = at("qualification-view", project.slug, exam.pk)
        form = client_as(rosa).get(team).context["form"]
        assert "rules" not in form.fields
        data = {name: form.initial[name] for name in form.fields if form.initial[name] is not False}
        assert client_as(rosa).post(team, data | {"title": "Judge"}).status_code == 302
        exam.refresh_from_db()
        assert exam.title == "Judge"
        assert exam.rules == []

    def test_an_item_that_cannot_be_read(self, project, rosa, client_as, now):
        exam = make(project, rosa, now, opened=False)
        data = {"prompt": "x", "accepted": "When 1843", "threshold": "2", "hint_seconds": "1"}
        answer = client_as(rosa).post(at("qualification-item-add", project.slug, exam.pk), data)
        assert answer.status_code == 422
        assert "Line 1: write the question" in answer.text
        assert exam.items.count() == 3

    def test_an_item_is_changed(self, project, rosa, client_as, now):
        exam = make(project, rosa, now, opened=False)
        address = at("qualification-item", project.slug, exam.pk, exam.items.first().pk)
        initial = client_as(rosa).get(address).context["form"].initial
        assert client_as(rosa).post(address, initial | {"accepted": "none"}).status_code == 302
        assert exam.items.first().expected == {"accepted": [{"none": True}]}

    def test_items_come_and_go_as_a_file(self, project, rosa, client_as, now):
        exam = make(project, rosa, now, opened=False)
        client = client_as(rosa)
        saved = client.get(at("qualification-file", project.slug, exam.pk))
        assert saved.json() == {"items": [item_json(item) for item in ITEMS]}
        file = SimpleUploadedFile("items.json", saved.content)
        add = at("qualification-import", project.slug, exam.pk)
        assert client.post(add, {"file": file}).status_code == 302
        assert exam.items.count() == 6

    def test_a_bad_file_changes_nothing_and_says_all(self, project, rosa, client_as, now):
        exam = make(project, rosa, now, opened=False)
        rows = [{"prompt": "x"}, item_json(BRIDGE), {"prompt": ""}]
        file = SimpleUploadedFile("items.json", json.dumps(rows).encode())
        add = at("qualification-import", project.slug, exam.pk)
        answer = client_as(rosa).post(add, {"file": file})
        assert answer.status_code == 422
        assert "Item 1: It has no prepared answer." in answer.text
        assert "Item 3: It has no prompt." in answer.text
        assert exam.items.count() == 3

    def test_the_preview_keeps_nothing(self, exam, rosa, client_as, project):
        address = at("qualification-preview", project.slug, exam.pk, exam.items.first().pk)
        answer = client_as(rosa).post(address, PAIRS | {"action": "check"})
        assert "This passes" in answer.text
        assert not QualificationAttempt.objects.exists()

    def test_grading_with_feedback(self, exam, ann, rosa, client_as, project, now):
        attempt = attempt_with(exam, ann, now, right=2)
        address = at("qualification-grade", project.slug, exam.pk, attempt.pk)
        page = client_as(rosa).get(address).text
        assert "Not found" in page  # what was prepared for the third
        data = {
            "graded-1": "", "graded-2": "", "graded-3": "yes",
            "feedback-3": "Say where you looked.", "note": "Welcome.", "decision": "pass",
        }  # fmt: skip
        assert client_as(rosa).post(address, data).status_code == 302
        result = client_as(ann).get(at("attempt-view", attempt.pk)).text
        assert "You have passed" in result
        assert "Say where you looked." in result
        assert "Welcome." in result

    def test_somebody_is_qualified_by_hand(self, exam, ann, rosa, client_as, project):
        address = at("qualification-person", project.slug, exam.pk, ann.pk)
        client = client_as(rosa)
        assert client.post(address, {"action": "grant", "note": "Pilot"}).status_code == 302
        people = client.get(at("project-people", project.slug)).text
        assert "Passed “First steps”" in people
        assert client.post(address, {"action": "revoke", "note": ""}).status_code == 409
        client.post(address, {"action": "revoke", "note": "Careless"})
        assert "Careless" in client.get(at("qualification-view", project.slug, exam.pk)).text
        assert "Careless" in client_as(ann).get(
            at("qualification-start", project.slug, exam.pk)
        ).text  # fmt: skip

    def test_new_guidelines_are_confirmed(self, exam, rosa, client_as, project):
        client = client_as(rosa)
        client.post(at("project-guidelines", project.slug), {"body": "## New"})
        team = at("qualification-view", project.slug, exam.pk)
        assert "The guidelines have changed" in client.get(team).text
        client.post(at("qualification-confirm", project.slug, exam.pk))
        assert "The guidelines have changed" not in client.get(team).text


def test_queries_do_not_grow(exam, rosa, ann, project, client_as, now):
    def count(user, address):
        client = client_as(user)
        client.get(address)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
    addresses = [
        (rosa, at("qualification-list", project.slug)),
        (rosa, at("qualification-view", project.slug, exam.pk)),
        (ann, at("qualification-start", project.slug, exam.pk)),
        (ann, at("attempt-item", attempt.pk, 1)),
        (ann, at("attempt-view", attempt.pk)),
        (rosa, at("project-people", project.slug)),
    ]
    before = [count(*each) for each in addresses]
    attempts.save_draft(
        answer=answer_to(attempt), draft=to_json(RIGHT[0]), version=0, by=ann, now=now
    )
    for number in range(4):
        person = factories.make_member(project, "annotator", name=f"P{number} Person")
        attempt_with(exam, person, now, right=3 - number % 2)
        made = make(project, rosa, now, title=f"Other {number}")
        grading.grant_qualification(qualification=made, user=person, note="", by=rosa, now=now)
    assert [count(*each) for each in addresses] == before
    assert max(before) <= 15
