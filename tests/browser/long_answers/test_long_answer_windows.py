"""A long answer in two windows, offline, too late, and with more time."""

import datetime as dt

from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment, LongAnswer, StagePolicy, Task
from tests import factories
from tests.annotation.long_answers import helpers
from tests.browser.helpers import allow_problem
from tests.browser.long_answers.steps import (
    START,
    value,
)
from tests.browser.work.conftest import saved_as


class TestWindows:
    def test_the_other_window_was_faster(self, page, work):
        page.fill("#long-answer", "Mine.")
        saved_as(page, work, lambda draft: draft["text"] == "Mine.")
        row = Assignment.objects.filter(pk=work.pk)
        theirs = row.get()
        row.update(draft=theirs.draft | {"text": "Theirs."}, draft_version=theirs.draft_version + 1)
        allow_problem(page, "status of 409")
        page.fill("#long-answer", "Mine again.")
        page.locator("#conflict").wait_for()
        page.get_by_text("Compare").click()
        expect(page.locator("#conflict")).to_contain_text("Long answer")
        page.get_by_role("button", name="Keep this one").click()
        saved_as(page, work, lambda draft: draft["text"] == "Mine again.")

    def test_text_of_this_device_is_put_back(self, page, work):
        allow_problem(page, "ERR_INTERNET_DISCONNECTED")
        page.context.set_offline(True)
        page.fill("#long-answer", "Kept here.")
        page.get_by_role("button", name="Add a piece").click()
        page.fill("#piece-2", "A sentence.")
        expect(page.locator("#save-state")).to_contain_text("kept on this device")
        page.evaluate(
            "() => { window.fetch = XMLHttpRequest.prototype.send = () => new Promise(() => {}); }"
        )
        page.close()
        page = page.context.new_page()
        page.context.set_offline(False)
        page.goto(f"/work/{work.pk}/")
        page.get_by_role("button", name="Put it back").click()
        assert value(page, "long-answer") == "Kept here."
        assert value(page, "piece-2") == "A sentence."
        saved_as(page, work, lambda draft: draft["text"] == "Kept here.")

    def test_two_tabs(self, page, work):
        other = page.context.new_page()
        other.goto(f"/work/{work.pk}/")
        other.locator("#other-tab").wait_for()
        assert other.locator("#long-answer").evaluate("(box) => Boolean(box.closest('[inert]'))")
        with other.expect_event("load"):
            other.get_by_role("button", name="Continue here").click()
        page.locator("#other-tab").wait_for()
        other.fill("#long-answer", "From here.")
        saved_as(other, work, lambda draft: draft["text"] == "From here.")

    def test_too_late_the_text_is_kept(self, page, work, project):
        other = factories.make_member(project, "annotator", name="Ben Birch")
        StagePolicy.objects.filter(project=project).update(people=1)
        Task.objects.filter(pk=work.task_id).update(seats=0)
        past = timezone.now() - dt.timedelta(hours=2)
        Assignment.objects.filter(pk=work.pk).update(lease_ends_at=past, seen_at=past)
        assert helpers.take(project, other, timezone.now()) is not None
        allow_problem(page, "status of 409")
        allow_problem(page, "status of 403")
        page.fill("#long-answer", START)
        page.keyboard.press("Control+Enter")
        page.locator("#refused").wait_for()
        page.get_by_role("link", name="Show this question’s state").click()
        page.get_by_text("someone else has this question now").wait_for()
        assert not LongAnswer.objects.exists()
        expect(page.locator("main")).to_contain_text(START.strip())

    def test_asked_to_wait_it_saves_later(self, page, work):
        allow_problem(page, "status of 429")
        page.route("**/draft/", lambda route: route.fulfill(status=429, body="Later."))
        page.fill("#long-answer", "Typed.")
        expect(page.locator("#save-state")).to_contain_text("Not saved yet")
        page.unroute("**/draft/")
        saved_as(page, work, lambda draft: draft["text"] == "Typed.")

    def test_more_time_is_asked_for(self, page, work):
        before = Assignment.objects.get(pk=work.pk).lease_ends_at
        page.locator("#lease").get_by_role("button", name="Extend").click()
        page.locator("#announcer", has_text="Yours until").wait_for()
        assert Assignment.objects.get(pk=work.pk).lease_ends_at > before
