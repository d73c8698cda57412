"""One request a question: the next page comes with the answer, and the browser takes it."""

from playwright.sync_api import expect

from annotation.models import Assignment
from tests.browser.helpers import becomes, sign_in
from tests.browser.work.conftest import FIRST, address, write_two_pairs

READY = "navigator.serviceWorker.controller !== null"
KEEP = """address => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => done(data);
  const page = { address, html: "<p>Old</p>", headers: [["content-type", "text/html"]] };
  navigator.serviceWorker.controller.postMessage(page, [port2]);
})"""


def is_page(response):
    return response.request.is_navigation_request()


def test_the_next_page_is_not_asked_for_again(page, work, world):
    becomes(page, lambda: page.evaluate(READY), True)
    write_two_pairs(page)
    with page.expect_response(is_page) as moved:
        page.keyboard.press("Control+Enter")
    following = Assignment.objects.get(user=work.user, project=work.project, state="active")
    assert moved.value.from_service_worker
    policy = moved.value.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    page.wait_for_url(f"**{address(following)}")
    expect(page.locator("#messages")).to_contain_text("Here is the next question")
    # It is a page like any: its scripts run, it is saved, and a reload asks the server.
    write_two_pairs(page)
    expect(page.locator("#save-state")).to_contain_text("Saved")
    assert not page.reload().from_service_worker
    expect(page.locator("#question-1")).to_have_value(FIRST)
    page.go_back()
    page.wait_for_url(f"**{address(work)}")


def test_without_a_worker_the_browser_asks_as_before(new_page, work, world):
    page = new_page(service_workers="block")
    sign_in(page, world.people["annotator"])
    page.goto(address(work))
    write_two_pairs(page)
    with page.expect_response(is_page) as moved:
        page.keyboard.press("Control+Enter")
    assert not moved.value.from_service_worker
    expect(page.locator("#messages")).to_contain_text("Here is the next question")


def test_a_page_that_nobody_took_is_not_kept(page, work, world):
    """An address that is opened later shows what the server has then."""
    becomes(page, lambda: page.evaluate(READY), True)
    kept = page.evaluate(KEEP, address(work))
    assert kept == "kept"
    page.wait_for_timeout(5_500)
    assert not page.goto(address(work)).from_service_worker
