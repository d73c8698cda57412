"""What can be done with a turn in every stage: park, skip, release; staff return and leave out."""

import json

import pytest
from django.urls import reverse

from annotation.models import Assignment
from tests.stages.scene import taken
from tests.stages.window import HX

MINE, THEIRS = "costermongers", "ferrymen"


@pytest.fixture
def drafted(work, example):
    """The worker's window with something typed and saved."""
    work.post("draft", example.write(work.fields, MINE), headers=HX)
    return work.open()


@pytest.fixture
def submitted(drafted):
    assert drafted.post("submit").status_code == 302
    return drafted.open()


def judge(client_as, scene, work, action, note="Look again."):
    """Do as staff what can be done with submitted work."""
    address = reverse("turn-judge", args=[scene.project.slug, work.assignment.pk])
    return client_as(scene.staff).post(address, {"action": action, "note": note})


@pytest.mark.parametrize(
    ("name", "fields", "state"),
    [
        ("park", {"reason": "Which one?"}, "parked"),
        ("skip", {"reason": "subjective"}, "skipped"),
        ("return", {}, "returned"),
    ],
)
class TestLeaving:
    def test_it_keeps_what_was_typed_for_reading_and_for_going_on(
        self, drafted, name, fields, state
    ):
        assert drafted.post(name, fields).status_code == 302
        assert drafted.row().state == state
        assert MINE in drafted.open().words
        assert not drafted.fields
        assert drafted.post("resume", {}).status_code == 302
        assert drafted.row().state == "active"
        assert MINE in drafted.open().words
        assert drafted.post("submit").status_code == 302
        assert drafted.row().state == "submitted"

    def test_a_window_left_open_goes_on_being_saved(self, drafted, example, name, fields, state):
        drafted.post(name, fields)
        answer = drafted.post("draft", example.write(drafted.fields, THEIRS), headers=HX)
        assert answer.status_code == 200
        assert THEIRS in json.dumps(drafted.row().draft)
        assert drafted.row().state == state


def test_parking_and_skipping_need_a_reason(work):
    assert work.post("park", {"reason": " "}).status_code == 409
    assert work.post("skip", {"reason": "dull"}).status_code == 409
    assert work.row().state == "active"


class TestStaff:
    def test_work_returned_to_its_author_is_there_to_go_on_with(
        self, submitted, example, scene, client_as
    ):
        assert judge(client_as, scene, submitted, "return").status_code == 302
        assert submitted.row().state == "parked"
        assert "Look again." in submitted.open().words
        assert MINE in submitted.words
        submitted.post("resume", {})
        assert MINE in submitted.open().words
        again = example.write(submitted.fields, THEIRS)
        assert submitted.post("submit", again).status_code == 302
        assert THEIRS in submitted.open().words

    def test_a_window_left_open_before_that_overwrites_nothing(
        self, drafted, example, scene, client_as
    ):
        old = example.write(drafted.fields, THEIRS)
        drafted.post("submit")
        judge(client_as, scene, drafted, "return")
        assert drafted.post("draft", old, headers=HX).status_code == 409
        assert MINE in json.dumps(drafted.row().draft)

    def test_work_left_out_keeps_its_text_and_gives_its_place_away(
        self, submitted, example, scene, stage, client_as
    ):
        assert judge(client_as, scene, submitted, "leave-out").status_code == 302
        assert (submitted.row().state, submitted.row().used) == ("submitted", False)
        assert MINE in submitted.open().words
        other = taken(scene.colleague, scene.project, stage)
        assert other.assignment.task_id == submitted.assignment.task_id
        assert MINE not in other.words
        assert other.post("submit", example.write(other.fields, THEIRS)).status_code == 302
        used = Assignment.objects.filter(task=other.assignment.task_id, state="submitted")
        assert sorted(used.values_list("used", flat=True)) == [False, True]

    def test_what_nobody_came_for_can_be_used_again(self, submitted, scene, client_as):
        judge(client_as, scene, submitted, "leave-out")
        assert judge(client_as, scene, submitted, "use").status_code == 302
        assert submitted.row().used

    def test_the_author_sees_its_result_and_what_is_said_of_it(self, submitted, scene, client_as):
        judge(client_as, scene, submitted, "leave-out", note="Copied.")
        assert submitted.client.get(reverse("submission-list")).status_code == 200
        result = submitted.client.get(reverse("submission-view", args=[submitted.assignment.pk]))
        assert result.status_code == 200
        assert scene.staff.name not in result.text

    def test_their_page_of_the_question_shows_it(self, submitted, scene, client_as):
        question = submitted.row().task.question_id
        address = reverse("question-view", args=[scene.project.slug, question])
        assert MINE in client_as(scene.staff).get(address).text
