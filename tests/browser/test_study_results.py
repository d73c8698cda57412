"""The page of results in a browser: it waits for its figures, and leads to what is behind them."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job
from tests import factories
from tests.browser.helpers import sign_in
from tests.evaluation.results.judged_study import make_judged


@pytest.fixture
def study(transactional_db, monkeypatch):
    """A judged study that Rosa runs. No worker is told of its job."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    study = make_judged(factories.make_project(slug="crossings"))
    study.rosa = factories.make_member(study.project, "researcher", name="Rosa Reed")
    return study


def work():
    """Do what a worker does."""
    job = Job.objects.get(state="queued")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)


def ask(page, study):
    sign_in(page, study.rosa)
    page.goto(reverse("study-results", args=["crossings", study.pk]))
    page.get_by_role("button", name="Compute the figures").click()
    expect(page.get_by_text("New figures are being computed.")).to_be_visible()


def test_the_figures_come_by_themselves(page, study):
    ask(page, study)
    work()
    expect(page.get_by_role("heading", name="Accuracy (ACC)")).to_be_visible()
    expect(page.get_by_text("New figures are being computed.")).to_be_hidden()


def test_without_scripts_links_lead_to_everything(new_page, study):
    page = new_page(java_script_enabled=False)
    ask(page, study)
    work()
    page.get_by_role("link", name="Reload").click()
    page.get_by_role("link", name="Fluency").click()
    expect(page.get_by_role("region", name="Who wins against whom")).to_contain_text("Fluency")
    page.get_by_role("link", name="Length").click()
    expect(page.get_by_text("Length of one answer; upwards")).to_be_visible()
    expect(page.get_by_role("region", name="Who wins against whom")).to_contain_text("Fluency")
    page.get_by_role("link", name="Strong against Middling").click()
    expect(page.get_by_role("heading", name="Judgments of Strong and Middling")).to_be_visible()
    expect(page.get_by_text("It says more.").first).to_be_visible()


def test_the_names_of_criteria_are_not_broken(page, study):
    """Nor does the last column touch the edge of its card."""
    ask(page, study)
    work()
    card = page.get_by_role("region", name="Do automatic metrics follow the raters?")
    table = card.locator(".correlations")
    expect(table).to_be_visible()
    for width in (1440, 1200, 1000, 900):
        page.set_viewport_size({"width": width, "height": 900})
        lines = table.locator("thead th").evaluate_all(
            """cells => cells.map(cell => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return range.getClientRects().length;
            })"""
        )
        assert lines == [1] * 6
        edges = [part.bounding_box() for part in (card, table.locator("thead th").last)]
        right = [box["x"] + box["width"] for box in edges]
        assert right[0] - right[1] >= 12
