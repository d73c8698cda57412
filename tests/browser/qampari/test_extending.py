"""The extended set in a browser: answers are added, removed and put back by keyboard alone."""

import json

from playwright.sync_api import expect

from annotation.models import Submission
from metrics.text import answer_key
from tests.browser.helpers import arrived, becomes, check_axe, sign_in
from tests.browser.qampari.conftest import drafted, turn


def shown(page):
    return page.locator("#added [data-said]")


def add(page, *texts):
    for text in texts:
        page.keyboard.type(text)
        page.keyboard.press("Enter")


def focused(page):
    return page.evaluate(
        "document.activeElement.getAttribute('aria-label') || document.activeElement.id"
    )


def test_by_keyboard_answers_are_added_removed_put_back_and_submitted(extending):
    page = extending
    page.locator("#new").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("John Rennie")
    page.keyboard.press("Shift+Tab")
    add(page, "Cree", "Esk", "Earn", "Tweed")
    expect(shown(page)).to_have_text(["Tweed", "Earn", "Esk", "Cree"])
    expect(page.locator("#added-count")).to_have_text("4")
    expect(page.locator("#new")).to_have_value("")
    becomes(page, drafted, ["Tweed", "Earn", "Esk", "Cree"])
    assert turn().draft["added"][0]["page"] == "John Rennie"

    page.keyboard.press("ArrowDown")
    assert focused(page) == "Remove Tweed"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    expect(shown(page)).to_have_text(["Tweed", "Esk", "Cree"])
    assert focused(page) == "Remove Esk"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Backspace")
    assert focused(page) == "Remove Esk"  # the last one is gone: the one before it
    page.keyboard.press("Enter")  # the button itself
    assert focused(page) == "Remove Tweed"
    page.keyboard.press("Delete")
    assert focused(page) == "new"  # none is left
    expect(shown(page)).to_have_count(0)
    becomes(page, drafted, [])

    undo = page.get_by_role("button", name="Put back “Tweed”")
    undo.press("Enter")
    expect(shown(page)).to_have_text(["Tweed"])
    assert focused(page) == "Remove Tweed"
    page.get_by_role("button", name="Put back “Esk”").press("Enter")
    page.get_by_role("button", name="Put back “Cree”").press("Enter")
    expect(shown(page)).to_have_text(["Tweed", "Esk", "Cree"])
    becomes(page, drafted, ["Tweed", "Esk", "Cree"])
    check_axe(page, label="answers")

    page.locator("#new").focus()
    page.keyboard.type("Kelso Old Bridge")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda at: "/work/" not in at)
    texts = [row["text"] for row in Submission.objects.get().response["added"]]
    assert texts == ["Kelso Old Bridge", "Tweed", "Esk", "Cree"]
    expect(page.get_by_text("The time for the next question starts")).to_be_visible()


def test_the_same_answer_is_told_at_once(extending):
    page = extending
    page.locator("#new").focus()
    add(page, "Cree", "the cree!")
    note = page.locator("#messages-new")
    expect(note).to_contain_text("“Cree” already")
    expect(page.locator("#new")).to_have_value("the cree!")
    expect(shown(page)).to_have_text(["Cree"])
    expect(page.get_by_role("link", name="the new answer")).to_be_visible()  # it is saved
    expect(note).to_contain_text("“Cree” already")
    page.keyboard.type("kelso")  # the old words are selected
    expect(note).not_to_contain_text("already")
    page.keyboard.press("Enter")
    expect(note).to_contain_text("“Kelso Bridge” already")
    page.keyboard.type("Esk")
    page.keyboard.press("Enter")
    expect(shown(page)).to_have_text(["Esk", "Cree"])


def test_both_sides_hold_the_same_answers_for_the_same(extending):
    texts = [
        "Kelso",
        "The  Kelso",
        "C++",
        "C#",
        "A+",
        "The The",
        "?",
        "a an the",
        "Élan",
        "théâtre",
    ]
    texts += ["l’a", "A-Team", "the-bridge", "St. John's", "1,000", "ÉA the", "x_the", " Ä the ö "]
    script = """(texts) => import("/static/js/qampari/qampari-extend.js")
      .then(({ keyOf }) => texts.map(keyOf))"""
    keys = extending.evaluate(script, texts)
    wrong = [
        (text, key)
        for text, key in zip(texts, keys, strict=True)
        if answer_key(text) != key and text not in ("A+", "The The", "?", "a an the")
    ]
    assert not wrong, json.dumps(wrong)
    assert all(keys)


def test_fast_typing_while_a_save_is_under_way_loses_nothing(extending):
    page = extending
    held, released = [], []
    page.route("**/draft/", lambda route: route.continue_() if released else held.append(route))
    page.locator("#new").focus()
    names = [f"Bridge {number}" for number in range(12)]
    add(page, *names)
    becomes(page, lambda: bool(held), True)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")  # a save is in flight
    page.keyboard.press("Delete")
    page.locator("#new").focus()
    page.keyboard.type("half a na")
    released.append(True)
    for route in held:
        route.continue_()
    kept = list(reversed(names))[2:]
    becomes(page, drafted, kept)
    becomes(page, lambda: turn().draft["new"], "half a na")
    expect(shown(page)).to_have_text(kept)
    expect(page.locator("#new")).to_have_value("half a na")
    page.unroute("**/draft/")
    page.reload()
    expect(shown(page)).to_have_text(kept)
    expect(page.locator("#new")).to_have_value("half a na")


def test_words_selected_in_the_article_are_added_and_the_field_stays(extending):
    page = extending
    page.fill("#new", "half a na")
    use = """(text) => import("/static/js/annotation/sheets/stage.js")
      .then(({ stage }) => stage.addForm(stage.targets()[0].key, text))"""
    assert page.evaluate(use, " Cree  Bridge ")
    assert not page.evaluate(use, "the cree bridge")
    expect(page.get_by_text("“Cree Bridge” already").first).to_be_visible()
    expect(shown(page)).to_have_text(["Cree Bridge"])
    expect(page.locator("#new")).to_have_value("half a na")
    becomes(page, drafted, ["Cree Bridge"])


def test_a_key_that_is_held_or_composes_adds_nothing(extending):
    page = extending
    page.fill("#new", "橋")
    page.evaluate(
        """() => {
          const field = document.getElementById("new");
          const press = (more) => field.dispatchEvent(
            new KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...more }));
          press({ isComposing: true });
          press({ repeat: true });
        }"""
    )
    expect(shown(page)).to_have_count(0)
    page.locator("#new").press("Enter")
    expect(shown(page)).to_have_text(["橋"])


def test_what_is_typed_before_scripts_run_is_added_all_the_same(new_page, work):
    person, _ = work
    page = new_page(java_script_enabled=False)
    sign_in(page, person)
    page.goto("/")
    page.get_by_role("button", name="Take the next question").press("Enter")
    arrived(page, page.locator("#new"))
    page.fill("#source", "John Rennie")
    for text in ("Cree", "Esk", "the esk"):
        page.fill("#new", text)
        page.locator("#new").press("Enter")
        page.wait_for_load_state()
    expect(shown(page)).to_have_text(["Esk", "Cree"])
    expect(page.locator("#new")).to_have_value("the esk")
    expect(page.locator("#messages-new")).to_contain_text("“Esk” already")
    page.get_by_role("button", name="Remove Esk").press("Enter")
    expect(shown(page)).to_have_text(["Cree"])
    page.get_by_role("button", name="Put back “Esk”").press("Enter")
    expect(shown(page)).to_have_text(["Esk", "Cree"])
