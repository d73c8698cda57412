"""Concerns in a real browser: raised over a half-written text, decided, read; without scripts."""

from django.urls import reverse
from playwright.sync_api import expect

from annotation.long_answers.concerns import services as concerns_services
from annotation.models import Concern
from tests.browser.helpers import check_axe, check_reflow, settle, sign_in

HALF = "The tunnel opened twice. Walkers paid a penny from 25 March 1843."
REASON = "The article says that trains ran from 1865."


def free(world):
    """Withdraw the concern of tests.world: the test raises its own."""
    concerns_services.withdraw_concern(
        concern=world.long.concern, by=world.people["annotator"], now=world.now
    )


def test_raised_over_a_half_written_text_decided_and_read(page, new_page, world):
    free(world)
    work = reverse("work-page", args=[world.long.assignment.pk])
    sign_in(page, world.people["annotator"])
    page.goto(work)
    page.get_by_label("Long answer", exact=True).fill(HALF)
    page.get_by_role("button", name="Raise a concern").first.click()
    asked = page.locator("#concern")
    expect(asked.get_by_role("heading", name="Raise a concern")).to_be_visible()
    expect(asked).to_contain_text("No one else gets this question until the team has decided.")
    check_axe(page, context="#concern")
    asked.get_by_label("When did the Thames Tunnel open to trains?").check()
    asked.get_by_label("What is wrong?").fill(REASON)
    asked.get_by_role("button", name="Raise the concern").click()
    expect(page.get_by_text("Concern sent.")).to_be_visible()
    expect(page.get_by_label("Long answer", exact=True)).to_have_value(HALF)
    settle()
    concern = Concern.objects.get(state="open", author=world.people["annotator"])
    assert (concern.disambiguations, concern.reason) == ([1], REASON)

    staff = new_page()
    sign_in(staff, world.people["admin"])
    staff.goto(reverse("concern-list", args=[world.long.slug]))
    item = staff.locator(f"#concern-{concern.pk}")
    expect(item).to_contain_text(REASON)
    expect(item.locator(".doubted")).to_have_count(1)
    item.get_by_role("button", name="Exclude the question").click()  # no reason yet: the field asks
    expect(item.get_by_role("textbox")).to_be_focused()
    item.get_by_role("textbox").fill("One opening in the article.")
    item.get_by_role("button", name="Exclude the question").click()
    expect(staff.get_by_text("Excluded from the release.")).to_be_visible()
    check_reflow(staff)

    page.goto(work)
    expect(page.get_by_text("Excluded after a concern:")).to_be_visible()
    page.goto(reverse("home"))
    told = page.get_by_role("region", name="News")
    expect(told).to_contain_text("Your concern: question excluded")
    with page.expect_response(lambda answer: answer.url.endswith("/concern/read/")):
        told.get_by_role("link").first.click()
    page.goto(reverse("home"))
    expect(page.get_by_text("Your concern:")).to_have_count(0)
    concern.refresh_from_db()
    assert concern.read_at is not None


def test_without_scripts(new_page, world):
    free(world)
    turn = world.long.assignment
    page = new_page(java_script_enabled=False)
    sign_in(page, world.people["annotator"])
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_role("button", name="Raise a concern").first.click()
    asked = page.locator("#concern")
    asked.get_by_label("What is wrong?").fill(REASON)
    asked.get_by_role("button", name="Raise the concern").click()
    expect(page.get_by_text("Concern sent.")).to_be_visible()
    concern = Concern.objects.get(state="open", author=world.people["annotator"])
    assert concern.disambiguations == []
    concerns_services.decide_concern(
        concern=concern,
        state="dismissed",
        note="Both stand in it.",
        by=world.people["admin"],
        now=world.now,
    )
    page.goto(reverse("work-concern", args=[turn.pk]))
    expect(page.get_by_text("Both stand in it.")).to_be_visible()
    page.get_by_role("button", name="I have read this").click()
    expect(page.get_by_role("heading", name="News")).to_be_visible()  # of the other project
    expect(page.get_by_text("Your concern:")).to_have_count(0)
    concern.refresh_from_db()
    assert concern.read_at is not None
