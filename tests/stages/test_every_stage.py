"""What holds on the work page of every stage: nothing typed is lost, nothing is submitted twice."""

import datetime as dt
import json
import re

import pytest
from django.utils import timezone

from annotation.models import Assignment, AuditEntry
from tests.stages.scene import end_lease, taken
from tests.stages.window import HX, Window, words_of

MINE, THEIRS = "costermongers", "ferrymen"
LONG = "w" * 50_000


def submissions(work):
    """How often the audit trail says that this work was submitted."""
    entries = AuditEntry.objects.filter(action="assignment_submitted")
    return entries.filter(target=f"assignment:{work.assignment.pk}").count()


def typed(fields):
    """What a person may have put into a form: what is not empty, but for its version."""
    names = fields.keys() - {"version", "csrfmiddlewaretoken"}
    return {name: values for name in names if (values := list(filter(None, fields[name])))}


class TestDrafts:
    def test_what_was_typed_is_shown_again_and_saved_again_as_it_was(self, work, example):
        work.fields = example.write(work.fields, MINE)
        assert work.post("draft", headers=HX).status_code == 200
        posted, draft = work.fields, json.dumps(work.row().draft)
        assert MINE in draft
        work.open()
        for name, values in typed(posted).items():
            assert list(filter(None, work.fields[name]))[: len(values)] == values
        assert work.post("draft", headers=HX).status_code == 200
        assert json.dumps(work.row().draft) == draft

    def test_without_scripts_saving_leads_back_to_the_page(self, work, example):
        answer = work.post("draft", example.write(work.fields, MINE) | {"action": "save"})
        assert answer.status_code == 302
        assert answer["Location"].startswith(work.url("page"))
        assert MINE in work.open().words

    def test_a_save_that_is_sent_twice_is_no_conflict(self, work, example):
        fields = example.write(work.fields, MINE)
        for _ in range(2):
            assert work.post("draft", fields, headers=HX).status_code == 200
        assert work.row().draft_version == 1

    def test_looking_changes_nothing(self, work):
        before = Assignment.objects.values().get(pk=work.assignment.pk)
        work.open()
        assert Assignment.objects.values().get(pk=work.assignment.pk) == before

    @pytest.mark.parametrize("name", ["draft", "submit"])
    @pytest.mark.parametrize("headers", [HX, {}])
    def test_another_window_is_shown_and_nothing_is_lost(self, work, example, name, headers):
        theirs = work.post("draft", example.write(work.fields, THEIRS), headers=HX)
        assert theirs.status_code == 200
        mine = example.write(work.fields, MINE)
        answer = work.post(name, mine, headers=headers)
        assert answer.status_code == 409
        assert MINE in words_of(answer.text)
        assert THEIRS in words_of(answer.text)
        assert THEIRS in json.dumps(work.row().draft)
        assert work.row().state == "active"
        version = work.row().draft_version
        kept = work.post("draft", mine | {"action": f"overwrite {version}"}, headers=headers)
        assert kept.status_code == (200 if headers else 302)
        assert MINE in work.open().words

    @pytest.mark.parametrize("name", ["draft", "submit"])
    def test_what_cannot_be_read_is_said_and_the_draft_stays(self, work, example, name):
        work.post("draft", example.write(work.fields, MINE), headers=HX)
        before = work.row().draft
        too_long = example.write(work.open().fields, LONG)
        answer = work.post(name, too_long, headers=HX)
        assert answer.status_code == 422
        assert "characters" in answer.text
        again = work.post(name, too_long, follow=True)
        assert "characters" in again.text
        assert work.row().draft == before
        assert work.row().state == "active"

    def test_what_was_typed_is_text_and_never_markup(self, work, example):
        nasty = "</textarea><script>alert(1)</script>\"'&"
        fragment = work.post("draft", example.write(work.fields, nasty), headers=HX)
        assert fragment.status_code == 200
        refused = work.post("submit", example.block(work.open().fields, nasty), headers=HX)
        for text in (fragment.text, work.html, refused.text, work.client.get("/").text):
            assert "<script>alert" not in text
        assert "<script>alert(1)</script>" in work.words


class TestAnUntouchedForm:
    def test_no_check_of_it_is_ticked(self, scene, stage):
        """Nothing is filled in and nothing read: there is nothing that a check can praise."""
        window = Window(scene.worker, scene.project, stage).take()
        card = re.search(r'id="checks-title".*?</ul>', window.html, flags=re.S)
        lines = re.findall(r"<li.*?</li>", card[0] if card else "", flags=re.S)
        assert [words_of(line) for line in lines if "#i-check" in line] == []
        assert "Every warning is answered" not in window.words

    def test_a_finished_one_has_no_check_that_waits(self, work, example):
        answer = work.post("draft", example.write(work.fields, MINE), headers=HX)
        card = re.search(r'id="checks-title".*?</ul>', answer.text, flags=re.S)
        lines = re.findall(r"<li.*?</li>", card[0] if card else "", flags=re.S)
        assert [words_of(line) for line in lines if "#i-check" not in line] == []


class TestSubmit:
    @pytest.mark.parametrize("headers", [HX, {}])
    def test_it_is_submitted_and_shown_for_reading(self, work, example, headers):
        answer = work.post("submit", example.write(work.fields, MINE), headers=headers)
        assert answer.status_code == (200 if headers else 302)
        assert ("HX-Redirect" in answer) == bool(headers)
        assert (work.row().state, submissions(work)) == ("submitted", 1)
        assert MINE in work.open().words
        assert not work.fields

    @pytest.mark.parametrize("headers", [HX, {}])
    def test_a_second_submit_changes_nothing(self, work, example, headers):
        work.post("submit", example.write(work.fields, MINE), headers=headers)
        before = Assignment.objects.values().get(pk=work.assignment.pk)
        answer = work.post("submit", example.write(work.fields, THEIRS), headers=headers)
        assert (answer.get("HX-Redirect") or answer.get("Location")) == work.url("page")
        assert Assignment.objects.values().get(pk=work.assignment.pk) == before
        assert submissions(work) == 1
        assert MINE in work.open().words
        assert THEIRS not in work.words

    def test_a_draft_after_it_is_refused(self, work, example):
        work.post("submit", example.write(work.fields, MINE), headers=HX)
        answer = work.post("draft", example.write(work.fields, THEIRS), headers=HX)
        assert answer.status_code == 409
        assert "You have submitted this question." in answer.text
        assert THEIRS not in json.dumps(work.row().draft)

    @pytest.mark.parametrize("headers", [HX, {}])
    def test_what_is_still_to_do_is_said_and_nothing_is_lost(self, work, example, headers):
        answer = work.post("submit", example.block(work.fields, MINE), headers=headers)
        assert answer.status_code == 422
        assert "There is a problem" in answer.text
        assert MINE in json.dumps(work.row().draft)
        assert (work.row().state, submissions(work)) == ("active", 0)
        if not headers:
            assert "<title>Error: " in answer.text
            assert MINE in words_of(answer.text)
        assert MINE in work.open().words

    def test_a_paused_project_keeps_what_was_typed(self, work, example, scene):
        scene.project.state = "paused"
        scene.project.save()
        answer = work.post("submit", example.write(work.fields, MINE), headers=HX)
        assert answer.status_code == 409
        assert "This project is paused." in answer.text
        assert MINE in json.dumps(work.row().draft)


class TestTime:
    def test_a_late_submit_counts_while_nobody_else_came(self, work, example):
        end_lease(work)
        assert work.post("submit", example.write(work.fields, MINE)).status_code == 302
        assert work.row().state == "submitted"

    def test_it_is_kept_as_a_draft_where_somebody_else_came(self, work, example, scene, stage):
        end_lease(work)
        other = taken(scene.colleague, scene.project, stage)
        assert work.row().state == "expired"
        answer = work.post("submit", example.write(work.fields, MINE))
        assert answer.status_code == 409
        assert "someone else has this question now" in answer.text
        assert (work.row().state, submissions(work)) == ("expired", 0)
        assert MINE in work.open().words
        assert MINE not in other.open().words
        assert "Take it up again" not in work.html

    def test_work_whose_time_ended_is_taken_up_again(self, work, example, scene, stage):
        work.post("draft", example.write(work.fields, MINE), headers=HX)
        end_lease(work)
        other = taken(scene.colleague, scene.project, stage)
        other.post("return")
        assert work.row().state == "expired"
        assert "Take it up again" in work.open().html
        assert MINE in work.words
        assert work.post("resume", {}).status_code == 302
        assert work.row().state == "active"
        assert MINE in work.open().words
        assert work.post("submit").status_code == 302
        assert work.row().state == "submitted"

    def test_saving_a_draft_renews_the_whole_time(self, work, example):
        soon = timezone.now() + dt.timedelta(minutes=1)
        Assignment.objects.filter(pk=work.assignment.pk).update(lease_ends_at=soon)
        before = timezone.now()
        work.post("draft", example.write(work.fields, MINE), headers=HX)
        given = dt.timedelta(minutes=work.row().policy.lease_minutes)
        assert work.row().lease_ends_at >= before + given
