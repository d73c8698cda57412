"""A paraphrase and its verification in a browser: refused, written anew, accepted."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment
from qampari import paraphrases
from tests import factories
from tests.browser.helpers import allow_problem, arrived, check_axe, sign_in
from tests.qampari import paraphrasing

REASON = "It asks for a number. Ask for the bridges."


@pytest.fixture
def project(transactional_db):
    project = paraphrasing.make_project()
    paraphrasing.accepted(project, timezone.now())
    return project


def take(page, project, stage, person):
    sign_in(page, person)
    page.goto("/")
    page.locator("button.primary").first.click()
    page.wait_for_url(re.compile(r"/work/\d+/"))
    arrived(page, page.locator("#answer"))


def test_a_paraphrase_goes_back_once_and_is_accepted(project, new_page):
    writer = factories.make_member(project, "annotator", name="Zebulon Quixote")
    reader = factories.make_member(project, "validator", name="Wilhelmina Fjord")
    paraphrasing.draw_first(project, writer)

    page = new_page()
    allow_problem(page, "status of 422")
    take(page, project, "qampari-paraphrase", writer)
    expect(page.get_by_role("heading", name="Keep these names")).to_be_visible()
    field = page.get_by_role("textbox", name="Your question")
    field.fill("How many bridges did he design?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("“John Rennie” is missing.").first).to_be_visible()
    check_axe(page, label="a name is missing")
    field.fill("How many bridges did Rennie design?")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")

    other = new_page()
    allow_problem(other, "status of 422")
    take(other, project, "qampari-verify", reader)
    expect(other.get_by_text("How many bridges did Rennie design?")).to_be_visible()
    expect(other.get_by_text("Zebulon")).to_have_count(0)
    other.locator("[data-digits] input").first.focus()
    other.keyboard.press("2")
    expect(other.get_by_role("radio", name="The meaning has changed")).to_be_checked()
    expect(other.get_by_label("What should change?")).to_be_focused()
    other.keyboard.insert_text(REASON)
    check_axe(other, label="verification")
    with other.expect_navigation():
        other.keyboard.press("Control+Enter")

    written = Assignment.objects.get(stage="qampari-paraphrase")
    page.goto(f"/work/{written.pk}/")
    expect(page.get_by_text(REASON).first).to_be_visible()
    page.get_by_role("button", name="Resume").first.click()
    arrived(page, page.locator("#answer"))
    page.get_by_role("textbox", name="Your question").fill("Which bridges did Rennie design?")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")

    take(other, project, "qampari-verify", reader)
    expect(other.get_by_text("Which bridges did Rennie design?")).to_be_visible()
    other.get_by_role("radio", name="Same meaning").check()
    with other.expect_navigation():
        other.keyboard.press("Control+Enter")
    assert list(paraphrases.read_accepted_texts([written.task.question_id]).values()) == [
        "Which bridges did Rennie design?"
    ]
