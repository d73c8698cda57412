"""Reports in a browser: pictures in both themes, under the strict policy, clear to everyone."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job
from tests import factories
from tests.browser.helpers import sign_in
from tests.evaluation.reports import kinds
from tests.extensions import show_only_reports
from tests.figures import bring_report_up_to_date

ACCENT = {"light": "rgb(14, 95, 111)", "dark": "rgb(127, 201, 214)"}


@pytest.fixture
def project(transactional_db, monkeypatch):
    """A project whose only report has a picture of each kind. No worker is told of its job."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    show_only_reports(monkeypatch, kinds.every_kind())
    project = factories.make_project(slug="crossings")
    project.rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    for name in ("Ash", "Elm", "Fir", "Ivy"):
        factories.make_member(project, "annotator", name=name)
    return project


@pytest.fixture
def computed(project):
    report = kinds.every_kind()
    bring_report_up_to_date(project, report, timezone.now())
    return project


def look(page, project):
    sign_in(page, project.rosa)
    page.goto(reverse("project-report", args=[project.slug, "sample"]))


def test_the_figures_come_by_themselves(page, project):
    look(page, project)
    expect(page.get_by_text("The figures are being computed")).to_be_visible()
    Job.objects.update(state="running", done=2, total=7)
    expect(page.get_by_text("2 of 7 panels are ready.")).to_be_visible()
    expect(
        page.get_by_text("This takes a few seconds; the page updates automatically.")
    ).to_have_count(0)
    Job.objects.update(state="queued")
    jobs_services.claim_and_run(job_id=Job.objects.get(state="queued").pk, clock=timezone.now)
    expect(page.get_by_role("heading", name="Shares")).to_be_visible()
    expect(page.get_by_role("cell", name="75 %", exact=True)).to_be_visible()
    expect(page.get_by_role("cell", name="30 to 95 %")).to_be_visible()


def test_without_scripts_a_link_leads_to_the_figures(new_page, project):
    page = new_page(java_script_enabled=False)
    look(page, project)
    jobs_services.claim_and_run(job_id=Job.objects.get(state="queued").pk, clock=timezone.now)
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_role("img", name="Three of four have several answers.")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_have_the_colours_of_the_theme(new_page, computed, theme):
    page = new_page(color_scheme=theme)
    look(page, computed)
    dot = page.locator("#scatter svg [fill='#0e5f6f']").first
    expect(dot).to_have_css("fill", ACCENT[theme])
    assert page.locator("svg [style], svg script").count() == 0


def test_a_panel_names_people_and_its_file_does_not(page, computed):
    look(page, computed)
    expect(page.locator("#pairs")).to_contain_text("Rosa Reed")
    with page.expect_download() as download:
        page.get_by_role("link", name="Pairs as SVG").click()
    svg = download.value.path().read_text()
    assert "Rosa" not in svg
    assert "person-" in svg


@pytest.mark.parametrize("width", [1440, 900, 390, 320])
def test_a_report_fits_its_window(new_page, computed, width):
    page = new_page(viewport={"width": width, "height": 900})
    look(page, computed)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
