"""Suggestions in a real browser: opened by the first own pair, accepted, edited, dismissed."""

import datetime as dt

import pytest
from playwright.sync_api import expect

from annotation.models import StagePolicy, SuggestionUse
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from tests.browser.helpers import allow_problem, check_axe, check_reflow, runs, sign_in
from tests.browser.work.conftest import FIRST, SECOND, address, saved_as

REPAIRS = "When did the Thames Tunnel open again after its repairs?"


@pytest.fixture
def page(new_page, work, world):
    StagePolicy.objects.filter(pk=work.policy_id).update(suggestions="Reader 8B")
    suggestions_services.store_suggestions(
        question=work.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            SuggestedContent(
                "pair", SECOND, ("7 December 1869",), "Trains came on 7 December 1869."
            ),
            SuggestedContent("pair", REPAIRS, ("1998",)),
            SuggestedContent("pair", "When was the Thames Tunnel sold?", ("1865",)),
        ],
        now=world.now,
    )
    page = new_page()
    sign_in(page, world.people["annotator"])
    page.goto(address(work))
    runs(page, "annotation/suggestions/suggestions.js")
    return page


def test_from_the_first_own_pair_to_a_pair_of_the_model(page, work):
    panel = page.locator("#suggestions")
    expect(panel).to_contain_text("open after your first pair")
    assert SECOND not in page.content()
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", "25 March 1843")
    expect(panel).to_contain_text("3 from Reader 8B: 3 to look at")

    # The empty pair takes the first, a new one the second; the cursor is where it is edited.
    page.get_by_role("button", name="Accept suggestion 1").click()
    expect(page.locator("#question-2")).to_have_value(SECOND)
    expect(page.locator("#pairs > li")).to_have_count(2)
    page.get_by_role("button", name="Edit suggestion 2 first").click()
    expect(page.locator("#question-3")).to_have_value(REPAIRS)
    expect(page.locator("#question-3")).to_be_focused()
    expect(page.locator("#pairs > li")).to_have_count(3)
    page.keyboard.press("Control+End")
    page.keyboard.type("?")
    expect(page.locator("#origin-3")).to_contain_text("edited by you")
    expect(page.locator("#origin-2")).to_contain_text("as it was suggested")

    page.get_by_role("button", name="Dismiss suggestion 3").click()
    expect(panel).to_contain_text("2 used, 1 dismissed")
    page.get_by_text("Say why").click()
    page.get_by_role("button", name="Wrong answer").click()
    expect(panel).to_contain_text("Dismissed: wrong answer")
    check_axe(page)

    # What moves keeps its origin.
    page.get_by_role("button", name="Move pair 3 up").click()
    draft = saved_as(page, work, lambda saved: saved["pairs"][1]["question"] == REPAIRS + "?")
    rows = {use.suggestion_id: use for use in SuggestionUse.objects.filter(assignment=work)}
    fates = [rows[pair["suggestion"]].fate for pair in draft["pairs"] if "suggestion" in pair]
    assert fates == ["edited", "accepted"]
    for width in (900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        check_reflow(page)


def test_a_passage_that_proves_nothing_is_refused_in_sight(page, work, world):
    allow_problem(page, "status of 422")
    long = "The arches were high enough for trains, as the company found. " * 6
    suggestions_services.store_suggestions(
        question=work.task.question,
        system="Reader 8B",
        version="2",
        suggestions=[SuggestedContent("passage", text=long, title="Thames Tunnel", path="Other")],
        now=world.now + dt.timedelta(seconds=1),
    )
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", "25 March 1843")
    panel = page.locator("#suggestions")
    expect(panel).to_contain_text("1 to look at")
    panel.get_by_text("Whole passage").click()
    expect(panel.locator(".passage > q")).to_be_visible()
    check_axe(page)
    page.get_by_role("button", name="Use as evidence suggestion 1").click()
    problems = page.locator("#problems")
    expect(problems).to_contain_text("This passage has none of your answers")
    expect(problems).to_be_focused()
    expect(problems).to_be_in_viewport()


def test_the_same_by_keys(page, work):
    panel, rows = page.locator("#suggestions"), page.locator("#suggestions .suggestion")
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", "25 March 1843")
    expect(panel).to_contain_text("3 to look at")
    # While somebody types, a key is a letter.
    page.keyboard.type("jad")
    expect(page.locator("#answer-1")).to_have_value("25 March 1843jad")
    page.fill("#answer-1", "25 March 1843")

    page.locator("h1").click()
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("e")
    expect(page.locator("#question-2")).to_have_value(REPAIRS)
    expect(page.locator("#question-2")).to_be_focused()
    page.locator("h1").click()
    page.keyboard.press("t")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("a")
    expect(page.locator("#question-3")).to_have_value(SECOND)
    expect(rows.nth(2)).to_be_focused()
    page.keyboard.press("d")
    expect(panel).to_contain_text("2 used, 1 dismissed")
    page.keyboard.press("?")
    keys = page.locator("#keys")
    expect(keys).to_contain_text("On a suggestion")
    expect(keys).to_contain_text("Dismiss this suggestion")
    check_axe(page)
