"""The pages of a project: they work, strangers get 404, annotators no staff pages."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Project, Task
from tests import factories

pytestmark = pytest.mark.django_db

STAFF_PAGES = ["questions", "rules", "log", "settings"]
MEMBER_PAGES = ["overview", "guidelines"]


def address(project, page):
    return reverse(f"project-{page}", args=[project.slug])


@pytest.mark.parametrize("page", STAFF_PAGES + MEMBER_PAGES)
def test_it_works_for_researchers(client_as, rosa, project, page):
    factories.make_task(project)
    assert client_as(rosa).get(address(project, page)).status_code == 200


@pytest.mark.parametrize("page", STAFF_PAGES + MEMBER_PAGES)
def test_strangers_get_404(client_as, stan, project, page):
    assert client_as(stan).get(address(project, page)).status_code == 404


@pytest.mark.parametrize("page", STAFF_PAGES)
def test_annotators_get_403(client_as, ann, project, page):
    assert client_as(ann).get(address(project, page)).status_code == 403


@pytest.mark.parametrize("page", MEMBER_PAGES)
def test_annotators_read_member_pages(client_as, ann, project, page):
    assert client_as(ann).get(address(project, page)).status_code == 200


def test_the_list_shows_only_own_projects(client_as, ann, project):
    other = factories.make_project(title="Somebody else's")
    page = client_as(ann).get(reverse("project-list")).content.decode()
    assert project.title in page
    assert other.title not in page


def test_an_annotator_cannot_create_a_project(client_as, ann):
    assert client_as(ann).get(reverse("project-create")).status_code == 403


def test_a_researcher_creates_a_project(client_as, rosa, project):
    data = {
        "title": "Rivers",
        "slug": "rivers",
        "protocol": "ambigqa",
        "snapshot": project.snapshot_id,
        "reference_date": "2017-12-31",
    }
    response = client_as(rosa).post(reverse("project-create"), data)
    assert response["Location"] == reverse("import-create", args=["rivers"])
    assert Project.objects.get(slug="rivers").created_by == rosa
    again = client_as(rosa).post(reverse("project-create"), data)
    assert again.status_code == 422
    assert "exists already" in again.content.decode()


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Bridges", "bridges"),
        ("  Łódź & Orléans: Rivers, 2nd round! ", "odz-orleans-rivers-2nd-round"),
        ("x" * 120, "x" * 60),
    ],
)
def test_a_project_without_a_short_name_gets_one_of_its_name(client_as, rosa, project, title, slug):
    data = {"title": title, "protocol": "ambigqa", "snapshot": project.snapshot_id}
    response = client_as(rosa).post(reverse("project-create"), data)
    assert response["Location"] == reverse("import-create", args=[slug])


@pytest.mark.parametrize("address", ["project-create", "project-duplicate"])
def test_a_name_without_a_latin_letter_asks_for_a_short_name(client_as, rosa, project, address):
    data = {"title": "東京", "protocol": "ambigqa", "snapshot": project.snapshot_id}
    path = reverse(address, args=[project.slug] if address == "project-duplicate" else [])
    response = client_as(rosa).post(path, data)
    assert response.status_code == 422
    assert "The name has no letter from a to z" in response.content.decode()
    assert Project.objects.count() == 1


@pytest.mark.parametrize(
    ("kind", "given", "day"),
    [
        ("zim", "", "2017-12-31"),
        ("live", "", "2016-05-04"),
        ("live", "2015-01-02", "2015-01-02"),
    ],
)
def test_the_day_of_a_new_project_follows_from_its_wikipedia(
    client_as, rosa, project, kind, given, day
):
    type(project.snapshot).objects.filter(pk=project.snapshot_id).update(
        kind=kind, address="http://127.0.0.1/api.php", as_of="2016-05-04"
    )
    data = {
        "title": "Rivers",
        "slug": "rivers",
        "protocol": "ambigqa",
        "snapshot": project.snapshot_id,
        "reference_date": given,
    }
    assert client_as(rosa).post(reverse("project-create"), data).status_code == 302
    assert Project.objects.get(slug="rivers").reference_date.isoformat() == day


def test_all_problems_are_shown_at_once(client_as, rosa):
    response = client_as(rosa).post(reverse("project-create"), {"slug": "a b"})
    page = response.content.decode()
    assert response.status_code == 422
    assert 'id="problems"' in page
    assert page.count('aria-invalid="true"') >= 3


def test_guidelines_are_rendered_safely(client_as, rosa, project):
    body = "## Overview\n\n<script>alert(1)</script> [x](javascript:alert(1)) **bold**"
    client_as(rosa).post(address(project, "guidelines"), {"body": body})
    page = client_as(rosa).get(address(project, "guidelines")).content.decode()
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert "<strong>bold</strong>" in page


def test_rules_are_saved_and_bounds_explained(client_as, rosa, project):
    form = client_as(rosa).get(address(project, "rules")).context["form"]
    values = {name: value for name, value in form.initial.items() if value is not False} | {
        "long_answer_words": 7
    }
    assert client_as(rosa).post(address(project, "rules"), values).status_code == 302
    project.refresh_from_db()
    assert project.rule_settings == {"long_answer_words": 7}
    bad = client_as(rosa).post(address(project, "rules"), values | {"long_answer_words": -3})
    assert bad.status_code == 422
    project.refresh_from_db()
    assert project.rule_settings == {"long_answer_words": 7}


def test_policy_changes(client_as, rosa, project):
    policy = project.policies.get(stage="generation", split="train")
    page = reverse("policy-change", args=[project.slug, policy.pk])
    values = {
        "people": 2,
        "lease_minutes": 30,
        "park_hours": 24,
        "minimum_seconds": 0,
        "pay_basis": "unit",
        "pay": "0.75",
        "pay_accepted": "0.10",
        "pay_pair": "0.15",
        "pay_pairs_max": 4,
        "currency": "USD",
    }
    assert client_as(rosa).get(page).status_code == 200
    assert client_as(rosa).post(page, values).status_code == 302
    policy.refresh_from_db()
    assert (str(policy.pay_pair), policy.pay_pairs_max) == ("0.15", 4)
    assert (policy.people, policy.lease_minutes, str(policy.pay)) == (2, 30, "0.75")
    assert client_as(rosa).post(page, values | {"people": 99}).status_code == 422


def test_state_changes_by_post_only(client_as, rosa, project):
    page = reverse("project-state", args=[project.slug])
    assert client_as(rosa).get(page).status_code == 405
    client_as(rosa).post(page, {"state": "paused"})
    project.refresh_from_db()
    assert project.state == "paused"
    client_as(rosa).post(page, {"state": "gone"})
    project.refresh_from_db()
    assert project.state == "paused"


def test_questions_filter_page_and_escape(client_as, rosa, project):
    factories.make_question(project, text="<b>who</b> built it", split="train")
    for number in range(55):
        factories.make_question(project, text=f"question number {number}")
    client = client_as(rosa)
    page = client.get(address(project, "questions"), {"split": "train"}).content.decode()
    assert "&lt;b&gt;who&lt;/b&gt; built it?" in page
    first = client.get(address(project, "questions"), {"split": "dev"})
    assert len(first.context["questions"]) == 50
    rest = client.get(
        address(project, "questions"), {"split": "dev", "after": first.context["later"]}
    )
    assert len(rest.context["questions"]) == 5
    assert client.get(address(project, "questions"), {"text": "number 54"}).context["questions"]
    assert client.get(address(project, "questions"), {"after": "9" * 40}).status_code == 200


def test_query_counts_do_not_grow(client_as, rosa, project, django_assert_max_num_queries):
    client = client_as(rosa)
    for _ in range(5):
        task = factories.make_task(project)
        factories.make_assignment(task, factories.make_member(project, "annotator"))
    for page, most in (("overview", 26), ("questions", 16), ("log", 10), ("guidelines", 10)):
        with django_assert_max_num_queries(most):
            client.get(address(project, page))


def test_a_question_shows_what_was_submitted_to_staff_only(client_as, rosa, ann, project):
    task = factories.make_task(project)
    page = reverse("question-view", args=[project.slug, task.question.pk])
    assert client_as(rosa).get(page).status_code == 200
    assert client_as(ann).get(page).status_code == 403


@pytest.mark.parametrize(
    ("state", "status"),
    [("active", 403), ("parked", 403), ("expired", 403), ("skipped", 403), ("submitted", 200)],
)
def test_staff_who_annotate_are_blind_until_their_own_answer_is_in(
    client_as, rosa, project, state, status
):
    task = factories.make_task(project)
    factories.make_assignment(task, rosa, state)
    if state == "submitted":
        Annotation.objects.create(
            assignment=rosa.assignments.get(),
            question=task.question,
            author=rosa,
            kind="none",
            created_at=timezone.now(),
        )
    page = reverse("question-view", args=[project.slug, task.question.pk])
    assert client_as(rosa).get(page).status_code == status


def test_staff_see_a_question_that_they_can_answer_no_more(client_as, rosa, project):
    task = factories.make_task(project)
    factories.make_assignment(task, rosa, "skipped")
    Task.objects.update(seats=0)
    page = reverse("question-view", args=[project.slug, task.question.pk])
    assert client_as(rosa).get(page).status_code == 200


class TestJudgingWork:
    @pytest.fixture
    def turn(self, project, ann):
        turn = factories.make_assignment(factories.make_task(project), ann, "submitted")
        Annotation.objects.create(
            assignment=turn,
            question=turn.task.question,
            author=ann,
            kind="none",
            created_at=timezone.now(),
        )
        return turn

    @pytest.fixture
    def judge(self, client_as, rosa, project, turn):
        def post(action, note=""):
            address = reverse("turn-judge", args=[project.slug, turn.pk])
            return client_as(rosa).post(address, {"action": action, "note": note})

        return post

    def test_it_goes_back_with_a_note(self, judge, turn, project):
        response = judge("return", "Which opening?")
        assert response["Location"] == reverse(
            "question-view", args=[project.slug, turn.task.question_id]
        )
        turn.refresh_from_db()
        assert (turn.state, turn.staff_note) == ("parked", "Which opening?")

    def test_it_is_left_out_and_used_again(self, judge, turn, client_as, rosa, project):
        page = reverse("question-view", args=[project.slug, turn.task.question_id])
        assert "Paid but excluded" not in client_as(rosa).get(page).content.decode()
        judge("leave-out", "Not about the prompt.")
        turn.refresh_from_db()
        assert (turn.used, turn.state) == (False, "submitted")
        shown = client_as(rosa).get(page).content.decode()
        assert "Paid but excluded" in shown
        assert "Note from the team: Not about the prompt." in shown
        judge("use")
        turn.refresh_from_db()
        assert turn.used

    @pytest.mark.parametrize(
        ("action", "note", "status"),
        [("return", " ", 409), ("leave-out", "", 409), ("x", "n", 403)],
    )
    def test_what_is_missing_is_said_and_nothing_changes(self, judge, turn, action, note, status):
        assert judge(action, note).status_code == status
        turn.refresh_from_db()
        assert (turn.state, turn.used) == ("submitted", True)

    def test_only_staff_and_only_in_their_project(self, client_as, ann, rosa, turn):
        other = factories.make_project()
        factories.make_member(other, "researcher", user=rosa)
        data = {"action": "leave-out", "note": "x"}
        for person, slug in ((ann, turn.project.slug), (rosa, other.slug)):
            address = reverse("turn-judge", args=[slug, turn.pk])
            assert client_as(person).post(address, data).status_code in (403, 404)
        turn.refresh_from_db()
        assert turn.used


def test_staff_is_told_of_a_pause(client_as, rosa, ann, project, now):
    page = client_as(rosa).get(address(project, "overview")).content.decode()
    assert "They get no new work" not in page
    project.memberships.filter(user=ann).update(paused_at=now, pause_reason="10 skips in a row")
    page = client_as(rosa).get(address(project, "overview")).content.decode()
    assert "Paused: Ann Archer" in page
    assert "10 skips in a row. They get no new work" in page
    assert (
        "They get no new work"
        not in client_as(ann).get(address(project, "overview")).content.decode()
    )


def test_no_question_is_lost_from_the_progress(client_as, rosa, project):
    for state in ("accepted", "skipped", "skipped", "excluded"):
        task = factories.make_task(project)
        type(task.question).objects.filter(pk=task.question_id).update(state=state)
        Task.objects.filter(pk=task.pk).update(seats=0)
    factories.make_task(project)
    page = " ".join(client_as(rosa).get(address(project, "overview")).content.decode().split())
    line = page[page.index("<strong>5 questions:</strong>") :].partition("</p>")[0]
    for said in ("1 imported", "1 accepted", "1 excluded", "2 skipped"):
        assert f">{said}</a>" in line
    assert "3 questions set aside" in page
