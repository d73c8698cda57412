"""Setting a question aside: skip, park and release, and what is returned by the team."""

import datetime as dt

import pytest
from django.utils import timezone

from annotation.models import Assignment
from annotation.work import assignments
from tests import factories
from tests.annotation.work.conftest import reload, url
from tests.annotation.work.helpers import easy, single
from tests.validation.conftest import kept

ASIDE = [
    ("skip", {"reason": "subjective"}, "skipped"),
    ("park", {"reason": "Which tunnel?"}, "parked"),
    ("return", {}, "returned"),
]


@pytest.mark.parametrize(("verb", "form", "state"), ASIDE)
class TestGoingOn:
    def test_the_next_question_is_of_the_same_project(
        self, client_as, project, work, ann, verb, form, state
    ):
        other = factories.make_project(title="A first project")
        factories.make_member(other, "annotator", user=ann)
        factories.make_task(other)
        following = factories.make_task(project)
        answer = client_as(ann).post(url(verb, work), {**form, "then": "next"}, follow=True)
        assert reload(work).state == state
        taken = Assignment.objects.get(user=ann, state="active")
        assert taken.task == following
        assert answer.request["PATH_INFO"] == url("page", taken)
        assert "Here is the next question." in answer.text

    def test_one_may_stop(self, client_as, project, work, ann, verb, form, state):
        factories.make_task(project)
        answer = client_as(ann).post(url(verb, work), {**form, "then": "stop"}, follow=True)
        assert answer.request["PATH_INFO"] == "/"
        assert not Assignment.objects.filter(user=ann, state="active").exists()

    def test_without_another_question_one_reads_so(
        self, client_as, project, work, ann, verb, form, state
    ):
        answer = client_as(ann).post(url(verb, work), {**form, "then": "next"}, follow=True)
        assert answer.request["PATH_INFO"] == "/"
        assert "No other question is ready for you here." in answer.text

    def test_the_page_offers_both(self, client_as, work, ann, verb, form, state):
        page = client_as(ann).get(url("page", work)).text
        dialog = page.split(f'action="{url(verb, work)}"')[1].split("</form>")[0]
        assert dialog.index('name="then" value="next"') < dialog.index('name="then" value="stop"')


def test_whoever_is_paused_by_a_skip_reads_why(client_as, project, work, ann):
    project.skips_before_pause = 2
    project.save()
    old = factories.make_task(project)
    factories.make_assignment(old, ann, state="skipped")
    factories.make_task(project)
    form = {"reason": "subjective", "then": "next"}
    answer = client_as(ann).post(url("skip", work), form, follow=True)
    assert "2 questions skipped in a row" in answer.text
    assert not Assignment.objects.filter(user=ann, state="active").exists()


def test_home_goes_on_with_the_project_worked_in_last(client_as, project, ann):
    other = factories.make_project(title="A first project")
    factories.make_member(other, "annotator", user=ann)
    factories.make_task(other)
    factories.make_task(project)
    factories.make_assignment(factories.make_task(other), ann, state="submitted")
    factories.make_assignment(factories.make_task(project), ann, state="submitted")
    page = client_as(ann).get("/").text
    addresses = [f"/work/next/{each.slug}/generation/" for each in (project, other)]
    assert page.index(addresses[0]) < page.index(addresses[1])


# --- returned by the team -------------------------------------------------------------------------


@pytest.fixture
def returned(project, work, ann, rosa):
    """Ann's work, submitted and returned with a note."""
    easy(project)
    now = timezone.now()
    work = reload(work)
    response = kept(work, single(), now)
    assignments.submit_response(assignment=work, response=response, by=ann, now=now)
    work = reload(work)
    assignments.return_to_author(assignment=work, note="Which <b>opening?", by=rosa, now=now)
    return work


def test_returned_work_says_who_returned_it(client_as, returned, ann, rosa):
    client = client_as(ann)
    for address in ("/", url("page", returned)):
        page = client.get(address).text
        assert "Returned by the team" in page
        assert "Which &lt;b&gt;opening?" in page
        assert "Returned with a note" not in page
        assert rosa.name not in page


def test_the_note_is_there_while_the_work_is_done_again(client_as, returned, ann):
    page = client_as(ann).post(url("resume", returned), follow=True).text
    assert 'id="answer"' in page
    assert "Returned by the team" in page
    assert "Which &lt;b&gt;opening?" in page


def test_work_submitted_again_is_no_longer_returned(project, returned, ann, now):
    assignments.resume_assignment(assignment=returned, by=ann, now=now)
    response = kept(returned, single("1869"), now)
    assignments.submit_response(assignment=returned, response=response, by=ann, now=now)
    assert reload(returned).returned_at is None
    assert reload(returned).staff_note == "Which <b>opening?"


def test_parked_work_is_not_called_returned(client_as, work, ann, now):
    assignments.park_assignment(assignment=work, reason="Which tunnel?", by=ann, now=now)
    assert "Returned by the team" not in client_as(ann).get("/").text


# --- drafts ---------------------------------------------------------------------------------------


def drafts(page):
    return page.split('id="drafts-title"')[1].split("</section>")[0]


def test_a_skip_can_be_taken_back_for_a_day_and_then_leaves_the_drafts(client_as, work, ann, now):
    assignments.skip_question(assignment=work, reason="subjective", by=ann, now=now)
    page = drafts(client_as(ann).get("/").text)
    assert "Skipped" in page
    assert "Nothing written yet" not in page
    day = dt.timedelta(days=1, minutes=1)
    Assignment.objects.filter(pk=work.pk).update(ended_at=now - day)
    assert url("page", work) not in drafts(client_as(ann).get("/").text)


@pytest.mark.parametrize("state", ["skipped", "returned", "expired"])
def test_what_somebody_wrote_stays_for_two_weeks(client_as, project, ann, now, state):
    written = {"kind": "single", "single": [{"text": "1843", "quote": None}]}
    empty = {"kind": "multiple", "pairs": [{"question": "", "answers": []}]}
    ended = now - dt.timedelta(days=3)
    rows = [
        factories.make_assignment(
            factories.make_task(project), ann, state=state, draft=draft, ended_at=ended
        )
        for draft in (written, empty)
    ]
    page = drafts(client_as(ann).get("/").text)
    assert url("page", rows[0]) in page
    assert url("page", rows[1]) not in page


def test_what_is_gone_to_somebody_else_cannot_be_taken_back(client_as, work, ann, ben, now):
    assignments.skip_question(assignment=work, reason="subjective", by=ann, now=now)
    work.policy.people = 1
    work.policy.save()
    factories.make_assignment(work.task, ben)
    assert url("page", work) not in drafts(client_as(ann).get("/").text)


def test_one_word_for_what_is_not_decided_yet(client_as, project, ann):
    for state in ("imported", "generating", "validating"):
        task = factories.make_task(project)
        task.question.state = state
        task.question.save()
        factories.make_assignment(task, ann, state="submitted")
    client = client_as(ann)
    assert client.get("/submissions/").text.count(">Waiting<") == 3
    results = client.get("/").text.split('id="results-title"')[1]
    assert results.count(">Waiting<") == 3
