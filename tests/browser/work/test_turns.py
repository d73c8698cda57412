"""The rest of the work page: guidelines, park and skip, phones, and no scripts at all."""

import re

from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment
from tests import factories
from tests.browser.helpers import allow_problem, check_axe, sign_in
from tests.browser.work.conftest import FIRST, SECOND, address, draft, write_two_pairs


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
    page.click("text=Park and stop")
    expect(page.locator("#messages")).to_contain_text("Parked.")
    assert draft(work)["pairs"][0]["question"] == FIRST
    page.click("text=Resume")
    expect(page.locator("#question-1")).to_have_value(FIRST)
    page.click(".later [popovertarget=skip]")
    page.click("text=It depends on opinion")
    page.click("text=Skip and stop")
    expect(page.locator("#messages")).to_contain_text("Skipped.")
    assert Assignment.objects.get(pk=work.pk).skip_reason == "subjective"


def test_skip_and_take_the_next_keeps_the_text_and_stays_in_the_project(page, work, world):
    page.fill("#question-1", FIRST)
    page.click(".later [popovertarget=skip]")
    page.click("text=It depends on opinion")
    page.click("text=Skip and take the next")
    page.wait_for_url(lambda at: "/work/" in at and address(work) not in at)
    taken = Assignment.objects.get(user=work.user, project=work.project, state="active")
    assert taken.task == world.waiting_task
    assert page.url.endswith(address(taken))
    assert draft(work)["pairs"][0]["question"] == FIRST
    assert Assignment.objects.get(pk=work.pk).state == "skipped"


def test_returned_work_has_a_badge_and_the_note_while_it_is_done_again(page, work):
    Assignment.objects.filter(pk=work.pk).update(
        state="parked", returned_at=timezone.now(), staff_note="Which opening?"
    )
    page.goto("/")
    parked = page.locator("section", has=page.locator("#parked-title"))
    expect(parked.locator(".badge")).to_have_text("Returned by the team")
    expect(parked).to_contain_text("Which opening?")
    page.click("text=Resume")
    note = page.get_by_role("note")
    expect(note).to_contain_text("Returned by the team")
    expect(note).to_contain_text("Which opening?")
    check_axe(page, label="returned work")


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


def test_a_minute_of_reading_passes_by_itself(page, work, world):
    """One clear answer too soon: the checklist says how long, and clears when it has passed."""
    world.policy.minimum_seconds = 4
    world.policy.save()
    page.click("text=One clear answer")
    page.keyboard.press("Tab")
    page.fill("#single-answer", "25 March 1843")
    expect(page.locator("#checks-card")).to_have_attribute("data-wait", re.compile(r"\d"))
    expect(page.locator("#todo")).to_contain_text("to do")
    expect(page.locator("#todo")).to_contain_text("Ready")
