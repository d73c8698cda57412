"""Context paragraphs in a browser: the search is watched to its end, a threshold chosen."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from tests import factories
from tests.annotation.contexts.helpers import ARTICLES, open_question, pair
from tests.annotation.long_answers import helpers
from tests.browser.helpers import sign_in
from tests.wikipedia.archives.zims import write_zim
from wikipedia.providers.registry import forget_providers
from wikipedia.snapshots import services as snapshots_services


@pytest.fixture
def lund(transactional_db, tmp_path, monkeypatch):
    """A project with two questions, and Rosa who runs it. No worker is told of its jobs."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    forget_providers()
    archive = write_zim(tmp_path / "ferries.zim", ARTICLES)
    snapshot = snapshots_services.create_snapshot(
        name="ferries", archive=archive, now=timezone.now()
    )
    snapshot.state = "ready"
    snapshot.save(update_fields=["state"])
    project = helpers.make_project(slug="lund", snapshot=snapshot)
    project.rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    open_question(project)
    open_question(project, [pair("When did they dance?", "1911")], pages=("King of Lund",))
    return project


def test_from_the_search_to_another_threshold(page, lund):
    sign_in(page, lund.rosa)
    page.goto(reverse("project-overview", args=["lund"]))
    page.get_by_role("link", name="Set-up").click()
    page.get_by_role("link", name="Contexts").click()
    expect(page.get_by_text("0 of 4 disambiguations")).to_be_visible()
    page.get_by_role("button", name="Look in 2 questions").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
    connection.close()
    expect(page.get_by_text("3 paragraphs found", exact=True)).to_be_visible()
    page.get_by_role("link", name="Show the new figures").click()
    expect(page.get_by_text("2 of 4 disambiguations")).to_be_visible()
    expect(page.locator("mark").first).to_be_visible()

    page.get_by_role("spinbutton", name="Threshold").fill("0.00")
    page.get_by_role("button", name="Preview").press("Enter")
    effect = page.locator("#effect")
    expect(effect).to_contain_text("At 0.00 3 of 4 disambiguations have a context (75 %), now 2")
    expect(effect).to_contain_text("1 paragraph would be added, 0 would be removed, in 1 question.")
    page.get_by_role("button", name="Apply 0.00").click()
    said = "The threshold is 0.00. Paragraphs: 1 more shown, 0 hidden."
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_text("3 of 4 disambiguations")).to_be_visible()
    assert Project.objects.get(slug="lund").context_threshold == 0
