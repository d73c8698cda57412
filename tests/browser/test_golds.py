"""Gold items in a browser: staff mix them in, a careless person is paused, staff resume them."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import GoldPlan, GoldVerdict, Membership
from tests import factories
from tests.annotation.golds import checks
from tests.browser.helpers import arrived, becomes, sign_in


@pytest.fixture
def crossings(transactional_db):
    """A project with open tasks; Rosa runs it and Wanda works in it."""
    with checks.registered():
        project = checks.make(12, slug="crossings")
        project.rosa = factories.make_member(project, "researcher", name="Rosa Reed")
        project.wanda = factories.make_member(project, "annotator", name="Wanda Wren")
        yield project


def mix_in_half(page):
    expect(page.get_by_text("No gold items yet")).to_be_visible()
    page.get_by_label("Gold items (% of the work)").fill("50")
    page.get_by_label("Gold items seen at least").fill("2")
    page.get_by_label("Missed at least (number)").fill("2")
    page.get_by_role("button", name="Save").click()
    arrived(page, page.get_by_text("The settings of gold items are saved."))


def test_from_the_rate_to_a_pause_and_back(page, crossings):
    sign_in(page, crossings.rosa)
    page.goto(reverse("project-overview", args=["crossings"]))
    page.get_by_role("link", name="Quality", exact=True).click()
    page.get_by_role("link", name="Gold items").click()
    mix_in_half(page)
    becomes(page, lambda: GoldPlan.objects.values_list("rate", flat=True).first(), 50)
    expect(page.get_by_text("From now on 50 %.")).to_be_visible()
    expect(page.get_by_role("heading", name="How soon careless people are found")).to_be_visible()

    for _ in range(2):
        checks.submit(checks.take_gold(crossings.wanda, crossings), "yes")
    page.reload()
    row = page.get_by_role("row", name="Wanda Wren")
    expect(row.get_by_text("Paused")).to_be_visible()
    row.get_by_role("link", name="See the 2 that Wanda Wren missed").click()
    expect(page.get_by_role("heading", name="Missed by Wanda Wren")).to_be_visible()
    row.get_by_role("button", name="Resume Wanda Wren").click()
    expect(page.get_by_text("Wanda Wren can get new work again.")).to_be_visible()
    paused = Membership.objects.filter(user=crossings.wanda, paused_at__isnull=False)
    becomes(page, paused.exists, False)
    expect(row.get_by_role("button", name="Pause Wanda Wren")).to_be_visible()
    expect(page.get_by_text("resumed the work of Wanda Wren")).to_be_visible()
    page.get_by_role("button", name="Retire").first.click()
    expect(page.get_by_text("counts for no one")).to_be_visible()
    expect(page.get_by_role("row", name="Wanda Wren").get_by_role("cell").nth(0)).to_have_text("1")


def test_a_gold_item_looks_like_other_work(page, crossings):
    checks.plan(crossings, rate=50)
    work = checks.take_gold(crossings.wanda, crossings)
    sign_in(page, crossings.wanda)
    page.goto(reverse("work-page", args=[work.pk]))
    page.get_by_label("Yes: it can be understood in several ways").check()
    page.get_by_label("Why?").fill("It could mean a bridge or a ferry.")
    assert "gold" not in page.content().lower()
    page.get_by_role("button", name="Submit").first.click()
    becomes(page, lambda: GoldVerdict.objects.filter(missed=True).count(), 1)
    assert "gold" not in page.locator("main").inner_text().lower()
