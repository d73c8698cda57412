"""How htmx saves: in order, one request at a time, and never over what is newer."""

from playwright.sync_api import expect

from annotation.faq import services as faq_services
from annotation.models import Annotation
from tests.browser.helpers import allow_problem, becomes, time_passes
from tests.browser.work.conftest import (
    FIRST,
    SECOND,
    draft,
    focused,
    replied,
    saved,
    saved_as,
    write_two_pairs,
)


class Held:
    """Requests that wait until they are let go, with what they sent."""

    def __init__(self, page, pattern):
        self.page, self.bodies, self.waiting = page, [], []
        page.route(pattern, self._hold)

    def _hold(self, route):
        self.bodies.append(route.request.post_data_json)
        self.waiting.append(route)

    def wait(self, count):
        becomes(self.page, lambda: len(self.bodies) >= count, True)

    def let_go(self):
        self.waiting.pop(0).continue_()


def test_htmx_works_under_the_strict_policy(page, work):
    policy = page.request.get(page.url).headers["content-security-policy"]
    assert "unsafe" not in policy
    assert page.evaluate("htmx.version").startswith("2.")
    assert page.evaluate("[htmx.config.allowEval, htmx.config.includeIndicatorStyles]") == [
        False,
        False,
    ]
    page.fill("#question-1", FIRST)
    saved(page)  # and the console says nothing


def test_edits_while_a_save_is_under_way_are_saved_after_it_in_one(page, work):
    page.clock.install()
    held = Held(page, "**/draft/")
    page.fill("#question-1", FIRST)
    time_passes(page, 1000)
    held.wait(1)
    page.fill("#question-2", "When did it")
    time_passes(page, 1000)
    page.fill("#question-2", SECOND)
    time_passes(page, 1000)
    assert len(held.bodies) == 1
    held.let_go()
    held.wait(2)
    held.let_go()
    saved_as(page, work, lambda found: found["pairs"][1]["question"] == SECOND)
    replied(page, work)
    saved(page)
    time_passes(page, 1000)
    assert [body["pair-1-question"] for body in held.bodies] == ["", SECOND]


def test_a_late_reply_never_overwrites_newer_text(page, work):
    held = Held(page, "**/draft/")
    page.fill("#question-1", "When did it open?")
    held.wait(1)
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", "25 March 1843")
    page.press("#answer-1", "Enter")
    page.keyboard.type("March 25")
    page.evaluate("document.activeElement.setSelectionRange(2, 4)")
    held.let_go()
    held.wait(2)
    expect(page.locator("#question-1")).to_have_value(FIRST)
    expect(page.locator("#answer-1")).to_have_value("March 25")
    expect(page.locator("#pairs .chip")).to_have_text(["25 March 1843×"])
    caret = "[document.activeElement.selectionStart, document.activeElement.selectionEnd]"
    assert (focused(page), page.evaluate(caret)) == ("answer-1", [2, 4])
    held.let_go()
    saved_as(page, work, lambda found: len(found["pairs"][0]["answers"]) == 2)


def test_a_reply_to_a_pair_that_is_gone_is_left_out(page, work):
    held = Held(page, "**/draft/")
    write_two_pairs(page)
    held.wait(1)
    page.click("[aria-label='Delete pair 2']")
    held.let_go()
    held.wait(2)
    expect(page.locator("#pairs > li")).to_have_count(1)
    held.let_go()
    saved_as(page, work, lambda found: len(found["pairs"]) == 1)


def test_a_button_that_has_the_focus_is_not_pressed_by_a_save(page, work):
    page.fill("#question-1", FIRST)
    page.focus("[data-submit]")
    saved_as(page, work, lambda found: found["pairs"][0]["question"] == FIRST)
    page.fill("#question-2", SECOND)
    page.focus("[aria-label='Delete pair 1']")
    saved_as(page, work, lambda found: found["pairs"][1]["question"] == SECOND)
    assert len(draft(work)["pairs"]) == 2
    assert not Annotation.objects.exists()


def test_pressing_submit_twice_is_one_request(page, work):
    page.clock.install()
    write_two_pairs(page)
    saved_as(page, work, lambda found: found["pairs"][1]["answers"])
    held = Held(page, "**/submit/")
    page.click("[data-submit]")
    held.wait(1)
    page.click("[data-submit]")
    page.keyboard.press("Control+Enter")
    time_passes(page, 300)
    held.let_go()
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    assert len(held.bodies) == 1
    assert Annotation.objects.count() == 1


def test_submit_waits_for_the_save_before_it(page, work):
    page.clock.install()
    held, submitted = Held(page, "**/draft/"), []
    page.on("request", lambda each: "/submit/" in each.url and submitted.append(each))
    write_two_pairs(page)
    held.wait(1)
    page.click("[data-submit]")
    time_passes(page, 300)
    assert not submitted
    assert not Annotation.objects.exists()
    held.let_go()
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def test_what_is_missing_is_shown_with_the_focus_on_it(page, work):
    allow_problem(page, "status of 422")
    page.fill("#question-1", FIRST)
    page.click("[data-submit]")
    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#messages-answer-1")).to_contain_text("Error:")
    assert page.title().startswith("Error: ")
    expect(page.locator("#question-1")).to_have_value(FIRST)


def test_a_sign_of_life_after_signing_out_leads_nowhere(page, work):
    allow_problem(page, "status of 401")
    page.fill("#question-1", FIRST)
    saved(page)
    page.clock.install()
    page.context.clear_cookies(name="sessionid")
    with page.expect_response("**/touch/"):
        page.evaluate("htmx.trigger('.masthead', 'ambit:alive')")
    time_passes(page, 300)
    expect(page.locator("#question-1")).to_have_value(FIRST)


def test_what_the_faq_has_comes_while_the_reason_is_typed(page, work, world):
    faq_services.add_entry(
        project=world.project,
        question="Which tunnel is meant?",
        answer="The first.",
        by=world.people["researcher"],
        now=world.now,
    )
    page.click(".later [popovertarget=park]")
    page.locator("#park-reason").press_sequentially("Which tunnel?")
    expect(page.locator("#park-faq")).to_contain_text("Which tunnel is meant?")
    expect(page.locator("#announcer")).to_contain_text("The FAQ may have it.")
