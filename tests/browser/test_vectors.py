"""Staff make vectors where a baseline needs them, and see what becomes of them."""

import os

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job
from tests.browser.helpers import check_axe, check_reflow, sign_in
from tests.modeling import wordvectors

PASSAGES = [(str(n), f"Bridge {n}", f"Built in {1800 + n}.") for n in range(60)]


@pytest.fixture
def indexed(world, settings, tmp_path, monkeypatch):
    settings.AMBIT_DATA = tmp_path / "data"
    wordvectors.corpus(tmp_path, PASSAGES, name=world.snapshot.name)
    wordvectors.install(monkeypatch)


def shot(page, name):
    if folder := os.environ.get("AMBIT_SHOTS"):
        for width in (1440, 900, 390):
            page.set_viewport_size({"width": width, "height": 1000})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        page.emulate_media(color_scheme="light")


def test_vectors_are_made_by_a_button(page, world, indexed):
    sign_in(page, world.people["researcher"])
    page.goto(reverse("system-run", args=[world.slug]))
    section = page.get_by_role("region", name="Search by meaning")
    expect(section).to_contain_text("They need a vector of each passage")
    expect(section.get_by_role("button")).to_have_text(
        ["Make vectors by MiniLM", "Make vectors by DPR"]
    )
    shot(page, "run")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        check_axe(page)
    check_reflow(page)

    section.get_by_role("button", name="Make vectors by MiniLM").click()
    expect(page.get_by_role("heading", name="Vectors of passages")).to_be_visible()
    expect(page.get_by_role("button", name="Stop, and continue another time")).to_be_visible()
    jobs_services.claim_and_run(job_id=Job.objects.get(kind="vectors").pk, clock=timezone.now)
    job = page.locator("#job")
    expect(job).to_contain_text("60 of 60 passages")
    expect(job).to_contain_text("Done")
    shot(page, "job")
    check_axe(page)
    page.get_by_role("link", name="Run a baseline").click()
    page.get_by_label("Baseline", exact=True).select_option("dense")
    expect(page.get_by_role("button", name="Make vectors by MiniLM")).to_have_count(0)
