"""In the browser, in each kind of project: two baselines, scores, tables, a study, a release.

What the API and the commands do stands in tests/demo/test_models_tour.py, on the same projects.
"""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import User
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from demo import loading as demo
from evaluation.models import Study
from tests import factories
from tests.browser.helpers import sign_in
from tests.demo.test_models_tour import TOURS
from wikipedia.providers.registry import forget_providers


@pytest.fixture
def loaded(transactional_db, tmp_path, settings, monkeypatch):
    """The demo without models, as it is served; jobs wait for the test."""
    settings.AMBIT_DATA, settings.MEDIA_ROOT = tmp_path, tmp_path / "files"
    forget_providers()
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    demo.load_demo(lambda said: None)
    for project in Project.objects.exclude(memberships__role="judge"):
        factories.make_member(project, "judge")
    yield
    forget_providers()


def run_waiting_jobs():
    """Do what a worker does."""
    for pk in Job.objects.filter(state="queued").order_by("pk").values_list("pk", flat=True):
        jobs_services.claim_and_run(job_id=pk, clock=timezone.now)


def finish_job(page):
    """Let the job of the page run to its end, and wait until the page says so."""
    run_waiting_jobs()
    expect(page.locator("#job .badge").first).to_have_text("Done")


def run_baseline(page, key, split, options):
    page.get_by_role("link", name="Run a baseline").click()
    page.get_by_label("Baseline", exact=True).select_option(key)
    page.get_by_label("Split", exact=True).select_option(split)
    page.locator("#id_options").fill(
        "\n".join(f"{name}={value}" for name, value in options.items())
    )
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Waiting for a worker").wait_for()
    finish_job(page)
    page.get_by_role("link", name="Systems", exact=True).last.click()
    expect(page.get_by_role("row", name=key).last).to_be_visible()


def score_systems(page, split, baselines):
    """The leaderboard has each system, and figures with their intervals."""
    page.get_by_role("link", name="Scores", exact=True).click()
    if page.get_by_role("navigation", name="Split").count():
        page.get_by_role("navigation", name="Split").get_by_text(split, exact=True).click()
    page.get_by_text("Score again").click()
    page.get_by_role("button", name="Score", exact=True).click()
    finish_job(page)
    page.get_by_role("link", name="Scores", exact=True).last.click()
    compute_figures(page)
    board = page.locator("#leaderboard table").first
    for key in baselines:
        expect(board.get_by_role("row", name=key).last).to_be_visible()
    expect(board).to_contain_text(re.compile(r"\d to \d|too few to tell"))


def compute_figures(page):
    """Looking at a report starts a job where something has changed."""
    if page.get_by_text("figures are being computed").count():
        run_waiting_jobs()
    expect(page.get_by_text("figures are being computed")).to_have_count(0)


def compute_tables(page, slug, table):
    page.goto(reverse("project-report", args=[slug, "tables"]))
    compute_figures(page)
    expect(page.locator(f"section#{table}")).to_be_visible()


def start_study(page, slug, baselines):
    """A study of the two baselines; a judge is given an item that names neither."""
    page.goto(reverse("study-new", args=[slug]))
    while page.locator("input[name=systems]:checked").count():
        page.locator("input[name=systems]:checked").first.uncheck()
    for key in baselines:
        # The demo has other versions of it, in any order by name, without answers on this split.
        row = page.get_by_role("row", name=re.compile(rf"^{key}\b.* [1-9][\d,]* of "))
        row.last.get_by_role("checkbox").check()
    page.locator("#id_size").fill("1")
    page.locator("#id_raters").fill("1")
    page.locator("#id_repeats").fill("0")
    page.wait_for_url(re.compile(r"/studies/\d+/"))
    expect(page.locator("#save-state")).to_contain_text("Draft saved")
    expect(page.locator("#start")).to_have_text("Start the study")  # and no reason why it cannot
    page.get_by_role("button", name="Start the study").click()
    page.get_by_text("judgments, 0 %").wait_for()
    return Study.objects.latest("pk")


def download_release(page, slug, layout):
    page.goto(reverse("project-overview", args=[slug]))
    with page.expect_download() as download:
        page.locator(f"a[download][href*='/{layout}/']").first.click()
    assert download.value.path().stat().st_size > 100


@pytest.mark.patience(2)
def test_from_baselines_to_a_release(page, loaded):
    sign_in(page, User.objects.get(email="researcher@demo.localhost"))
    for slug, split, baselines, _, table, layout in TOURS:
        page.goto(reverse("system-list", args=[slug]))
        for key, options in baselines.items():
            run_baseline(page, key, split, options)
        score_systems(page, split, baselines)
        compute_tables(page, slug, table)
        start_study(page, slug, baselines)
        download_release(page, slug, layout)
