"""Judging in a browser: a whole study with the keyboard alone, marking words, going back."""

import itertools
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import StagePolicy
from evaluation.models import Judgment, Study
from evaluation.studies import services as studies_services
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.browser.helpers import allow_problem, arrived, check_axe, sign_in
from tests.evaluation import factories as rows
from tests.evaluation.judging.windows import judge, make_items, submit

SYSTEMS, QUESTIONS, RATERS = 6, 6, 2
NO_MOUSE = """
  for (const kind of ["mousedown", "pointerdown", "wheel", "touchstart"]) {
    addEventListener(kind, () => { throw new Error(`a mouse was used: ${kind}`); }, true);
  }
"""
IN_A_ROW = "() => document.activeElement?.dataset.digit && window.htmx"


@pytest.fixture
def study(transactional_db):
    """Six systems in three pairs for each of six questions, for two people each."""
    project = asqa.make_project()
    staff = factories.make_member(project, "researcher", name="Rosa Reed")
    systems = [rows.make_system(project, name) for name in "ABCDEF"]
    for _ in range(QUESTIONS):
        question = asqa.make_question(project)
        for system in systems:
            rows.make_output(system, question, f"{system.name} says 25 March 1843.")
    fields = {"size": QUESTIONS, "raters": RATERS, "repeats": 0, "pairing": "matching"}
    study = rows.make_study(project, systems, state="draft", **fields)
    studies_services.start_study(study=study, by=staff, now=timezone.now())
    StagePolicy.objects.filter(stage="comparison").update(minimum_seconds=0)
    return Study.objects.get()


def judge_all(page, study, name, typed):
    """Judge every item by digits and Ctrl+Enter alone; return what was typed, by assignment."""
    page.add_init_script(NO_MOUSE)
    sign_in(page, factories.make_member(study.project, "judge", name=name))
    page.goto("/")
    page.locator("button.primary").first.focus()
    page.keyboard.press("Enter")
    items = study.items.count()
    for number, digits in zip(range(1, items + 1), typed, strict=False):
        expect(page.get_by_text(f"Comparison {number} of {items}")).to_be_visible()
        page.wait_for_function(IN_A_ROW)
        for digit in digits:
            page.keyboard.press(digit)
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")
    expect(page.get_by_text("No other question is ready for you here.")).to_be_visible()


WORDS = {"1": "left", "2": "right", "3": "tie"}


def test_a_study_of_six_systems_by_keyboard_alone(study, new_page):
    """Two people, eighteen pairs each: four disambiguations to answer, three criteria."""
    typed = list(
        itertools.islice(itertools.product("12", "12", "12", "12", "123", "123", "123"), 0, 432, 11)
    )
    for n, name in enumerate(("Rita Rye", "Sam Sedge")):
        page = new_page()
        judge_all(page, study, name, typed[n * 18 :])
        page.close()
    rows_of = list(Judgment.objects.select_related("item", "submission").order_by("pk"))
    assert len(rows_of) == len({(row.item_id, row.judge_id) for row in rows_of}) == 36
    for row, digits in zip(rows_of, typed, strict=False):
        said = row.submission.response
        found = [mark["found"] for mark in (*said["left"], *said["right"])]
        assert found == ["yes" if digit == "1" else "no" for digit in digits[:4]]
        assert [choice["better"] for choice in said["choices"]] == [WORDS[d] for d in digits[4:]]
    for item in study.items.all():
        assert sorted(row.swapped for row in rows_of if row.item_id == item.pk) == [False, True]
    shown = [system for item in study.items.all() for system in (item.first_id, item.second_id)]
    assert sorted(shown.count(system.pk) for system in study.systems.all()) == [QUESTIONS] * SYSTEMS


def test_words_are_marked_in_the_text_and_one_goes_back(transactional_db, page):
    project = asqa.make_project()
    make_items(project, 3)
    window = submit(judge(project).take())
    window.take()
    sign_in(page, window.user)
    page.goto(window.url("page"))
    page.wait_for_function(IN_A_ROW)
    words = page.locator("#left-1-words")
    page.keyboard.press("m")
    expect(page.locator(".toast")).to_contain_text("Select words in the text above first.")
    select = """(words) => {
      const node = document.querySelector("#left-text").firstChild, at = node.data.indexOf(words);
      const heard = new Promise((done) =>
        document.addEventListener("selectionchange", () => done(), { once: true }));
      getSelection().setBaseAndExtent(node, at, node, at + words.length);
      return heard;  // the page learns of it later, by an event
    }"""
    page.evaluate(select, "25 march 1843")
    page.keyboard.press("m")
    expect(words).to_have_value("25 march 1843")
    page.get_by_role("button", name="Undo").click()
    expect(words).to_have_value("")
    page.get_by_role("button", name="Mark the selected words: disambiguation 1 in answer 1").click()
    expect(words).to_have_value("25 march 1843")

    # Words of the other text are refused, and one press removes them.
    allow_problem(page, "status of 422")
    words.fill("7 december 1869")
    page.locator("#left-1-first").focus()
    for digit in "1211321":
        page.keyboard.press(digit)
    expect(page.locator("[data-submit]")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("There is a problem")).to_be_visible()
    page.get_by_role("button", name="Remove the words").click()
    expect(words).to_have_value("")

    # Back to the one before; the pair in hand comes back after it.
    page.get_by_role("button", name="Change an earlier one").click()
    check_axe(page, label="the last judgments")
    with page.expect_navigation():  # the pair in hand has the same choice
        page.get_by_role("button", name="Change it").click()
    before = page.locator("[name=choice-0-better]:checked")
    arrived(page, before)
    expect(before).to_have_value("tie")
    page.locator("#choice-1-first").focus()
    page.keyboard.press("1")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(window.url("page")))
    expect(page.locator("[name=right-1-found]:checked")).to_have_value("yes")
    row = Judgment.objects.get()
    assert row.submission.response["choices"][0]["better"] == "left"


def test_digits_rest_where_single_keys_are_off(transactional_db, page):
    project = asqa.make_project()
    make_items(project, 1)
    window = judge(project).take()
    window.user.single_keys = False
    window.user.save()
    sign_in(page, window.user)
    page.goto(window.url("page"))
    page.locator("#left-1-first").focus()
    page.keyboard.press("1")
    expect(page.locator("[data-digits] :checked")).to_have_count(0)
    page.keyboard.press("Space")
    expect(page.locator("[data-digits] :checked")).to_have_count(1)


def test_both_answers_look_alike_and_the_last_choice_counts_at_once(transactional_db, page):
    project = asqa.make_project()
    make_items(project, 1)
    window = judge(project).take()
    sign_in(page, window.user)
    page.goto(window.url("page"))
    page.wait_for_function(IN_A_ROW)
    colours = """async (texts) => {
      await Promise.all(document.getAnimations().map((change) => change.finished));
      return [...new Set(texts.map((text) => getComputedStyle(text).color))];
    }"""
    assert len(page.locator(".rival > .material").evaluate_all(colours)) == 1
    page.evaluate("""() => {
      window.sent = 0;
      document.addEventListener("htmx:beforeRequest", () => { window.sent += 1; });
    }""")
    page.keyboard.press("1")
    assert page.evaluate("window.sent") == 1  # it does not wait for a pause, as typing does
    for digit in "211321":
        page.keyboard.press(digit)
    expect(page.locator("#todo")).to_have_text("Ready")
    expect(page.locator("#save-state")).to_contain_text("Saved")
