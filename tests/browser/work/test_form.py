"""The answer form in a real browser: by keyboard, with its chips, warnings and errors."""

import re

from playwright.sync_api import expect

from annotation.models import Annotation
from tests.browser.helpers import allow_problem, check_axe, runs
from tests.browser.work.conftest import (
    FIRST,
    SECOND,
    address,
    focused,
    saved,
    saved_as,
    write_two_pairs,
)


def test_two_pairs_by_keyboard_alone(page, work, world):
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the skip link leads to the answer
    for _ in range(40):
        if focused(page) == "question-1":
            break
        page.keyboard.press("Tab")
    assert focused(page) == "question-1"
    for number, (question, answer) in enumerate(
        [(FIRST, "25 March 1843"), (SECOND, "7 December 1869")], start=1
    ):
        page.keyboard.type(question)
        page.keyboard.press("Enter")
        assert focused(page) == f"answer-{number}"
        page.keyboard.type(answer)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    assert focused(page) == "add-pair"
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(re.compile(address(work)))
    annotation = Annotation.objects.get(assignment=work)
    written = [
        (pair.question, [answer.text for answer in pair.answers.all()])
        for pair in annotation.pairs.all()
    ]
    assert written == [(FIRST, ["25 March 1843"]), (SECOND, ["7 December 1869"])]
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def test_delete_and_undo(page, work):
    write_two_pairs(page)
    page.click("[aria-label='Delete pair 1']")
    expect(page.locator("#pairs > li")).to_have_count(1)
    expect(page.locator("#question-1")).to_have_value(SECOND)
    assert page.evaluate("document.activeElement.ariaLabel") == "Delete pair 1"
    saved_as(page, work, lambda found: len(found["pairs"]) == 1)
    page.click(".toast >> text=Undo")
    expect(page.locator("#question-1")).to_have_value(FIRST)
    expect(page.locator("#question-2")).to_have_value(SECOND)
    found = saved_as(page, work, lambda found: len(found["pairs"]) == 2)
    assert found["pairs"][0]["answers"][0]["text"] == "25 March 1843"


def test_move_keeps_the_focus_and_the_order(page, work):
    write_two_pairs(page)
    page.click("[aria-label='Move pair 2 up']")
    expect(page.locator("#question-1")).to_have_value(SECOND)
    assert page.evaluate("document.activeElement.ariaLabel") == "Move pair 1 down"
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == SECOND)


def test_warning_is_kept_with_a_reason(page, work):
    write_two_pairs(page)
    page.fill("#question-2", "Where did the Thames Tunnel open to trains?")
    warning = page.locator("#messages-question-2 .warning")
    expect(warning).to_contain_text("You changed “when” to “where”")
    expect(page.locator("#todo")).to_have_text("1 to do")
    warning.locator("summary").click()
    expect(warning.locator("input[name=keep-reason]")).to_be_focused()
    page.keyboard.type("The opening was at one end only")
    page.keyboard.press("Enter")
    expect(warning).to_contain_text("Kept: “The opening was at one end only”")
    expect(page.locator("#todo")).to_contain_text("Ready")
    page.click("[data-submit]")
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    kept = Annotation.objects.get(assignment=work).kept_warnings.get()
    assert (kept.rule, kept.field) == ("wh-word", "question-2")
    assert kept.reason == "The opening was at one end only"


def test_a_kept_warning_follows_its_pair(page, work):
    write_two_pairs(page)
    page.fill("#question-2", "Where did the Thames Tunnel open to trains?")
    page.locator("#messages-question-2 summary").click()
    expect(page.locator("#messages-question-2 input[name=keep-reason]")).to_be_focused()
    page.keyboard.type("One end only")
    page.keyboard.press("Enter")
    expect(page.locator("#messages-question-2")).to_contain_text("Kept:")
    page.click("[aria-label='Delete pair 1']")
    expect(page.locator("#messages-question-1")).to_contain_text("Kept: “One end only”")
    found = saved_as(page, work, lambda found: len(found["pairs"]) == 1)
    assert [keep["field"] for keep in found["keeps"]] == ["question-1"]


def test_error_summary_takes_the_focus(page, work):
    allow_problem(page, "status of 422")
    page.fill("#question-1", "When did the Thames Tunnel open to walkers")
    page.fill("#answer-1", "25 March 1843")
    page.keyboard.press("Control+Enter")
    summary = page.locator("#problems")
    expect(summary).to_be_focused()
    expect(page).to_have_title(re.compile(r"^Error: "))
    expect(summary.locator("li")).to_have_count(3)
    field = page.locator("#question-1")
    expect(field).to_have_attribute("aria-invalid", "true")
    described = field.get_attribute("aria-describedby").split()
    assert "End the question" in page.locator(f"#{described[0]}").inner_text()
    check_axe(page, label="error summary")
    summary.locator("a").first.click()
    expect(field).to_be_focused()
    runs(page, "annotation/generation/fixes.js")
    page.click("text=Add “?”")
    expect(field).to_have_value("When did the Thames Tunnel open to walkers?")
    expect(summary.locator("li")).to_have_count(2)  # it shrinks as problems are mended
    expect(field).not_to_have_attribute("aria-invalid", "true")
    page.click(".toast >> text=Undo")
    expect(field).to_have_value("When did the Thames Tunnel open to walkers")


def test_no_error_while_still_typing(page, work):
    page.focus("#question-1")
    page.keyboard.type("When did the Thames Tunnel open to wal")
    saved(page)
    expect(page.locator("#messages-question-1 .error")).to_have_count(0)
    expect(page.locator("#question-1")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#messages-question-1 .error")).to_contain_text("End the question")


def test_typing_goes_on_while_replies_come(page, work):
    """The field somebody types in is never replaced, nor its caret moved."""
    page.clock.install()
    page.focus("#question-1")
    for word in FIRST.split():
        page.keyboard.type(f"{word} ")
        with page.expect_response("**/draft/"):
            page.clock.run_for(900)
    expect(page.locator("#question-1")).to_be_focused()
    assert page.input_value("#question-1").strip() == FIRST
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == FIRST)


def test_switching_the_kind_keeps_answers(page, work):
    write_two_pairs(page)
    page.click("text=One clear answer")
    chips = page.locator("[data-forms=single] .chip")
    expect(chips).to_have_count(2)
    page.click("text=Several answers")
    expect(page.locator("#question-2")).to_have_value(SECOND)
    page.click("text=Not found")
    expect(page.locator("#none-reason")).to_be_visible()
    found = saved_as(page, work, lambda found: found["kind"] == "none")
    assert len(found["pairs"]) == len(found["single"]) == 2


def test_chips(page, work):
    page.fill("#answer-1", "25 March 1843")
    page.press("#answer-1", "Enter")
    page.keyboard.type("25 march 1843")
    page.keyboard.press("Enter")  # the same form again adds nothing
    chips = page.locator("[data-forms=pair-0] .chip")
    expect(chips).to_have_count(1)
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "March 1843\\nMarch 25, 1843\\n");
          document.getElementById("answer-1").dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }"""
    )
    expect(chips).to_have_count(3)
    page.keyboard.press("Backspace")
    assert page.evaluate("document.activeElement.ariaLabel") == "Remove March 25, 1843"
    box = page.locator(":focus").bounding_box()
    assert box["width"] >= 24
    assert box["height"] >= 24
    page.keyboard.press("Enter")
    expect(chips).to_have_count(2)
    expect(page.locator("#answer-1")).to_be_focused()
    found = saved_as(page, work, lambda found: len(found["pairs"][0]["answers"]) == 2)
    assert [form["text"] for form in found["pairs"][0]["answers"]] == [
        "25 March 1843",
        "March 1843",
    ]


def test_the_pay_hint_follows_what_is_typed(page, work):
    """A14: before any draft is saved, and as the saved draft says it."""
    work.policy.project.policies.update(pay_pair="0.15", pay_pairs_max=2, pay_accepted="0.10")
    page.reload()
    hint = page.locator("#pay-hint")
    expect(hint).to_have_text("You get 0.15 USD after validation for each pair, for at most 2.")
    page.route("**/draft/", lambda route: None)  # the server is not asked
    page.fill("#answer-1", "25 March 1843")
    expect(hint).to_have_text("You get up to 0.25 USD after validation.")
    page.fill("#answer-2", "7 December 1869")
    expect(hint).to_have_text("You get up to 0.40 USD after validation.")
    page.check("#kind-none")
    expect(hint).to_have_text("You get 0.15 USD after validation for each pair, for at most 2.")
    page.check("#kind-multiple")
    page.unroute("**/draft/")
    page.fill("#answer-2", "")
    expect(hint).to_have_text("You get up to 0.25 USD after validation.")
    saved_as(page, work, lambda found: "1843" in str(found) and "1869" not in str(found))
    expect(hint).to_have_text("You get up to 0.25 USD after validation.")
