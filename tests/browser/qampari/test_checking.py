"""Answers are checked in a browser by keyboard alone."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Submission
from tests import factories
from tests.browser.helpers import arrived, becomes, check_axe, sign_in
from tests.qampari import factories as lists


def said():
    rows = Submission.objects.order_by("pk").values_list("response", flat=True)
    return [row["verdict"] for row in rows]


def begin(page, slug):
    """Take the first answer of a project with one question."""
    project = lists.make_project(slug=slug)
    lists.make_question(project, timezone.now())
    sign_in(page, factories.make_member(project, "annotator", name="Anna Ash"))
    page.goto("/")
    page.get_by_role("button", name="Take the next question").press("Enter")
    arrived(page, page.locator("#verdict-first"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_only_the_chosen_verdict_is_tinted(page, transactional_db, theme):
    page.emulate_media(color_scheme=theme)
    begin(page, "tinted")
    tints = "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
    options = page.locator("#verdict .option")
    expect(page.locator("#verdict-first")).to_be_focused()
    assert len(set(options.evaluate_all(tints))) == 1
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    correct, doubtful, unclear = options.evaluate_all(tints)
    assert correct == unclear != doubtful


def test_a_digit_chooses_wherever_the_focus_is(page, transactional_db):
    begin(page, "digits")
    page.get_by_role("heading", name=lists.TITLES[0]).click()
    page.keyboard.press("3")
    expect(page.get_by_role("radio").nth(2)).to_be_checked()
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.keyboard.press("2")
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    page.get_by_role("textbox", name="Note").press("1")
    expect(page.get_by_role("radio").nth(1)).to_be_checked()


def test_the_answer_before_is_changed_by_keyboard_alone(page, transactional_db):
    begin(page, "changed")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=lists.TITLES[1]).wait_for()
    arrived(page, page.locator("#verdict-first"))
    page.keyboard.press("z")
    expect(page.get_by_role("dialog", name="What you submitted last")).to_be_visible()
    check_axe(page, label="the last answers")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=lists.TITLES[0]).wait_for()
    arrived(page, page.locator("#verdict-first"))
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=lists.TITLES[1]).wait_for()
    assert said() == ["correct"]


def test_by_keyboard_one_answer_after_the_other(page, transactional_db):
    begin(page, "checked")
    for done, (key, verdict) in enumerate((("1", "correct"), ("2", "doubtful"), ("3", "unclear"))):
        page.get_by_role("heading", name=lists.TITLES[done]).wait_for()
        arrived(page, page.locator("#verdict-first"))
        page.locator("#verdict-first").focus()
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        becomes(page, lambda: said()[-1:], [verdict])
