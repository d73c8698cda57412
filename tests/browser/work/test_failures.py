"""Nothing fails in silence: what could not be done is said where the person looks."""

import datetime as dt
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment
from tests import factories
from tests.browser.helpers import allow_problem, arrived, check_axe, runs, sign_in
from tests.browser.work.conftest import FIRST, draft, saved, saved_as, write_two_pairs

OFFLINE = "ERR_INTERNET_DISCONNECTED"


@pytest.fixture
def offline(page):
    allow_problem(page, OFFLINE)
    page.context.set_offline(True)
    return page


def box(locator):
    return locator.bounding_box()


def test_submitting_offline_says_so_at_the_button(page, work):
    write_two_pairs(page)
    saved_as(page, work, lambda found: found["pairs"][1]["answers"])
    allow_problem(page, OFFLINE)
    page.context.set_offline(True)
    page.click("[data-submit]")
    said = page.locator(".bar #not-submitted")
    expect(said).to_contain_text("Not submitted. There is no connection.")
    expect(said).to_contain_text("kept on this device")
    check_axe(page, label="submitted offline")
    page.context.set_offline(False)
    said.get_by_role("button", name="Try again").click()
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def test_signed_out_is_said_at_the_button_and_mended_in_another_tab(page, work, world):
    write_two_pairs(page)
    saved_as(page, work, lambda found: found["pairs"][1]["answers"])
    saved(page)
    allow_problem(page, "status of 401")
    page.context.clear_cookies(name="sessionid")
    page.click("[data-submit]")
    said = page.locator(".bar #signed-out")
    expect(said).to_contain_text("Not submitted. You are signed out")
    expect(said.get_by_role("link", name="Sign in")).to_have_attribute("target", "_blank")
    # In another tab, which also makes a new token.
    sign_in(page, world.people["annotator"])
    page.context.new_page().goto("/")
    said.get_by_role("button", name="Submit again").click()
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def test_a_paused_project_keeps_what_was_typed_and_says_so_once(page, work, world):
    write_two_pairs(page)
    page.focus("#feedback")
    saved_as(page, work, lambda found: found["pairs"][1]["answers"])
    saved(page)
    world.project.state = "paused"
    world.project.save()
    page.fill("#question-1", FIRST.replace("to pedestrians", "for walkers"))
    allow_problem(page, "status of 409")
    page.click("[data-submit]")
    said = page.locator(".bar #refused")
    expect(said).to_contain_text("Not submitted. This project is paused.")
    expect(said).to_contain_text("What you typed is kept.")
    saved(page)
    assert "for walkers" in draft(work)["pairs"][0]["question"]


def test_the_time_left_is_the_same_in_both_places(page, work):
    page.clock.install(time=timezone.now())
    Assignment.objects.filter(pk=work.pk).update(
        lease_ends_at=timezone.now() + dt.timedelta(seconds=58)
    )
    page.reload()
    head, warning = page.locator("#lease [data-left]"), page.locator("#lease-end p")
    expect(warning).to_contain_text("left for this question")
    before = warning.inner_text()
    page.clock.run_for(31_000)
    expect(warning).not_to_have_text(before)
    expect(warning).to_have_text(f"{head.inner_text()} left for this question.")


def test_more_time_that_could_not_be_had_is_told(page, work):
    soon = timezone.now() + dt.timedelta(minutes=4)
    Assignment.objects.filter(pk=work.pk).update(lease_ends_at=soon)
    page.reload()
    allow_problem(page, OFFLINE)
    page.context.set_offline(True)
    page.click("#lease-end >> text=Extend")
    expect(page.locator(".toast.problem")).to_contain_text("Your time could not be extended")


def test_parking_offline_keeps_the_page_and_says_why(offline, work):
    offline.fill("#question-1", FIRST)
    offline.click(".later [popovertarget=park]")
    offline.fill("#park-reason", "Which tunnel?")
    offline.get_by_role("button", name="Park and stop").click()
    expect(offline.locator(".toast.problem")).to_contain_text("this question is still with you")
    expect(offline.locator("#question-1")).to_have_value(FIRST)
    assert Assignment.objects.get(pk=work.pk).state == "active"


def test_a_search_after_signing_out_says_what_to_do(page, work):
    allow_problem(page, "status of 401")
    page.context.clear_cookies(name="sessionid")
    page.fill("#query", "thames tunnel")
    page.press("#query", "Enter")
    expect(page.locator("#results")).to_contain_text("Sign in again in another tab")


def test_guidelines_that_do_not_open_are_told(offline, work):
    offline.click(".later [data-guidelines]")
    expect(offline.locator(".toast.problem")).to_contain_text("guidelines could not be opened")


def test_the_last_submission_is_a_note_that_goes(page, work, world):
    factories.make_task(world.project)
    write_two_pairs(page)
    page.click("[data-submit]")
    note = page.locator("#messages .toast")
    arrived(page, note)
    expect(note).to_contain_text("Submitted. Here is the next question.")
    link = note.get_by_role("link", name=re.compile("^View “"))
    expect(link).to_have_attribute("href", f"/work/{work.pk}/")
    check_axe(page, label="submitted")
    # It moves nothing: the prompt is where it is without it.
    top = box(page.locator(".masthead"))["y"]
    note.get_by_role("button", name="Dismiss").click()
    expect(note).to_have_count(0)
    assert box(page.locator(".masthead"))["y"] == top


def test_the_note_goes_after_ten_seconds(page, work, world):
    page.clock.install()
    factories.make_task(world.project)
    write_two_pairs(page)
    page.click("[data-submit]")
    note = page.locator("#messages .toast")
    arrived(page, note)
    page.clock.run_for(10_500)
    expect(note).to_have_count(0)


def test_the_note_is_never_beside_a_new_problem(page, work, world):
    factories.make_task(world.project)
    write_two_pairs(page)
    page.click("[data-submit]")
    arrived(page, page.locator("#messages", has_text="Submitted."))
    allow_problem(page, "status of 422")
    page.click("[data-submit]")
    expect(page.locator("#problems")).to_be_visible()
    expect(page.locator(".toast")).to_have_count(0)


def test_without_scripts_the_note_is_a_plain_message(new_page, work, world):
    page = new_page(java_script_enabled=False)
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{work.pk}/")
    write_two_pairs(page)
    page.click("[data-submit]")
    note = page.locator("#messages .toast")
    expect(note).to_contain_text("Submitted.")
    assert note.evaluate("node => getComputedStyle(node).position") == "static"


def paste(page, field, text):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.focus(field)
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+v")


def enter(page, field):
    """Go into a field, and wait for what counts its characters."""
    page.focus(field)
    runs(page, "shared/limits.js")


@pytest.mark.parametrize(
    ("field", "most"), [("#question-1", "2,000"), ("#feedback", "5,000"), ("#answer-1", "1,000")]
)
def test_a_paste_above_the_limit_says_how_much_was_left_out(page, work, field, most):
    enter(page, field)
    length = int(most.replace(",", ""))
    paste(page, field, "a" * (length + 48_000))
    said = page.locator(".limit", has_text=f"{most} characters at most: 48,000 were left out.")
    expect(said).to_be_visible()
    assert len(page.locator(field).input_value()) == length
    check_axe(page, label="left out")


def test_near_the_limit_the_rest_is_counted_down(page, work):
    enter(page, "#question-1")
    page.fill("#question-1", "a" * 1_900)
    expect(page.locator(".limit")).to_have_text("100 characters left.")
    page.keyboard.press("End")
    page.keyboard.type("b")
    expect(page.locator(".limit")).to_have_text("99 characters left.")
    page.fill("#question-1", FIRST)
    expect(page.locator(".limit")).to_have_count(0)


def test_lines_too_long_for_an_answer_are_not_cut_in_silence(page, work):
    paste(page, "#answer-1", "1843\n" + "a" * 1_001)
    expect(page.locator(".toast.problem")).to_contain_text("1 of 2 lines left out")
    expect(page.locator("#pairs .chip > span")).to_have_text(["1843"])
