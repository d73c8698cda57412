"""Natural Questions in a browser: three steps by keys alone, by mouse, and by touch."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment, Submission
from annotation.work import tasks
from natural_questions.annotation import PageSpan
from natural_questions.stage import annotation_in
from tests import factories
from tests.browser.helpers import becomes, check_axe, check_reflow, runs, sign_in
from tests.natural_questions.page import RECORD, SECRET, make_question
from tests.stages.examples import nq_project, nq_question
from tests.stages.suggested import SUGGESTING, show, uses
from tests.stages.window import Window

NO_MOUSE = """
  for (const kind of ["mousedown", "pointerdown", "wheel", "touchstart"]) {
    addEventListener(kind, () => { throw new Error(`a mouse was used: ${kind}`); }, true);
  }
"""


# A place in a box beside its radio button.
FAR = {"x": 220, "y": 16}


@pytest.fixture
def work(transactional_db, now):
    """A question in hand."""
    project = nq_project()
    nq_question(project, now)
    ann = factories.make_member(project, "annotator", name="Ann Ames")
    return Window(ann, project, "nq").take()


def begin(page, work, step="question"):
    sign_in(page, work.user)
    page.goto(work.url("page"))
    ready(page, step)


def ready(page, step):
    """Wait until the scripts of this step's page have run."""
    page.wait_for_function(f"() => document.documentElement.dataset.nq === '{step}' && window.htmx")


def judged(page):
    page.get_by_role("radio", name=re.compile("Good question")).check()
    page.get_by_role("button", name="Show the page").click()
    ready(page, "long")


def annotation():
    return annotation_in(Submission.objects.get().response)


def test_all_three_steps_by_keyboard_alone(page, work):
    page.add_init_script(NO_MOUSE)
    begin(page, work)
    assert SECRET not in page.content()
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name=re.compile("Good question"))).to_be_checked()
    page.keyboard.press("Control+Enter")
    ready(page, "long")
    expect(page.get_by_role("heading", name=f"{SECRET} Lighthouse")).to_be_visible()
    said = page.locator("#box-said")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("chosen paragraph")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("chosen table")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("chosen list")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("chosen item has 5 words")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("chosen list")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("chosen item")
    page.keyboard.press("Enter")
    ready(page, "short")
    words = page.get_by_role("listbox", name="Words of the box")
    expect(words).to_be_focused()
    assert SECRET not in page.content()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove Ida Brook")).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    becomes(page, Submission.objects.count, 1)
    made = annotation()
    assert (made.good, made.candidate, made.yes_no) == (True, 5, "NONE")
    assert set(made.seconds) == {"question", "long", "short"}
    [short] = made.short
    assert made.long.contains_span(short)
    assert isinstance(short, PageSpan)
    page.goto(work.url("page"))
    expect(page.get_by_text("First keeper: Ida Brook", exact=True)).to_be_visible()
    expect(page.get_by_text("Ida Brook", exact=True)).to_be_visible()


def test_digits_choose_what_is_wrong_with_a_bad_question(page, work):
    begin(page, work)
    opinion = page.get_by_role("radio", name="It asks for an opinion")
    page.keyboard.press("1")
    page.keyboard.press("6")
    expect(page.locator("#reason :checked")).to_have_count(0)
    page.keyboard.press("2")
    expect(opinion).to_be_visible()
    page.keyboard.press("6")
    expect(opinion).to_be_checked()
    page.keyboard.press("Control+Enter")
    becomes(page, Submission.objects.count, 1)
    assert annotation().reason == "opinion"


def test_a_mouse_chooses_boxes_and_words(page, work):
    begin(page, work)
    judged(page)
    page.locator("div[data-box]").first.click(position=FAR)
    expect(page.locator("#box-said")).to_contain_text("chosen paragraph")
    page.get_by_role("cell", name="20 miles").click()
    expect(page.locator("#box-said")).to_contain_text("chosen row")
    page.get_by_role("button", name="Wider").click()
    expect(page.locator("#box-said")).to_contain_text("chosen table")
    expect(page.locator("#nest li")).to_have_count(1)
    page.get_by_role("button", name="Next box").click()
    expect(page.locator("#box-said")).to_contain_text("chosen list")
    page.get_by_role("button", name="Narrower").click()
    page.get_by_role("button", name="Use this box").click()
    ready(page, "short")
    first, last = (page.locator(".word", has_text=word) for word in ("Ida", "Brook"))
    start, end = first.bounding_box(), last.bounding_box()
    page.mouse.move(start["x"] + 3, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()
    expect(page.get_by_role("radio", name="Words in the box")).to_be_checked()
    page.get_by_role("button", name="Remove Ida Brook").click()
    expect(page.locator("#places li")).to_have_count(0)
    page.get_by_role("radio", name="Yes").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    becomes(page, Submission.objects.count, 1)
    assert (annotation().yes_no, annotation().short) == ("YES", ())


def test_a_key_looks_for_no_more_on_a_long_page(page, now, transactional_db):
    project = nq_project()
    items = "".join(f"<p>Light {number} is lit.</p>" for number in range(300))
    question = make_question(project, RECORD | {"document_html": items})
    tasks.open_tasks(question_ids=[question.pk], now=now)
    ann = factories.make_member(project, "annotator", name="Ann Ames")
    begin(page, Window(ann, project, "nq").take())
    judged(page)
    page.evaluate("""() => {
      window.looked = 0;
      for (const name of ["querySelector", "querySelectorAll"]) {
        const before = Element.prototype[name];
        Element.prototype[name] = function (...words) {
          window.looked += 1;
          return before.apply(this, words);
        };
      }
    }""")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#box-said")).to_contain_text("chosen paragraph")
    assert page.evaluate("looked") < 100


def test_a_finger_chooses_boxes_and_words(new_page, work):
    page = new_page(has_touch=True, viewport={"width": 390, "height": 800})
    begin(page, work)
    judged(page)
    expect(page.locator("#read")).to_be_visible()
    expect(page.locator("#write")).to_be_hidden()
    page.locator("li[data-box]").first.tap(position=FAR)
    page.get_by_role("link", name="Answer", exact=True).tap()
    expect(page.locator("#box-said")).to_contain_text("chosen item")
    page.get_by_role("button", name="Use this box").tap()
    ready(page, "short")
    expect(page.get_by_label("Anything wrong with this task?")).to_be_visible()
    page.locator(".word", has_text="Brook").tap()
    expect(page.get_by_role("button", name="Remove Brook")).to_be_visible()
    page.get_by_role("button", name="Submit").tap()
    becomes(page, Submission.objects.count, 1)
    assert len(annotation().short) == 1


def test_no_box_and_a_bad_question_end_the_work(page, work):
    begin(page, work)
    judged(page)
    page.keyboard.press("n")
    expect(page.get_by_role("button", name="Submit")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    becomes(page, Submission.objects.count, 1)
    assert (annotation().good, bool(annotation().long)) == (True, False)


def test_a_reload_goes_on_and_another_window_is_told(page, new_page, work):
    begin(page, work)
    other = new_page()
    begin(other, work)
    judged(page)
    page.reload()
    ready(page, "long")
    other.get_by_role("radio", name=re.compile("Bad question")).check()
    other.get_by_role("radio", name="It asks for an opinion").check()
    with other.expect_navigation():
        other.get_by_role("button", name=re.compile("Submit|Show the page")).click()
    ready(other, "long")
    assert Assignment.objects.get().state == "active"
    assert Assignment.objects.get().steps["answers"]["good"] == "yes"


def test_another_box_is_chosen_by_keyboard_alone(page, work):
    page.add_init_script(NO_MOUSE)
    begin(page, work)
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name=re.compile("Good question"))).to_be_checked()
    page.keyboard.press("Control+Enter")
    ready(page, "long")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#box-said")).to_contain_text("chosen paragraph")
    page.keyboard.press("Enter")
    ready(page, "short")
    expect(page.get_by_role("listbox", name="Words of the box")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove The")).to_be_visible()
    page.get_by_role("listbox", name="Words of the box").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Choose another box")).to_be_focused()
    page.keyboard.press("Enter")
    ready(page, "long")
    expect(page.locator("#box-said")).to_contain_text("chosen paragraph")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#box-said")).to_contain_text("chosen table")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#box-said")).to_contain_text("chosen list")
    page.keyboard.press("Enter")
    ready(page, "short")
    expect(page.get_by_text("The new box does not hold “The”.")).to_be_visible()
    check_axe(page, label="dropped")
    expect(page.locator("#places li")).to_have_count(0)
    expect(page.get_by_role("listbox", name="Words of the box")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove First")).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    becomes(page, Submission.objects.count, 1)
    [short] = annotation().short
    assert annotation().long.contains_span(short)


def test_a_window_left_open_is_told_that_another_went_back(page, new_page, work):
    begin(page, work)
    judged(page)
    page.locator("div[data-box]").first.click(position=FAR)
    page.get_by_role("button", name="Use this box").click()
    ready(page, "short")
    other = new_page()
    begin(other, work, "short")
    page.get_by_role("button", name="Back", exact=True).click()
    ready(page, "long")
    with other.expect_navigation():
        other.get_by_role("button", name="Submit").click()
    ready(other, "long")
    expect(other.get_by_text("You are at “The long answer” now.")).to_be_visible()
    assert Submission.objects.count() == 0


def test_all_three_steps_without_scripts(new_page, work):
    page = new_page(java_script_enabled=False)
    sign_in(page, work.user)
    page.goto(work.url("page"))
    page.get_by_role("radio", name=re.compile("Good question")).check()
    page.get_by_role("button", name="Show the page").click()
    page.get_by_role("radio", name=re.compile("^paragraph")).first.check()
    page.get_by_role("button", name="Use this box").click()
    page.get_by_role("button", name="Choose another box").click()
    page.get_by_role("radio", name=re.compile("^item.*First keeper")).check()
    page.get_by_role("button", name="Use this box").click()
    for word in ("Ida", "Brook"):
        page.get_by_role("checkbox", name=word).check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Submitted.")).to_be_visible()
    [short] = annotation().short
    assert short.end_token - short.start_token == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_step(page, work, theme):
    page.emulate_media(color_scheme=theme)
    begin(page, work)
    judged(page)
    page.locator("li[data-box]").first.click(position=FAR)
    expect(page.locator("#box-said")).to_contain_text("chosen item")
    check_axe(page, label="long")
    check_reflow(page)
    page.get_by_role("button", name="Use this box").click()
    ready(page, "short")
    page.keyboard.press("Enter")
    expect(page.locator("#places li")).to_have_count(1)
    check_axe(page, label="short")
    check_reflow(page)


def test_a_suggested_box_is_chosen_by_keys(page, transactional_db, now):
    project = nq_project()
    nq_question(project, now, "train")
    work = Window(
        factories.make_member(project, "annotator", name="Ann Ames"), project, "nq"
    ).take()
    show(work.assignment, *SUGGESTING["nq"].offers, now=now)
    begin(page, work)
    judged(page)
    runs(page, "annotation/suggestions/suggestions.js")
    panel = page.locator("#suggestions")
    expect(panel).to_contain_text("open after your first choice")
    page.keyboard.press("ArrowDown")
    expect(panel).to_contain_text("2 from Reader 8B: 2 to look at")
    page.keyboard.press("t")
    expect(page.locator(".offered-box")).to_have_attribute("data-box", "30-50")
    page.keyboard.press("a")
    expect(page.get_by_role("radio", name=re.compile("^table"))).to_be_checked()
    expect(page.locator("#announcer")).to_contain_text("The table is your long answer now.")
    expect(page.locator("#box-origin")).to_contain_text("as it was suggested")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#box-origin")).to_contain_text("edited by you")
    page.keyboard.press("t")
    page.keyboard.press("d")
    expect(panel).to_contain_text("1 used, 1 dismissed")
    check_axe(page)
    page.keyboard.press("Control+Enter")
    ready(page, "short")
    assert uses(work.assignment) == ["edited", "dismissed"]
