"""The page of agreement in a browser: it waits for its figures, with scripts and without."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job
from tests import factories
from tests.browser.helpers import sign_in
from validation.agreement import stored


@pytest.fixture
def project(transactional_db, monkeypatch):
    """A project that Rosa runs. No worker is told of its jobs."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    project = factories.make_project(slug="crossings")
    project.rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    return project


def work():
    """Do what a worker does."""
    job = Job.objects.get(state="queued")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)


def test_the_first_figures_come_by_themselves(page, project):
    sign_in(page, project.rosa)
    page.goto(reverse("project-agreement", args=["crossings"]))
    figures = page.locator("#figures")
    expect(figures).to_contain_text("The figures are being computed")
    work()
    expect(figures).to_contain_text("Needs 2 annotators on 1 prompt.")
    expect(figures).to_contain_text("Computed")
    expect(page.locator("#announcer")).to_have_text("The new figures are here.")


def test_without_scripts_the_page_is_loaded_again(new_page, project):
    page = new_page(java_script_enabled=False)
    sign_in(page, project.rosa)
    page.goto(reverse("project-agreement", args=["crossings"]))
    work()
    page.get_by_role("link", name="Reload").click()
    expect(page.locator("#figures")).to_contain_text("Needs 2 annotators on 1 prompt.")


def test_a_job_that_fails_is_tried_again(page, project, monkeypatch):
    monkeypatch.setattr(stored, "report_project", None)
    sign_in(page, project.rosa)
    page.goto(reverse("project-agreement", args=["crossings"]))
    expect(page.locator("#figures")).to_contain_text("The figures are being computed")
    work()
    expect(page.get_by_role("heading", name="The figures could not be computed")).to_be_visible()
    monkeypatch.undo()
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#figures")).to_contain_text("The figures are being computed")
    work()
    expect(page.locator("#figures")).to_contain_text("Needs 2 annotators on 1 prompt.")
