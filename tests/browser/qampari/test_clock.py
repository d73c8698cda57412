"""The clock of twelve minutes: it is told before, runs on, and at its end nothing is lost."""

import datetime as dt

from django.utils import timezone
from playwright.sync_api import expect

from annotation.core import limits
from annotation.models import Assignment, Submission
from annotation.work import time_limits
from tests.browser.helpers import allow_problem, becomes, check_axe, sign_in
from tests.browser.qampari.conftest import drafted, turn


def ends_in(page, seconds):
    """Let the time end so soon, and open the page again."""
    Assignment.objects.update(limit_ends_at=timezone.now() + dt.timedelta(seconds=seconds))
    page.reload()


def submitted():
    rows = Submission.objects.all()
    return [[row["text"] for row in each.response["added"]] for each in rows]


def test_it_is_told_before_and_counts_down_by_the_clock_of_the_server(page, work):
    person, _ = work
    sign_in(page, person)
    # The device is an hour ahead.
    page.clock.install(time=timezone.now() + dt.timedelta(hours=1))
    page.goto("/")
    expect(page.get_by_text("12 min for each question")).to_be_visible()
    page.get_by_role("button", name="Take the next question").press("Enter")
    face = page.locator(".clock-face")
    expect(face).to_contain_text("11:5")
    expect(page.get_by_role("button", name="Park")).to_have_count(0)
    expect(page.get_by_role("button", name="Extend")).to_have_count(0)
    check_axe(page, label="clock")


def test_at_the_end_what_is_there_is_submitted_also_what_is_still_in_the_field(extending):
    page = extending
    page.fill("#new", "Cree")
    page.locator("#new").press("Enter")
    becomes(page, drafted, ["Cree"])
    ends_in(page, 6)
    page.fill("#new", "Esk")
    becomes(page, submitted, [["Esk", "Cree"]])
    page.wait_for_url(lambda at: "/work/" not in at)
    assert turn().at_limit["by"] == "window"
    assert turn().at_limit["late_seconds"] < limits.GRACE.total_seconds()


def test_without_a_connection_the_clock_of_the_server_submits_what_it_has(extending):
    page = extending
    allow_problem(page, "ERR_INTERNET_DISCONNECTED")
    allow_problem(page, "status of 409")
    page.fill("#new", "Cree")
    page.locator("#new").press("Enter")
    becomes(page, drafted, ["Cree"])
    page.context.set_offline(True)
    page.fill("#new", "Esk")
    page.locator("#new").press("Enter")
    Assignment.objects.update(limit_ends_at=timezone.now() - limits.GRACE)
    assert time_limits.submit_overdue_work(now=timezone.now()) == 1
    assert submitted() == [["Cree"]]
    page.context.set_offline(False)
    expect(page.locator("#refused")).to_contain_text("Your time for this question ended")
    becomes(
        page, lambda: [row["text"] for row in turn().at_limit["left_out"]["added"]], ["Esk", "Cree"]
    )
    page.goto(f"/work/{turn().pk}/")
    expect(page.get_by_text("Text that came later is kept for the team")).to_be_visible()
    assert submitted() == [["Cree"]]


def test_two_windows_at_the_end_submit_once(extending, new_page, work):
    page = extending
    page.fill("#new", "Cree")
    page.locator("#new").press("Enter")
    becomes(page, drafted, ["Cree"])
    ends_in(page, 8)
    other = new_page()
    allow_problem(other, "status of 409")
    allow_problem(page, "status of 409")
    sign_in(other, work[0])
    other.goto(page.url)
    becomes(page, submitted, [["Cree"]])
    becomes(page, lambda: turn().state, "submitted")


def test_the_last_minute_is_said_once(extending):
    page = extending
    page.evaluate(
        """() => {
          const region = document.getElementById("announcer");
          window.said = [];
          const note = () => region.textContent && window.said.push(region.textContent);
          new MutationObserver(note).observe(region, { childList: true });
          const { dataset } = document.getElementById("clock");
          dataset.ends = new Date(Date.now() + 61500).toISOString();
        }"""
    )
    expect(page.locator(".clock.last")).to_be_visible()
    page.wait_for_function("window.said.includes('1 minute left.')")
    assert page.evaluate("window.said").count("1 minute left.") == 1
    assert page.locator("#clock [role=timer]").get_attribute("aria-live") == "off"


def test_a_page_opened_after_the_end_says_so(extending):
    page = extending
    Assignment.objects.update(limit_ends_at=timezone.now() - dt.timedelta(minutes=1))
    page.reload()
    expect(page.get_by_text("What was saved by then is being submitted.")).to_be_visible()
    check_axe(page, label="over")
    page.get_by_role("button", name="Submit what was saved").press("Enter")
    becomes(page, lambda: turn().state, "submitted")
