"""A submission is changed in a browser: it stays valid until the change is submitted."""

from playwright.sync_api import expect

from annotation.models import QAPair, SubmissionChange
from tests.browser.helpers import arrived, becomes
from tests.browser.pages.claims import waiting
from tests.browser.work.conftest import draft

NEW = "When did the tunnel open to people on foot?"


def questions():
    return list(QAPair.objects.order_by("position").values_list("question", flat=True))


def test_it_is_changed_on_the_form_or_left_as_it_was(page, work, world):
    work.draft = {"kind": "multiple", "pairs": draft_of_pairs()}
    work.save()
    waiting(page, world)
    before = questions()
    page.get_by_role("button", name="Change it").click()
    arrived(page, page.get_by_text("Yours to change until"))
    expect(page.locator(".later [popovertarget=park]")).to_have_count(0)
    page.fill("#question-1", NEW)
    becomes(page, lambda: SubmissionChange.objects.get().draft["pairs"][0]["question"], NEW)
    assert questions() == before
    assert draft(work)["pairs"][0]["question"] == before[0]
    page.locator(".prompt").get_by_role("button", name="Leave it as it was").click()
    arrived(page, page.get_by_text("Nothing was changed"))
    expect(page.get_by_role("heading", name="Your change is not submitted")).to_be_visible()
    page.locator("main section.banner").get_by_role("button", name="Discard").click()
    arrived(page, page.get_by_text("You can change this until"))
    becomes(page, SubmissionChange.objects.exists, False)
    assert questions() == before


def draft_of_pairs():
    texts = (("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
    return [
        {"question": text, "answers": [{"text": answer, "quote": None}]} for text, answer in texts
    ]
