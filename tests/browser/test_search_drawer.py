"""The search over the other panels: where the focus goes, and what stays in view."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests import factories
from tests.annotation.long_answers import helpers
from tests.browser.helpers import runs, sign_in
from tests.browser.test_validation import validator_turn

WIDTHS = [(1440, 900), (900, 900), (390, 844)]
OPENERS = "[popovertarget=search]:not([popovertargetaction=hide])"


def generation(world):
    return world.assignment, world.people["annotator"]


def validation(world):
    return validator_turn(world), world.people["validator"]


def long_answers(world):
    project, now = helpers.make_project(), timezone.now()
    helpers.open_question(project, now)
    writer = factories.make_member(project, "annotator", name="Ann Ash")
    return helpers.take(project, writer, now), writer


STAGES = [generation, validation, long_answers]


def open_page(page, world, stage, size):
    assignment, person = stage(world)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    sign_in(page, person)
    page.goto(f"/work/{assignment.pk}/")
    runs(page, "annotation/reading/reader.js")  # a validation loads it once its page is at rest
    return page


def opener(page):
    """The first button in sight that opens the search: on the page, under Read or under More."""
    shown = page.locator(f"{OPENERS}:visible")
    for way in (".switcher a[href='#read']", "[popovertarget=more]"):
        if not shown.count() and page.locator(way).is_visible():
            page.locator(way).click()
    return shown.first


def assert_prompt_in_view(page):
    over = page.evaluate(
        """() => {
          const prompt = document.getElementById("prompt").getBoundingClientRect();
          const top = document.getElementById("search").getBoundingClientRect().top;
          const box = document.getElementById("query").getBoundingClientRect();
          const seen = prompt.top >= 0 && prompt.bottom <= innerHeight;
          return [seen, prompt.bottom <= top, box.bottom < innerHeight];
        }"""
    )
    assert over == [True, True, True]


@pytest.mark.parametrize("size", WIDTHS, ids=["desk", "tablet", "phone"])
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_the_search_opens_with_focus_in_its_box_and_the_prompt_in_view(page, world, stage, size):
    open_page(page, world, stage, size)
    button = opener(page)
    if button.count():
        button.click()
    else:  # the column of a wide screen, closed and opened again
        page.get_by_role("button", name="Hide the search column").click()
        button = page.get_by_role("button", name="Show the search column")
        expect(button).to_be_focused()
        button.click()
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("tower")
    expect(page.locator("#query")).to_have_value("tower")
    assert_prompt_in_view(page)
    if page.locator("#search:popover-open").count():
        page.keyboard.press("Escape")
        if page.locator("#search").is_visible():  # the first one emptied the box
            page.keyboard.press("Escape")
        expect(page.locator("#search")).to_be_hidden()
        expect(button).to_be_focused()


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_one_key_searches_on_every_page(page, world, stage):
    open_page(page, world, stage, (1440, 900))
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    page.locator("#prompt").click()
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    assert page.evaluate("document.activeElement.id") != "query"
    page.locator("[popovertarget=keys]").click()
    expect(page.locator("#keys dd", has_text="Search Wikipedia")).to_have_count(1)
    at = page.locator("#keys dd").all_inner_texts().index("Search Wikipedia")
    assert page.locator("#keys dt").all_inner_texts()[at] == "/"
