"""Judging evidence and a sample of made questions in a browser, by the keyboard alone."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from qampari.models import EvidenceOpinion, QuestionReview
from tests import factories
from tests.browser.helpers import arrived, becomes, sign_in
from tests.qampari import factories as lists
from tests.qampari.making.tried import make_sample


@pytest.fixture
def rosa(transactional_db):
    return factories.make_user(name="Rosa Reed")


def test_sentences_are_judged_and_questions_decided_by_keys(page, rosa):
    project = lists.make_project(slug="tried-lists")
    factories.make_member(project, "researcher", user=rosa)
    job = make_sample(project, rosa, timezone.now())
    sign_in(page, rosa)
    page.goto(reverse("job-detail", args=[project.slug, job.pk]))
    page.get_by_role("link", name="Judge the evidence").click()
    arrived(page, page.locator("#facts"))
    page.keyboard.press("1")
    expect(page.locator("#judged-near")).to_contain_text("1 of 1 show their answer")
    page.keyboard.press("2")  # the focus went on
    expect(page.locator("#judged-near")).to_contain_text("1 of 2 show their answer")
    for _ in range(4):  # over the links of two pages, back to the first, to change it
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("2")
    expect(page.locator("#judged-near")).to_contain_text("0 of 2 show their answer")
    becomes(
        page, lambda: list(EvidenceOpinion.objects.values_list("shows", flat=True)), [False] * 2
    )

    page.goto(reverse("question-sample", args=[project.slug, job.pk]))
    for number, key in ((1, "1"), (2, "3")):
        page.wait_for_url(f"**/sample/{number}/")
        arrived(page, page.locator("#review-form"))
        page.keyboard.press(key)
    page.wait_for_url("**/sample/3/")
    arrived(page, page.locator("#review-form"))
    page.keyboard.press("2")
    expect(page.get_by_label("Better words")).to_be_focused()
    page.keyboard.type("What is there across the River 3?")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/sample/4/")
    expect(page.get_by_text("3 of 20 judged")).to_be_visible()
    said = QuestionReview.objects.order_by("query").values_list("verdict", "text")
    assert list(said) == [
        ("good", ""), ("left_out", ""), ("wording", "What is there across the River 3?"),
    ]  # fmt: skip
