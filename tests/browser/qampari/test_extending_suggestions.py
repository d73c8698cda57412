"""Suggestions in the extended set, in a browser: opened by the first own answer, taken, changed."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import SuggestionUse
from annotation.suggestions.values import SuggestedContent
from tests.browser.helpers import becomes, check_axe, check_reflow, runs
from tests.browser.qampari.conftest import drafted, turn
from tests.stages.suggested import show

TEXT = "Rennie built Cree Bridge at Newton Stewart, of granite, from 1812 to 1814."


@pytest.fixture
def page(extending):
    offers = (
        SuggestedContent("answer", "", ("Cree Bridge",), TEXT, "John Rennie"),
        SuggestedContent("answer", answers=("Lune Aqueduct",)),
        SuggestedContent("answer", answers=("Kelso",)),
    )
    show(turn(), *offers, now=timezone.now())
    extending.reload()
    runs(extending, "annotation/suggestions/suggestions.js")
    return extending


def fates():
    return list(SuggestionUse.objects.order_by("suggestion").values_list("fate", flat=True))


def test_from_the_first_own_answer_to_one_of_the_model(page):
    panel = page.locator("#suggestions")
    expect(panel).to_contain_text("open after your first answer")
    assert "Cree" not in page.content()
    page.fill("#source", "John Rennie")
    page.fill("#new", "Esk")
    page.locator("#new").press("Enter")
    expect(panel).to_contain_text("2 to look at")

    page.get_by_role("button", name="Accept suggestion 1").click()
    taken = page.get_by_label("Answer from a suggestion")
    expect(taken).to_have_value("Cree Bridge")
    expect(page.locator("#added-count")).to_have_text("2")
    becomes(page, drafted, ["Cree Bridge", "Esk"])
    page.get_by_role("button", name="Edit suggestion 2 first").click()
    expect(taken.first).to_have_value("Lune Aqueduct")
    expect(taken.first).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type("s")
    expect(page.locator("#added")).to_contain_text("edited by you")
    becomes(page, fates, ["accepted", "edited"])
    check_axe(page)

    # One that is removed is undecided again, and used again where it is put back.
    page.get_by_role("button", name="Remove Cree Bridge").click()
    becomes(page, fates, ["", "edited"])
    page.locator("#undo").click()
    becomes(page, fates, ["accepted", "edited"])
    expect(page.locator("#added")).to_contain_text("as it was suggested")
    for width in (900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        check_reflow(page)


def test_the_own_field_keeps_its_keys(page):
    page.fill("#source", "John Rennie")
    page.fill("#new", "Esk")
    page.locator("#new").press("Enter")
    page.get_by_role("button", name="Accept suggestion 1").click()
    taken = page.get_by_label("Answer from a suggestion")
    taken.press("End")
    taken.press("Backspace")
    expect(taken).to_have_value("Cree Bridg")
    taken.press("Enter")
    expect(page.locator("#new")).to_be_focused()
    expect(page.locator("#added-count")).to_have_text("2")
