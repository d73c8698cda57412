"""A model's verdict in a browser: after the first own one, taken by a press, by keys, or not."""

from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import StagePolicy, Submission, SuggestionUse
from tests import factories
from tests.browser.helpers import arrived, becomes, check_axe, check_reflow, runs, sign_in
from tests.qampari import factories as lists


def uses():
    return list(SuggestionUse.objects.order_by("pk").values_list("before", "fate"))


def test_from_the_first_own_verdict_to_the_models(page, transactional_db):
    project = lists.make_project(slug="verdicts", least_answers=1)
    lists.make_question(project, timezone.now(), answers=("Kelso", "Leeds"))
    call_command("suggest", project.slug, system="words-in-evidence", json=True)
    StagePolicy.objects.filter(stage="qampari-check").update(
        suggestions="Words in one sentence (no model)"
    )
    sign_in(page, factories.make_member(project, "annotator", name="Anna Ash"))
    page.goto("/")
    page.get_by_role("button", name="Take the next question").press("Enter")
    arrived(page, page.locator("#verdict-first"))
    runs(page, "annotation/suggestions/suggestions.js")
    panel = page.locator("#suggestions")
    expect(panel).to_contain_text("opens after your first verdict")

    page.keyboard.press("2")
    expect(panel).to_contain_text("Change to “Correct”")
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    check_axe(page)
    page.get_by_role("button", name="Keep mine").click()
    expect(panel).to_contain_text("You keep yours")
    becomes(page, uses, [("doubtful", "dismissed")])

    page.get_by_role("button", name="Change to “Correct”").click()
    expect(page.get_by_role("radio").nth(0)).to_be_checked()
    expect(panel).to_contain_text("You changed to it")
    becomes(page, uses, [("doubtful", "accepted")])
    check_axe(page)
    for width in (900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        check_reflow(page)
    # A digit still chooses on the row that was put in anew.
    page.locator("h1").click()
    page.keyboard.press("3")
    expect(page.get_by_role("radio").nth(2)).to_be_checked()
    becomes(page, uses, [("doubtful", "")])
    page.locator("[data-submit]").click()
    becomes(
        page, lambda: [row.response["verdict"] for row in Submission.objects.all()], ["unclear"]
    )
