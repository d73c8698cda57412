"""The extended set: which questions are in it, and what leaves it."""

import datetime as dt
import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.core import limits
from annotation.core.refusals import Conflict, Denied
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.models import AuditEntry, Task
from annotation.stages import registry as stages
from annotation.work import assignments, drafts, tasks, time_limits
from qampari import extended_set
from qampari.added_answers import AddedAnswer, ExtendResponse
from qampari.extending import ExtendingSheet
from tests import factories
from tests.qampari.extending import make_project, make_question, ready
from tests.qampari.factories import check
from tests.stages.window import HX, Window, words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def staff(project):
    return factories.make_member(project, "admin")


def drawn(project, staff, now, **changes):
    terms = {"split": "test", "number": 1, "seed": 7} | changes
    return extended_set.draw_questions(project=project, by=staff, now=now, **terms)


def in_set(project):
    tasks = Task.objects.filter(policy__stage="qampari-extend", question__project=project)
    return sorted(tasks.values_list("question__external_id", flat=True))


def test_some_are_drawn_and_the_same_seed_draws_the_same(project, staff, now):
    for _ in range(25):
        make_question(project)
    make_question(project, split="dev")
    ids = drawn(project, staff, now, number=5)
    assert len(ids) == 5
    assert drawn(project, staff, now, number=5) == ids == in_set(project)
    assert drawn(project, staff, now, number=5, seed=8) != ids
    told = AuditEntry.objects.filter(action="extended_set_opened").order_by("pk").first().data
    assert (told["seed"], told["drawn_from"], told["opened"]) == (7, 25, 5)


@pytest.mark.parametrize(
    "changes", [{"number": 0}, {"number": 2}, {"seed": -1}, {"seed": 2**60}, {"split": "dev"}]
)
def test_what_cannot_be_drawn_is_refused(project, staff, now, changes):
    make_question(project)
    with pytest.raises(Conflict):
        drawn(project, staff, now, **changes)


def test_questions_are_named(project, staff, now):
    first, second = (make_question(project).external_id for _ in range(2))
    assert extended_set.add_questions(project=project, ids=[first, first], by=staff, now=now) == [
        first
    ]
    assert extended_set.add_questions(project=project, ids=[first, second], by=staff, now=now) == [
        second
    ]
    with pytest.raises(Conflict, match="no question “nowhere”"):
        extended_set.add_questions(project=project, ids=["nowhere"], by=staff, now=now)


def test_only_staff_says_which(project, now):
    make_question(project)
    person = factories.make_member(project, "annotator")
    with pytest.raises(Denied):
        drawn(project, person, now)


def test_the_command(project, staff, now, tmp_path, capsys):
    first, second = (make_question(project).external_id for _ in range(2))
    call_command("qampari_extended_set", project.slug, by=staff.email, number=1)
    assert "1 questions are in" in capsys.readouterr().out
    path = tmp_path / "ids.txt"
    path.write_text(f"{first}\n\n{second}\n")
    call_command("qampari_extended_set", project.slug, by=staff.email, questions=str(path))
    assert in_set(project) == sorted([first, second])
    for wrong in ({"by": "nobody@example.org"}, {"questions": str(tmp_path / "none")}):
        with pytest.raises(CommandError):
            call_command("qampari_extended_set", project.slug, **{"by": staff.email} | wrong)


def exported(project, now):
    found = start_export(
        project=project, format="extended-set", chosen=Selection(), by=None, now=now
    )
    return [json.loads(line) for line in b"".join(found.blocks()).splitlines()]


def test_the_release_has_what_was_known_and_what_was_added_once(project, now):
    project.policies.update(people=2)
    question = ready(project, now)
    texts = [("Cree Bridge", "Esk Bridge"), ("the cree bridge", "Earn")]
    for words in texts:
        person = factories.make_member(project, "annotator")
        work = assignments.take_next(project=project, stage="qampari-extend", by=person, now=now)
        response = ExtendResponse(
            added=tuple(AddedAnswer(text, "John Rennie") for text in reversed(words))
        )
        assignments.submit_response(assignment=work, response=response, by=person, now=now)
    [record] = exported(project, now)
    assert record["qid"] == question.external_id
    assert record["known_answers"] == ["Kelso Bridge", "Waterloo Bridge", "Southwark Bridge"]
    assert [each["answer_text"] for each in record["added_answers"]] == [
        "Cree Bridge",
        "Esk Bridge",
        "Earn",
    ]
    assert record["added_answers"][0]["found_in"] == "John Rennie"
    assert (record["people"], record["ended_by"]) == (2, ["person", "person"])
    assert extended_set.count_extended_questions(project) == 1


def test_answers_that_people_refused_are_not_known(project, now):
    question = ready(project, now)
    project.policies.create(stage="qampari-check", split="test", people=1, minimum_seconds=0)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    person = factories.make_member(project, "annotator")
    check(person, project, ["correct", "doubtful"])  # the third is not checked yet
    work = assignments.take_next(project=project, stage="qampari-extend", by=person, now=now)
    assert stages.get_stage("qampari-extend").build_sheet_context(work, now=now).names == [
        "Kelso Bridge",
        "Southwark Bridge",
    ]
    response = ExtendResponse(added=(AddedAnswer("Waterloo Bridge", "Thames"),))
    assignments.submit_response(assignment=work, response=response, by=person, now=now)
    [record] = exported(project, now)
    assert record["known_answers"] == ["Kelso Bridge", "Southwark Bridge"]
    assert [each["answer_text"] for each in record["added_answers"]] == ["Waterloo Bridge"]


def test_staff_draw_them_on_the_page_of_the_project(project, staff, client_as, now):
    for _ in range(3):
        make_question(project)
    client, page = client_as(staff), reverse("project-overview", args=[project.slug])
    assert "0 questions, 0 done" in words_of(client.get(page).text)
    fields = {"draw-split": "test", "draw-number": "2", "draw-seed": "7"}
    address = reverse("extended-set-draw", args=[project.slug])
    for _ in range(2):
        said = words_of(client.post(address, fields, follow=True).text)
        assert "Drawn: 2 questions of test." in said
        assert "2 questions, 0 done" in said
    said = words_of(client.post(address, fields | {"draw-number": "4"}, follow=True).text)
    assert "Choose a number from 1 to 3: test has no more questions." in said
    said = words_of(client.post(address, fields | {"draw-number": ""}, follow=True).text)
    assert "Number of questions: " in said
    log = words_of(client.get(reverse("project-log", args=[project.slug])).text)
    assert f"{staff.name} put 2 questions into the extended set." in log


def test_other_protocols_have_no_extended_set(client_as):
    project = factories.make_project(slug="other")
    client = client_as(factories.make_member(project, "admin"))
    page = client.get(reverse("project-overview", args=[project.slug]))
    assert "Extended set" not in page.text
    assert client.post(reverse("extended-set-draw", args=[project.slug])).status_code == 404


def test_what_the_clock_submits_is_released_without_what_is_there_twice(project, now):
    ready(project, now)
    person = factories.make_member(project, "annotator")
    work = assignments.take_next(project=project, stage="qampari-extend", by=person, now=now)
    assert work.limit_ends_at == now + dt.timedelta(minutes=12)
    draft = ExtendResponse(
        added=(AddedAnswer("esk"), AddedAnswer("Esk"), AddedAnswer("Kelso")),
        new="Cree",
        source="Cree",
    )
    drafts.save_draft(
        assignment=work, draft=ExtendingSheet().dump(draft), version=0, by=person, now=now
    )
    assert time_limits.submit_overdue_work(now=work.limit_ends_at + limits.GRACE) == 1
    [record] = exported(project, now)
    assert [each["answer_text"] for each in record["added_answers"]] == ["Esk", "Cree"]
    assert (record["ended_by"], record["late_seconds"]) == (["clock"], [0])


def test_its_page_shows_what_is_known_and_has_one_way_to_find_nothing(project, now):
    ready(project, now)
    window = Window(factories.make_member(project, "annotator"), project, "qampari-extend").take()
    assert re.search(r'<input [^>]*id="new"[^>]* autofocus', window.html)
    assert re.search(r"<details [^>]*open>\s*<summary>3 known answers", window.html)
    assert "You have added no answer" not in window.html
    refused = window.post("submit", headers=HX)
    assert refused.status_code == 422
    assert "Add an answer, or say that you can’t find more" in refused.text
    assert refused.text.count("I can’t find more") == 1
    assert "Keep, because" not in refused.text
    kept = {"keep-rule": ["none-added"], "keep-field": ["added"], "keep-reason": ["All read."]}
    assert window.post("draft", window.open().fields | kept, headers=HX).status_code == 200
    assert "I can’t find more: “All read.”" in window.open().html
    assert window.post("submit").status_code == 302
    assert window.row().state == "submitted"


def test_one_is_told_before_the_press_that_the_clock_starts(project, now):
    ready(project, now)
    window = Window(factories.make_member(project, "annotator"), project, "qampari-extend")
    card = words_of(window.client.get(reverse("home")).text).replace("\xa0", " ")
    assert "The clock starts when you press the button: 12 min for each question." in card
    assert "The clock cannot be paused" in card
    assert "Take the next question and start the clock" in card
    window.take()  # what counts from now on is the clock, and not the lease
    assert "Yours for 11 min" in window.client.get(reverse("home")).text.replace("\xa0", " ")
