"""Somebody on the work page, with an article that has both answers opened."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment
from tests.annotation.work.conftest import open_page
from tests.browser.helpers import becomes, sign_in
from wikipedia.models import ShownPage

FIRST = "When did the Thames Tunnel open to pedestrians?"
SECOND = "When did the Thames Tunnel open to trains?"
TEXT = "It opened to the public on 25 March 1843. Trains came on 7 December 1869."


@pytest.fixture
def work(world):
    """The annotator's question, with a page that has both answers opened."""
    ShownPage.objects.create(
        snapshot=world.snapshot,
        path="A/Thames_Tunnel",
        title="Thames Tunnel",
        retrieved_at=timezone.now(),
        text=TEXT,
        text_sha256="0" * 64,
    )
    open_page(world.assignment)
    return world.assignment


@pytest.fixture
def page(page, work, world):
    sign_in(page, world.people["annotator"])
    page.goto(address(work))
    return page


def address(work):
    return f"/work/{work.pk}/"


def saved(page):
    expect(page.locator("#save-state")).to_contain_text("Saved")


def write_two_pairs(page):
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", "25 March 1843")
    page.fill("#question-2", SECOND)
    page.fill("#answer-2", "7 December 1869")


def draft(work):
    return Assignment.objects.get(pk=work.pk).draft


def saved_as(page, work, check):
    """Wait until the server has a draft that passes the check."""

    def look():
        found = draft(work)
        try:
            return True if found and check(found) else found
        except LookupError:  # a part that is not there yet
            return found

    becomes(page, look, True)
    return draft(work)


def replied(page, work):
    """Wait until the server's reply to the last save is in place."""
    version = Assignment.objects.get(pk=work.pk).draft_version
    expect(page.locator("#version")).to_have_value(str(version))


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.className")
