"""The home page of people who run projects."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.home.staff_queries import without_work
from annotation.models import Job, Membership
from annotation.threads import services as threads_services
from annotation.work import assignments
from tests import factories

pytestmark = pytest.mark.django_db


def home(client_as, user):
    answer = client_as(user).get("/")
    assert answer.status_code == 200
    return answer.text


def fail(project, by, now, **fields):
    return Job.objects.create(
        **{
            "project": project,
            "kind": "import",
            "state": "failed",
            "file_name": "museum.jsonl",
            "problem": "Line 88 has no question.",
            "created_by": by,
            "created_at": now,
            "ended_at": now,
        }
        | fields
    )


def test_their_projects_with_progress_of_each_stage_and_split(client_as, project, rosa, ann):
    project.policies.create(stage="validation", split="dev", people=1)
    for state in ("submitted", "active"):
        factories.make_assignment(factories.make_task(project), ann, state=state)
    factories.make_task(project, split="train")
    page = home(client_as, rosa)
    assert "<h1>Home</h1>" in page
    card = page.split(f'id="project-{project.pk}"')[1].split("</article>")[0]
    assert "3 questions" in card
    assert "1 person" in card
    assert "1 of 4" in card
    assert "0 of 1" in card
    assert "You have no work yet" not in page
    assert "Your own work" not in page


def test_admins_and_superusers_land_there_too(client_as, project, ada):
    other = factories.make_project(title="Somebody else’s")
    assert project.title in home(client_as, ada)
    assert other.title not in home(client_as, ada)
    boss = factories.make_user(is_superuser=True)
    page = home(client_as, boss)
    assert project.title in page
    assert other.title in page


def test_who_also_answers_gets_both_with_the_team_first(client_as, project, rosa):
    factories.make_member(project, "annotator", user=rosa)
    factories.make_task(project)
    page = home(client_as, rosa)
    assert page.index("Waiting for the team") < page.index("Your own work")
    assert page.index("Your own work") < page.index("1 question is ready for you")


def test_annotators_see_nothing_of_it(client_as, project, ann, rosa, now):
    fail(project, rosa, now)
    page = home(client_as, ann)
    assert "Waiting for the team" not in page
    assert "museum.jsonl" not in page


def test_a_judge_is_not_told_to_ask_for_another_role(client_as, project):
    judge = factories.make_member(project, "judge")
    page = home(client_as, judge)
    assert page.count("Nothing to judge") == 1  # though there are two stages for judges
    assert "invite you as an annotator" not in page


def test_questions_to_the_team_and_claims(client_as, project, rosa, ann, now):
    for kind, text in (("park", "Does a ferry count?"), ("claim", "1869 is in the article.")):
        turn = factories.make_assignment(factories.make_task(project), ann, state="parked")
        before = now - dt.timedelta(days=2 if kind == "park" else 0)
        threads_services.open_thread(assignment=turn, kind=kind, text=text, by=ann, now=before)
    page = home(client_as, rosa)
    assert "1 question to the team" in page
    assert "“Does a ferry count?”" in page
    assert "2\xa0days" in page
    assert "1 claim<" in page
    # Whoever answers questions there reads nothing of what others wrote.
    factories.make_member(project, "annotator", user=rosa)
    page = home(client_as, rosa)
    assert "1 claim<" in page
    assert "1869 is in the article." not in page


def test_jobs_that_run_or_failed(client_as, project, rosa, now):
    fail(project, rosa, now)
    page = home(client_as, rosa)
    assert "1 job failed" in page
    assert "museum.jsonl" in page
    # Done since.
    fail(project, rosa, now, state="done", problem="")
    assert "1 job failed" not in home(client_as, rosa)
    fail(project, rosa, now, state="running", ended_at=None, problem="", done=63, total=100)
    assert "Running, 63 %" in home(client_as, rosa)


def test_returned_paused_and_stuck(client_as, project, rosa, ann, now):
    turn = factories.make_assignment(factories.make_task(project), ann, state="parked")
    type(turn).objects.filter(pk=turn.pk).update(returned_at=now)
    Membership.objects.filter(user=ann).update(paused_at=now)
    factories.make_task(project)
    page = home(client_as, rosa)
    assert "1 piece of returned work" in page
    assert "1 person is paused" in page
    assert "2 questions that no one can take" in page
    assert f"/projects/{project.slug}/stuck/" in page


def test_nobody_lacks_work_in_a_round_that_is_finished(client_as, project, rosa, ann, ben, now):
    question = factories.make_task(project, seats=0).question
    assert {name for _, name in without_work([project], now=now)} == {ann.name, ben.name}
    type(question).objects.filter(pk=question.pk).update(state="accepted")
    assert without_work([project], now=now) == []
    assert "no work" not in home(client_as, rosa)


def test_people_without_work(client_as, project, rosa, ann, ben, now):
    task = factories.make_task(project)
    factories.make_assignment(task, ann, state="skipped")
    assert without_work([project], now=now) == [(project.pk, ann.name)]
    page = home(client_as, rosa)
    assert "1 person has no work" in page
    assert ann.name in page
    turn = assignments.take_next(project=project, stage="generation", by=ben, now=now)
    assert (project.pk, ben.name) not in without_work([project], now=now)
    assignments.skip_question(assignment=turn, reason="subjective", by=ben, now=now)
    assert {name for _, name in without_work([project], now=now)} == {ann.name, ben.name}


def test_queries_do_not_grow_with_projects_or_rows(client_as, project, rosa, ann, now):
    def fill(project):
        factories.make_assignment(factories.make_task(project), ann, state="skipped")
        turn = factories.make_assignment(factories.make_task(project), ann, state="parked")
        threads_services.open_thread(assignment=turn, kind="park", text="Which?", by=ann, now=now)
        turn = factories.make_assignment(factories.make_task(project), ann, state="parked")
        threads_services.open_thread(assignment=turn, kind="claim", text="No.", by=ann, now=now)
        type(turn).objects.filter(pk=turn.pk).update(returned_at=now)
        fail(project, rosa, now)

    client = client_as(rosa)

    def count():
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    fill(project)
    count()
    few = count()
    for _ in range(4):
        other = factories.make_project()
        factories.make_member(other, "researcher", user=rosa)
        factories.make_member(other, "annotator", user=ann)
        for _ in range(2):
            fill(other)
    assert count() == few <= 35


def test_the_first_administrator_is_offered_a_project(client_as, db):
    first = factories.make_user("Ada Admin", is_staff=True, is_superuser=True)
    page = client_as(first).get(reverse("home")).text
    assert f'href="{reverse("project-create")}"' in page
    assert "You run no open project" in page
    assert "You have no work yet" not in page
