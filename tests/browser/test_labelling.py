"""Labelling in a browser: items by digits, and words highlighted by keyboard and by mouse."""

import pytest
from playwright.sync_api import expect

from evaluation.models import Labelling
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.browser.helpers import arrived, sign_in
from tests.evaluation import factories as made

ITEMS = 5
TEXT = "It opened 🌉 in 1843. It opened in 1843."


@pytest.fixture
def rosa(transactional_db):
    return factories.make_user(name="Rosa Reed")


def test_a_digit_labels_an_item_and_brings_the_next(page, rosa):
    project = factories.make_project()
    factories.make_member(project, "researcher", user=rosa)
    system = made.make_system(project, "SpanSeqGen")
    sample = made.make_label_sample(project, "predictions", 2, system=system)
    for _ in range(ITEMS):
        question = factories.make_question(project)
        made.make_output(system, question)
        made.make_label_item(sample, question)
    sign_in(page, rosa)
    page.goto(sample.items.get(position=1).get_absolute_url())
    for number in range(1, ITEMS + 1):
        page.wait_for_url(f"**/{sample.pk}/{number}/")
        arrived(page, page.locator("#labels-form"))
        page.keyboard.press("6")
    page.wait_for_url(f"**/labels/{sample.pk}/")
    assert list(Labelling.objects.values_list("categories", flat=True)) == [["one-wrong"]] * ITEMS


def test_words_are_highlighted_by_keyboard_and_by_mouse(page, rosa):
    project = asqa.make_project()
    factories.make_member(project, "researcher", user=rosa)
    question = asqa.make_question(project)
    system = made.make_system(project, "T5")
    made.make_output(system, question, TEXT)
    sample = made.make_label_sample(project, "long-errors", 2, system=system)
    item = made.make_label_item(sample, question)
    sign_in(page, rosa)
    page.goto(item.get_absolute_url())
    arrived(page, page.locator("#labels-form"))
    answer = page.locator("#answer-text")
    answer.focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "1"):
        page.keyboard.press(key)
    lines = page.locator("#highlights li")
    expect(lines).to_have_count(1)
    expect(page.get_by_role("checkbox", name="Hallucination")).to_be_checked()
    # By mouse: words are selected, then the category is pressed.
    answer.evaluate(
        """(answer) => {
          const last = answer.lastChild, at = last.textContent.lastIndexOf("It opened");
          getSelection().setBaseAndExtent(last, at, last, last.textContent.length);
        }"""
    )
    page.locator("label.choice", has_text="Repetition").click()
    expect(lines).to_have_count(2)
    expect(answer).to_have_text(TEXT)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/labels/{sample.pk}/")
    [row] = Labelling.objects.all()
    assert row.categories == ["hallucination", "repetition"]
    assert [(span["start"], span["quote"]) for span in row.spans] == [
        (3, "opened 🌉"),
        (21, "It opened in 1843."),
    ]
