"""Shortcuts on keys of one's own, from the account to the work page."""

from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.helpers import allow_problem, check_axe, check_reflow, sign_in


def put(page, label, key):
    page.get_by_label(label).focus()
    page.keyboard.press(key)


def test_a_key_is_moved_one_is_off_and_the_page_shows_it(page, world):
    sign_in(page, world.people["annotator"])
    page.goto(reverse("account-settings"))
    put(page, "Search Wikipedia", "f")
    allow_problem(page, "status of 422")
    page.get_by_role("button", name="Save shortcuts").click()
    expect(page.locator("#summary")).to_contain_text("“f” is also the key of “Search Wikipedia”")
    check_axe(page, label="a clash of keys")
    put(page, "Search Wikipedia", "q")
    put(page, "Show the keyboard shortcuts", "Delete")
    page.get_by_role("button", name="Save shortcuts").click()
    expect(page.locator("#messages")).to_contain_text("Shortcuts saved.")
    check_reflow(page)
    page.goto(f"/work/{world.assignment.pk}/")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "query"
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("q")
    expect(page.locator("#query")).to_be_focused()
    expect(page.locator("#query")).to_have_value("")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    lines = page.locator("#keys dd").all_inner_texts()
    assert page.locator("#keys dt").all_inner_texts()[lines.index("Search Wikipedia")] == "q"
    assert "Show the keyboard shortcuts" not in lines
    check_axe(page, label="own keys")
    page.goto(reverse("account-settings"))
    page.get_by_role("button", name="Reset all to the defaults").click()
    expect(page.get_by_label("Search Wikipedia")).to_have_value("/")


def test_axe_and_the_look_of_own_keys(page, world):
    sign_in(page, world.people["annotator"])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(reverse("account-settings"))
        check_axe(page, label=scheme)
    check_reflow(page)
