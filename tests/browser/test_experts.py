"""Two experts judge an answer alone, without a mouse, and then agree on a verdict."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from evaluation.models import Consensus, Judgment
from tests import factories
from tests.browser.helpers import sign_in
from tests.evaluation.consensus import experts


@pytest.fixture
def item(transactional_db):
    project = factories.make_project(slug="crossings")
    [item] = experts.make_items(project, [factories.make_question(project)])
    return item


def judge(page, user, verdict, why):
    sign_in(page, user)
    page.goto("/")
    page.get_by_role("button", name="Take the next question").press("Enter")
    page.wait_for_url("**/work/*/**")
    radio = page.get_by_role("radio", name=verdict, exact=True)
    radio.focus()
    radio.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Why?")).to_be_focused()
    page.keyboard.type(why)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("/")


def test_two_experts_differ_and_agree(page, new_page, item):
    project = item.study.project
    eve = factories.make_member(project, "expert", name="Eve Elder")
    fay = factories.make_member(project, "expert", name="Fay Frost")
    judge(page, eve, "Correct", "Both dates are in the article.")
    panel = reverse("consensus-list", args=["crossings"])
    page.goto(panel)
    expect(page.get_by_text("Nothing waits for a consensus")).to_be_visible()
    judge(new_page(), fay, "Wrong", "It leaves out the years between.")
    assert Judgment.objects.count() == 2

    page.goto(reverse("project-overview", args=["crossings"]))
    page.get_by_role("link", name="Consensus").press("Enter")
    page.get_by_role("link", name=item.question.prompt).press("Enter")
    expect(page.get_by_text("It leaves out the years between.")).to_be_visible()
    expect(page.get_by_text("Fay Frost")).to_have_count(0)
    page.get_by_role("radio", name="Correct, but debatable").press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("True, and the years between are not asked for.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The consensus is saved.")).to_be_visible()
    assert Consensus.objects.get(item=item).verdict == "debatable"
