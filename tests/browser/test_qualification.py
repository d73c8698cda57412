"""A qualification in a browser: saved while typing, checked in place, handed in."""

from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import QualificationAttempt, Qualified
from tests.annotation.qualifications.helpers import answer_to
from tests.browser.helpers import sign_in


def test_from_the_first_item_to_the_result(page, world):
    sign_in(page, world.people["annotator"])
    page.goto(reverse("attempt-item", args=[world.attempt.pk, 1]))
    page.fill("#question-1", "When did the Thames Tunnel open to walkers?")
    page.fill("#answer-1", "25 March 1843")
    page.keyboard.press("Enter")
    page.fill("#question-2", "When did the Thames Tunnel open to trains?")
    page.fill("#answer-2", "1870")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Not a match yet").first.wait_for()
    assert page.evaluate("document.activeElement.id") == "answer-2"  # nobody is torn away

    page.fill("#answer-2", "7 December 1869")
    page.get_by_text("You have changed it since").wait_for()  # saved by itself
    page.get_by_role("button", name="Check my response").click()
    page.get_by_role("heading", name="This passes").wait_for()
    hint = page.get_by_role("button", name="Show the hint")
    expect(hint).to_have_attribute("aria-disabled", "true")

    page.get_by_role("button", name="Next item").click()
    page.wait_for_url("**/2/")
    page.get_by_text("One clear answer").click()
    page.fill("#single-answer", "John Fowler")
    page.get_by_role("button", name="Item 3").click()
    page.wait_for_url("**/3/")
    assert answer_to(world.attempt, 2).draft["single"][0]["text"] == "John Fowler"
    page.get_by_text("Not found").click()
    page.fill("#none-reason", "No article names a prize.")
    page.get_by_role("button", name="Review and submit").first.click()
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_text("You have passed").wait_for()
    assert QualificationAttempt.objects.get(pk=world.attempt.pk).state == "passed"
    assert Qualified.objects.filter(user=world.people["annotator"]).exists()
