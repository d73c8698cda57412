"""A study is designed and started in the browser: the estimate follows, scripts or not."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import StagePolicy
from evaluation.models import Study
from tests import factories
from tests.browser.helpers import sign_in
from tests.evaluation import factories as evaluation


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


def test_the_estimate_follows_while_somebody_types(page, world, draft):
    open_draft(page, world, draft)
    line = page.locator("#estimate-line")
    assert line.inner_text().startswith("10 judgments, 0.5 h, 9 USD")
    page.get_by_label("Every two systems").check()
    page.get_by_text("30 judgments, 1.5 h, 27 USD").wait_for()
    size = page.get_by_label("Number of questions")
    size.fill("")
    page.get_by_text("once every field can be read").wait_for()
    size.press_sequentially("12")
    page.get_by_text("36 judgments, 1.8 h, 32 USD").wait_for()
    expect(size).to_be_focused()
    page.get_by_label("Fusion", exact=True).uncheck()
    page.get_by_text("2 chosen").wait_for()
    page.get_by_text("12 judgments, 0.6 h, 11 USD").wait_for()
    assert Study.objects.get(pk=draft.pk).pairing == "matching"  # nothing was saved
    page.get_by_role("button", name="Start the study").click()
    page.get_by_text("0 of 12 judgments").wait_for()
    assert Study.objects.get(pk=draft.pk).state == "running"


def test_a_study_is_designed_and_started_without_scripts(new_page, world, draft):
    page = new_page(java_script_enabled=False)
    open_draft(page, world, draft)
    page.get_by_label("Raters per item").fill("2")
    page.get_by_role("button", name="Estimate again").click()
    expect(page.locator("#estimate-line")).to_contain_text("20 judgments")
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
