"""The answer form in a real browser: by keyboard, offline, in two windows, without scripts."""

import datetime as dt
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment
from tests import factories
from tests.annotation.work.conftest import open_page
from tests.browser.helpers import allow_problem, check_axe, sign_in
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
    expect(page.locator("#save-state")).to_contain_text("Saved", timeout=10_000)


def write_two_pairs(page):
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", "25 March 1843")
    page.fill("#question-2", SECOND)
    page.fill("#answer-2", "7 December 1869")


def draft(work):
    return Assignment.objects.get(pk=work.pk).draft


def saved_as(page, work, check):
    """Wait until the server has a draft that passes the check."""
    for _ in range(100):
        if (found := draft(work)) and check(found):
            return found
        page.wait_for_timeout(100)
    raise AssertionError(f"never saved so: {draft(work)}")


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.className")


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


def test_draft_survives_a_reload(page, work):
    write_two_pairs(page)
    saved_as(page, work, lambda found: found["pairs"][1]["answers"])
    saved(page)
    page.reload()
    expect(page.locator("#question-2")).to_have_value(SECOND)
    expect(page.locator(".chip")).to_have_text(["25 March 1843×", "7 December 1869×"])
    expect(page.locator("#diff-1 ins")).to_have_text("to pedestrians")
    expect(page.locator("#notices")).to_be_empty()


def test_leaving_at_once_loses_nothing(page, work):
    page.fill("#question-1", FIRST)
    page.goto("/projects/")
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == FIRST)


def test_conflict_of_two_windows(page, new_page, work, world):
    other = new_page()
    sign_in(other, world.people["annotator"])
    other.goto(address(work))
    other.fill("#question-1", "When did it open to walkers?")
    saved(other)
    allow_problem(page, "status of 409")
    page.fill("#question-1", FIRST)
    conflict = page.locator("#conflict")
    expect(conflict).to_contain_text("in another window")
    expect(conflict).to_be_focused()
    page.click("text=Compare")
    expect(conflict.locator("del").first).to_be_visible()
    check_axe(page, label="conflict")
    assert "walkers" in draft(work)["pairs"][0]["question"]
    page.click("text=Keep this one")
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == FIRST)
    expect(conflict).to_have_count(0)
    # The other window is now the older one, and takes what is stored.
    allow_problem(other, "status of 409")
    other.fill("#question-1", "When did it open to nobody?")
    other.click("text=Take the other")
    expect(other.locator("#question-1")).to_have_value(FIRST)
    expect(other.locator("#notices")).to_be_empty()


def test_second_tab_only_reads(page, work):
    second = page.context.new_page()
    second.goto(address(work))
    expect(second.locator("#other-tab")).to_contain_text("open in another tab")
    expect(second.locator("[data-kind=multiple]")).to_have_attribute("inert", "")
    page.fill("#question-1", FIRST)
    second.click("text=Continue here")
    expect(second.locator("#question-1")).to_have_value(FIRST)
    expect(second.locator("#other-tab")).to_have_count(0)
    expect(page.locator("#other-tab")).to_be_visible()
    second.fill("#question-2", SECOND)
    saved_as(second, work, lambda found: found["pairs"][1]["question"] == SECOND)


def test_offline_text_is_kept_and_offered_back(page, work):
    allow_problem(page, "ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    page.fill("#question-1", FIRST)
    expect(page.locator("#save-state")).to_contain_text("Offline, kept on this device")
    assert not draft(work)
    page.close()
    page = page.context.new_page()
    page.context.set_offline(False)
    page.goto(address(work))
    expect(page.locator("#kept")).to_contain_text("was kept on this device")
    expect(page.locator("#question-1")).to_have_value("")
    page.click("text=Put it back")
    expect(page.locator("#question-1")).to_have_value(FIRST)
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == FIRST)
    saved(page)
    page.reload()
    expect(page.locator("#notices")).to_be_empty()


def test_back_online_it_saves_by_itself(page, work):
    allow_problem(page, "ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    page.fill("#question-1", FIRST)
    expect(page.locator("#save-state")).to_contain_text("Offline")
    page.context.set_offline(False)
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == FIRST)
    saved(page)


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
    page.focus("#question-1")
    for word in FIRST.split():
        page.keyboard.type(f"{word} ")
        page.wait_for_timeout(450)
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


def test_time_runs_out(page, work):
    soon = timezone.now() + dt.timedelta(minutes=4)
    Assignment.objects.filter(pk=work.pk).update(lease_ends_at=soon)
    page.reload()
    banner = page.locator("#lease-end")
    expect(banner).to_contain_text("left for this question")
    banner.get_by_role("button", name="Extend").click()
    expect(banner).to_have_count(0)
    expect(page.locator("#announcer")).to_contain_text("Yours until")
    assert Assignment.objects.get(pk=work.pk).lease_ends_at > soon + dt.timedelta(hours=1)


def test_signed_out_in_the_middle(page, work):
    allow_problem(page, "status of 401")
    page.context.clear_cookies(name="sessionid")
    page.fill("#question-1", FIRST)
    expect(page.locator("#signed-out")).to_contain_text("kept on this device")
    expect(page.locator("#signed-out a")).to_have_attribute("href", re.compile("/account/login/"))


def test_work_that_ended_elsewhere_is_explained(page, work):
    allow_problem(page, "status of 409")
    now = timezone.now()
    Assignment.objects.filter(pk=work.pk).update(
        state="submitted", lease_ends_at=None, ended_at=now, submitted_at=now
    )
    page.fill("#question-1", FIRST)
    expect(page.locator("#refused")).to_contain_text("You have submitted this question.")


def test_guidelines_open_beside_the_work(page, work):
    badge = page.locator(".later [data-new-guidelines]")
    expect(badge).to_be_visible()
    page.click(".later [data-guidelines]")
    panel = page.locator("#guidelines")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("Read first.")
    expect(badge).to_be_hidden()
    check_axe(page, label="guidelines")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.click(".later [data-guidelines]")
    page.reload()
    expect(panel).to_contain_text("Read first.")  # open is remembered


def test_park_and_skip_keep_what_was_just_typed(page, work, world):
    page.fill("#question-1", FIRST)
    page.click(".later [popovertarget=park]")
    page.fill("#park-reason", "Which tunnel?")
    page.click("text=Park it")
    expect(page.locator("#messages")).to_contain_text("Parked.")
    assert draft(work)["pairs"][0]["question"] == FIRST
    page.click("text=Resume")
    expect(page.locator("#question-1")).to_have_value(FIRST)
    page.click(".later [popovertarget=skip]")
    page.click("text=It depends on opinion")
    page.click("text=Skip it")
    expect(page.locator("#messages")).to_contain_text("Skipped.")
    assert Assignment.objects.get(pk=work.pk).skip_reason == "subjective"


def test_whole_job_without_scripts(new_page, work, world):
    page = new_page(java_script_enabled=False)
    sign_in(page, world.people["annotator"])
    page.goto(address(work))
    write_two_pairs(page)
    page.click("#add-pair")
    expect(page.locator("#pairs > li")).to_have_count(3)
    expect(page.locator("#question-1")).to_have_value(FIRST)
    page.click("[aria-label='Delete pair 3']")
    expect(page.locator("#pairs > li")).to_have_count(2)
    page.fill("#question-2", SECOND.rstrip("?"))
    allow_problem(page, "status of 422")
    page.click("[data-submit]")
    expect(page).to_have_title(re.compile(r"^Error: "))
    expect(page.locator("#problems")).to_contain_text("Pair 2: end the question")
    page.click("text=Add “?”")
    expect(page.locator("#question-2")).to_have_value(SECOND)
    page.click("[data-submit]")
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    assert Annotation.objects.get(assignment=work).pairs.count() == 2


def test_next_question_follows(page, work, world):
    factories.make_task(world.project)
    write_two_pairs(page)
    page.click("[data-submit]")
    expect(page.locator("#messages")).to_contain_text("Here is the next question.")
    expect(page.locator("#question-1")).to_have_value("")


def test_phone_shows_one_panel_at_a_time(page, work):
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator("#write")).to_be_visible()
    expect(page.locator("#read")).to_be_hidden()
    page.click(".switcher >> text=Checks")
    expect(page.locator("#checks")).to_be_visible()
    expect(page.locator("#write")).to_be_hidden()
    page.click("#checks .checklist a >> nth=0")
    expect(page.locator("#write")).to_be_visible()
