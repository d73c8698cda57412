"""My work."""

import datetime as dt
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Guideline, Membership, PayEntry, Role
from tests import factories
from validation.outcomes.services import update_outcomes


def home(client_as, user):
    answer = client_as(user).get("/")
    assert answer.status_code == 200
    return answer.text


def test_needs_sign_in(client, stan):
    assert "How to get in" in client.get("/").text


def test_changes_nothing_and_takes_no_post(client_as, ann):
    assert client_as(ann).post("/").status_code == 405


def test_somebody_without_a_project_reads_what_to_do(client_as, stan):
    text = home(client_as, stan)
    assert "You have no work yet" in text
    assert "or invite you by e-mail" in text
    assert "Take the next question" not in text


def test_ready_questions_are_counted(client_as, project, ann):
    for _ in range(3):
        factories.make_task(project)
    text = home(client_as, ann)
    assert "3 questions are ready for you" in text
    assert f'action="/work/next/{project.slug}/generation/"' in text


def test_questions_had_before_do_not_count(client_as, project, ann):
    task = factories.make_task(project)
    factories.make_task(project)
    factories.make_assignment(task, ann, state="submitted")
    assert "1 question is ready for you" in home(client_as, ann)


def test_only_one_primary_button(client_as, ann, project):
    other = factories.make_project()
    Membership.objects.create(
        user=ann, project=other, role=Role.ANNOTATOR, created_at=timezone.now()
    )
    factories.make_task(project)
    factories.make_task(other)
    text = home(client_as, ann)
    assert text.count("Take the next question") == 2
    assert text.count("button primary") == 1


def test_what_comes_first_has_a_card_and_the_rest_are_lines_of_one(client_as, ann, project):
    for title in ("Aqueducts", "Bridges", "Canals"):
        other = factories.make_project(title=title)
        factories.make_member(other, "annotator", user=ann)
        factories.make_task(other)
    factories.make_task(project)
    factories.make_assignment(
        factories.make_task(project), ann, state="submitted", submitted_at=timezone.now()
    )
    text = home(client_as, ann)
    first, rest = text.split('id="other-work-title"')
    assert project.title in first.split('class="card next"')[1]
    assert first.count("Take the next question") == 1
    rest = rest.split("</section>")[0]
    assert [rest.index(title) for title in ("Aqueducts", "Bridges", "Canals")] == sorted(
        rest.index(title) for title in ("Aqueducts", "Bridges", "Canals")
    )
    assert rest.count("<li") == rest.count("Take the next question") == 3


def test_question_in_hand_comes_first(client_as, project, ann):
    factories.make_assignment(
        factories.make_task(project),
        ann,
        draft={"kind": "multiple", "pairs": [{"question": "When A?", "answers": []}, {}]},
        draft_saved_at=timezone.now(),
    )
    text = home(client_as, ann)
    assert "Continue" in text
    assert "1 pair" in text
    assert "Yours for" in text


def test_work_in_hand_stands_before_what_could_be_taken(client_as, project, ann):
    factories.make_task(project)
    other = factories.make_project(title="Zebra crossings")
    factories.make_member(other, "annotator", user=ann)
    factories.make_assignment(factories.make_task(other), ann)
    text = home(client_as, ann)
    assert text.index("Zebra crossings") < text.index("Take the next question")
    assert text.index("Continue") < text.index("Take the next question")


def test_of_work_in_hand_what_ends_soonest_is_first(client_as, project, ann):
    ends = timezone.now() + dt.timedelta(minutes=50)
    factories.make_assignment(factories.make_task(project), ann, lease_ends_at=ends)
    for title, minutes in (("Zebra crossings", 20), ("Aqueducts", 90)):
        other = factories.make_project(title=title)
        factories.make_member(other, "annotator", user=ann)
        ends = timezone.now() + dt.timedelta(minutes=minutes)
        factories.make_assignment(factories.make_task(other), ann, lease_ends_at=ends)
    text = home(client_as, ann).split("drafts-title")[0]
    places = [text.index(title) for title in ("Zebra crossings", project.title, "Aqueducts")]
    assert places == sorted(places)


@pytest.mark.parametrize(("state", "title"), [("paused", "is paused"), ("closed", "is closed")])
def test_project_that_does_not_run(client_as, project, ann, state, title):
    factories.make_task(project)
    project.state = state
    project.save()
    text = home(client_as, ann)
    assert f"{project.title} {title}" in text
    assert "Take the next question" not in text


def test_paused_person_reads_why(client_as, project, ann):
    factories.make_task(project)
    Membership.objects.filter(user=ann).update(
        paused_at=timezone.now(), pause_reason="10 questions skipped in a row"
    )
    text = home(client_as, ann)
    assert "You get no new work in" in text
    assert "10 questions skipped in a row" in text


def test_nothing_imported_yet(client_as, project, ann):
    assert "has no questions yet" in home(client_as, ann)


def test_all_taken_says_when_one_may_come_back(client_as, project, ann, ben):
    task = factories.make_task(project, split="train")
    factories.make_assignment(task, ben, lease_ends_at=timezone.now() + dt.timedelta(minutes=30))
    text = home(client_as, ann)
    assert "The one question of" in text
    assert "may come back at" in text


def test_parked_shows_reason_and_way_back(client_as, project, ann):
    assignment = factories.make_assignment(
        factories.make_task(project), ann, state="parked", park_reason="Which <i>town</i>?"
    )
    text = home(client_as, ann)
    assert "Which &lt;i&gt;town&lt;/i&gt;?" in text
    assert f'action="/work/{assignment.pk}/resume/"' in text
    assert "1 of 5" in text


def test_what_is_parked_stands_after_the_next_task_and_what_came_back_first(
    client_as, project, ann, now
):
    parked = {
        hours: factories.make_assignment(
            factories.make_task(project),
            ann,
            state="parked",
            park_reason="Which town?",
            returned_at=returned,
            lease_ends_at=now + dt.timedelta(hours=hours),
        )
        for hours, returned in ((5, None), (2, None), (9, now))
    }
    factories.make_task(project)
    text = home(client_as, ann)
    marks = ['id="next-1"', *(f'action="/work/{parked[hours].pk}/resume/"' for hours in (9, 2, 5))]
    places = [text.index(mark) for mark in (*marks, 'id="drafts-title"')]
    assert places == sorted(places)
    assert text.count('id="parked-title"') == 1


def test_results_week_and_pay(client_as, project, ann, ben):
    now = timezone.now()
    for number in range(2):
        task = factories.make_task(project)
        task.question.state = "accepted" if number else "validating"
        task.question.save()
        factories.make_assignment(
            task, ann, state="submitted", active_seconds=330, submitted_at=now
        )
        update_outcomes([task.question_id])
    old = now - dt.timedelta(days=9)
    factories.make_assignment(
        factories.make_task(project), ann, state="submitted", submitted_at=old
    )
    for who, at, amount in (
        (ann, now, "0.75"),
        (ann, now, "1.00"),
        (ann, old, "5"),
        (ben, now, "7"),
    ):
        PayEntry.objects.create(
            user=who,
            project=project,
            kind="bonus",
            amount=amount,
            currency="EUR",
            note="Well read.",
            by=ben,
            key=uuid.uuid4(),
            at=at,
        )
    text = home(client_as, ann)
    assert "<dt>Submitted</dt><dd><strong>2</strong></dd>" in text
    assert "11 min" in text
    assert "1.75 EUR" in text
    assert "<strong>100 %</strong> of 1 decided" in text
    assert "3 in all" in text
    assert '<span class="badge success">' in text
    assert ">Waiting<" in text


def test_left_out_work_is_shown_with_its_note(client_as, project, ann):
    factories.make_assignment(
        factories.make_task(project), ann, state="submitted", used=False, staff_note="Too <b>short"
    )
    text = home(client_as, ann)
    assert "Paid, not used" in text
    assert "Too &lt;b&gt;short" in text


def test_ended_work_with_text_stays_under_drafts(client_as, project, ann):
    draft = {"kind": "single", "single": [{"text": "1843", "quote": None}]}
    task = factories.make_task(project)
    factories.make_assignment(task, ann, state="expired", draft=draft)
    factories.make_assignment(factories.make_task(project), ann, state="expired")
    text = home(client_as, ann)
    assert text.count("Time ended") == 1
    assert "One clear answer" in text


def test_guideline_news(client_as, project, ann):
    now = timezone.now()
    Guideline.objects.create(project=project, version=2, body="## New", created_at=now)
    text = home(client_as, ann)
    assert "version 2<" in text
    Guideline.objects.filter(project=project).update(created_at=now - dt.timedelta(days=30))
    assert "version 2<" not in home(client_as, ann)


def test_others_work_is_not_shown(client_as, project, ann, ben):
    factories.make_assignment(
        factories.make_task(project), ben, state="parked", park_reason="Ben is unsure"
    )
    assert "Ben is unsure" not in home(client_as, ann)


def test_queries_do_not_grow(client_as, project, ann):
    client = client_as(ann)

    def count():
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    factories.make_assignment(factories.make_task(project), ann, state="submitted")
    few = count()
    for state in ("submitted", "parked", "expired", "skipped") * 5:
        factories.make_assignment(
            factories.make_task(project), ann, state=state, draft={"kind": "multiple"}
        )
    for _ in range(3):
        other = factories.make_project()
        factories.make_member(other, "annotator", user=ann)
        factories.make_task(other)
    assert count() == few <= 19
