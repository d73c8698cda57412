"""A relation is worded by keyboard alone, and the questions that are made use the wording."""

import io

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from qampari.making.editing import services
from qampari.making.relations import read_relation
from qampari.models import MadeRelation
from tests import archives, factories
from tests.browser.helpers import allow_problem, arrived, check_axe, sign_in
from tests.qampari.making.conftest import DEMO
from wikipedia.demo.build import HERE

OWN = "What leads over {subject}, or below it?"
ROW = "#relation-P177-Q900000003"


@pytest.fixture
def project(transactional_db, settings, tmp_path):
    """A project of lists on the demo's articles and graph, with the relations of its choices."""
    snapshot = archives.use(settings, tmp_path, archives.make_demo(tmp_path), "demo")
    words = [str(HERE / "wikidata.json"), "--name", "demo", "--processes", "0"]
    call_command("wikidata_graph", *words, stdout=io.StringIO(), stderr=io.StringIO())
    project = factories.make_project("lists", snapshot=snapshot, protocol="qampari", policies=False)
    staff = factories.make_member(project, "researcher", name="Rosa Reed")
    for row in DEMO["relations"]:
        services.save_relation(
            project=project,
            asked=read_relation(row),
            included=True,
            seen=0,
            by=staff,
            now=timezone.now(),
        )
    return project, staff


def crossing():
    return MadeRelation.objects.get(property=177)


def open_row(page, project):
    page.goto(reverse("make-questions", args=[project.slug]))
    page.get_by_role("link", name="Relations and their questions").press("Enter")
    arrived(page, page.locator("#relation-search"))
    page.locator(ROW).get_by_role("link", name="Edit crosses").press("Enter")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()


def test_a_wording_is_changed_and_used_by_keyboard_alone(page, project):
    project, staff = project
    sign_in(page, staff)
    open_row(page, project)
    example = page.locator(f"{ROW} [role=status]")
    expect(example).to_contain_text("cross the River Thames?")
    page.keyboard.press("Control+a")
    page.keyboard.type("What leads over it?")
    wrong = page.locator(f"{ROW} .message.error")
    expect(wrong).to_contain_text("needs {subject} once")
    page.keyboard.press("Control+a")
    page.keyboard.type(OWN)
    expect(example).to_contain_text("What leads over River Thames, or below it?")
    expect(wrong).to_have_count(0)
    check_axe(page, label="an open relation")
    page.keyboard.press("Enter")
    expect(page.locator(ROW).get_by_role("link", name="Edit crosses")).to_be_focused()
    expect(page.locator(ROW)).to_contain_text("Saved")
    assert crossing().question == OWN
    page.goto(reverse("make-questions", args=[project.slug]))
    asked = page.get_by_role("checkbox", name="What leads over River Thames, or below it?")
    expect(asked).to_be_checked()
    page.get_by_role("button", name="Make questions").press("Enter")
    page.wait_for_url("**/jobs/*/**")
    job = Job.objects.get()
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("done", "")
    (question,) = Question.objects.all()
    assert question.text == "What leads over River Thames, or below it?"
    assert question.context["making"]["templates"] == [OWN]


def test_somebody_elses_change_is_shown_and_what_was_typed_stays(page, project):
    project, staff = project
    sign_in(page, staff)
    open_row(page, project)
    MadeRelation.objects.filter(property=177).update(noun="ways over", version=2)
    page.keyboard.press("Control+a")
    page.keyboard.type(OWN)
    allow_problem(page, "status of 409")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Someone else has changed this relation")
    expect(page.get_by_label("Question", exact=True)).to_have_value(OWN)
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    expect(page.locator(ROW)).to_contain_text("Saved by someone else: ways over")
    check_axe(page, label="a conflict")
    page.keyboard.press("Enter")
    expect(page.locator(ROW).get_by_role("link", name="Edit crosses")).to_be_focused()
    assert crossing().question == OWN
