"""What is typed is never lost: reloads, two windows, two tabs, offline, time running out."""

import datetime as dt
import re

from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment
from tests.browser.helpers import allow_problem, becomes, check_axe, sign_in
from tests.browser.work.conftest import (
    FIRST,
    SECOND,
    address,
    draft,
    saved,
    saved_as,
    write_two_pairs,
)


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


def test_text_typed_before_the_scripts_run_is_saved(page, work):
    late = []
    page.route("**/js/annotation/work/draft.js", lambda route: late.append(route))
    page.goto(address(work), wait_until="commit")
    page.fill("#question-1", FIRST)
    page.fill("#question-2", SECOND)
    becomes(page, lambda: len(late), 1)
    late[0].continue_()
    found = saved_as(page, work, lambda found: found["pairs"][1]["question"] == SECOND)
    assert found["pairs"][0]["question"] == FIRST
    saved(page)


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
    # The device dies: not even the page's last words reach the server.
    page.evaluate(
        "() => { window.fetch = XMLHttpRequest.prototype.send = () => new Promise(() => {}); }"
    )
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
