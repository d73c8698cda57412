"""A study is designed and started in the browser: the estimate follows, scripts or not."""

import time

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import StagePolicy
from evaluation.models import Study
from tests import factories
from tests.browser.helpers import forget_complaints, sign_in
from tests.evaluation import factories as evaluation
from tests.evaluation.factories import CRITERIA


@pytest.fixture
def draft(world):
    """A draft of three systems that have answered twelve questions, with pay and three judges."""
    systems = [evaluation.make_system(world.project, name) for name in ("Human", "Fusion", "Long")]
    for _ in range(12):
        question = factories.make_question(world.project)
        for system in systems:
            evaluation.make_output(system, question)
    for name in ("Jude Judd", "Jill Jones"):
        factories.make_member(world.project, "judge", name=name)
    StagePolicy.objects.update_or_create(
        project=world.project,
        stage="comparison",
        split="dev",
        defaults={"pay": "18.00", "pay_basis": "hour"},
    )
    fields = {"size": 10, "accuracy": False, "repeats": 0}
    return evaluation.make_study(world.project, systems, state="draft", **fields)


def open_draft(page, world, draft):
    sign_in(page, world.people["researcher"])
    page.goto(reverse("study-view", args=[world.slug, draft.pk]))


def test_a_new_study_is_proposed_tried_saved_and_started(page, world, draft):
    """From the page that saves nothing to the running study, by mouse and keys."""
    Study.objects.filter(state="draft").delete()
    before = Study.objects.count()
    sign_in(page, world.people["researcher"])
    page.goto(reverse("study-new", args=[world.slug]))
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()
    page.get_by_role("button", name="Try it as a rater").click()
    expect(page.get_by_text("Nothing here is counted or kept.")).to_be_visible()
    for number in range(1, 4):
        page.wait_for_url(f"**/try/{number}/")
        for _ in CRITERIA:
            page.keyboard.press("1")
        expect(page.locator("#todo")).to_contain_text("Ready")
        page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Rehearsal of Study")).to_be_visible()
    page.get_by_role("button", name="Back to the design").click()
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()
    assert Study.objects.count() == before
    raters = page.get_by_label("Raters per item")
    raters.fill("9")
    expect(page.locator("#save-state")).to_contain_text("Draft saved")
    study = Study.objects.latest("pk")
    page.wait_for_url(f"**{reverse('study-view', args=[world.slug, study.pk])}")
    expect(raters).to_be_focused()
    expect(page.locator("#why-not")).to_contain_text("Needs 9 raters, 3 can work.")
    raters.fill("2")
    expect(page.locator("#why-not")).to_have_count(0)
    page.get_by_role("button", name="Start the study").click()
    page.get_by_text("judgments, 0 %").wait_for()
    study.refresh_from_db()
    assert study.state == "running"


def test_a_press_right_after_a_change_is_followed_by_no_save(page, world, draft):
    """A save after the start would be refused, since what people judge does not change."""
    sent = []

    def hold_presses(route):
        sent.append("save" if "hx-request" in route.request.headers else "press")
        if sent[-1] == "press":
            time.sleep(1)  # longer than a change waits for the next one
        route.continue_()

    open_draft(page, world, draft)
    page.route(f"**{reverse('study-view', args=[world.slug, draft.pk])}", hold_presses)
    page.get_by_label("Raters per item").fill("2")
    page.get_by_role("button", name="Start the study").click()
    page.get_by_text("judgments, 0 %").wait_for()
    draft.refresh_from_db()
    assert (draft.state, draft.raters) == ("running", 2)
    assert "save" not in sent


def test_a_save_that_fails_is_told(page, world, draft):
    open_draft(page, world, draft)
    page.context.set_offline(True)
    page.get_by_label("Raters per item").fill("2")
    expect(page.locator("#save-state")).to_contain_text("Not saved: there is no connection.")
    page.context.set_offline(False)
    page.get_by_label("Number of questions").fill("8")
    expect(page.locator("#save-state")).to_contain_text("Draft saved")
    draft.refresh_from_db()
    assert (draft.size, draft.raters) == (8, 2)
    forget_complaints(page)


def test_a_deleted_draft_comes_back_by_undo(page, world, draft):
    open_draft(page, world, draft)
    page.get_by_role("button", name="Delete the draft").click()
    expect(page.get_by_text(f"Draft of {draft.title} deleted")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name=f"{draft.title}, draft")).to_be_visible()


def test_the_estimate_follows_while_somebody_types(page, world, draft):
    open_draft(page, world, draft)
    estimate = page.locator("#estimate")
    expect(estimate).to_contain_text("9 USD")
    page.get_by_label("Every two systems").check()
    expect(estimate).to_contain_text("27 USD")
    size = page.get_by_label("Number of questions")
    size.fill("")
    expect(estimate).to_contain_text("once every field can be read")
    expect(page.locator("#save-state")).to_contain_text("Not saved.")
    size.press_sequentially("12")
    expect(estimate).to_contain_text("32 USD")
    expect(size).to_be_focused()
    page.get_by_label("Fusion", exact=True).uncheck()
    page.get_by_text("2 chosen").wait_for()
    expect(estimate).to_contain_text("11 USD")
    expect(page.locator("#save-state")).to_contain_text("Draft saved")
    saved = Study.objects.get(pk=draft.pk)
    assert (saved.pairing, saved.size, saved.systems.count()) == ("all", 12, 2)


def test_a_study_is_designed_and_started_without_scripts(new_page, world, draft):
    page = new_page(java_script_enabled=False)
    open_draft(page, world, draft)
    page.get_by_label("Raters per item").fill("2")
    page.get_by_role("button", name="Save draft").last.click()
    expect(page.locator("#estimate")).to_contain_text("20")
    page.get_by_text("Name, what raters are asked").click()
    page.get_by_role("button", name="Remove Fluency").click()
    page.get_by_role("button", name="Add a criterion").click()
    page.get_by_label("Name", exact=True).last.fill("Tone")
    page.get_by_label("Wording").last.fill("Which answer is kinder?")
    page.get_by_label("Number of questions").fill("11")
    page.get_by_label("Number of questions").press("Enter")  # saves
    page.get_by_text("Draft saved.").wait_for()
    page.get_by_role("button", name="Start the study").click()
    page.get_by_text("0 of 22 judgments").wait_for()
    study = Study.objects.get(pk=draft.pk)
    assert [row["label"] for row in study.criteria] == ["Comprehensiveness", "Overall", "Tone"]
