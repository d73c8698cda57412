"""One full answer without a mouse: take a question, search, read, select, write, hand in."""

import json
import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests import archives, factories
from tests.browser.helpers import sign_in
from tests.browser.job_script import GEORGIA
from tests.browser.job_steps import find_archive

# Where a page changes under a mouse that rests, the browser says that it moved, by nothing.
NO_MOUSE = """
  for (const kind of ["mousedown", "mouseup", "mousemove", "pointerdown", "pointermove", "wheel",
                      "touchstart"]) {
    addEventListener(kind, (event) => {
      const rests = kind.endsWith("move") && !event.movementX && !event.movementY;
      if (!rests) sessionStorage.setItem("mouse", kind);
    }, { capture: true });
  }
"""


@pytest.fixture
def work(realdata, transactional_db, settings, tmp_path, new_page):
    """A signed-in annotator on My work, with one question waiting."""
    archive = find_archive(realdata)
    archives.index(tmp_path, archive, "ray")
    snapshot = archives.use(settings, tmp_path, archive, "ray")
    project = factories.make_project(snapshot=snapshot)
    question = factories.make_question(project, text="who wrote georgia on my mind")
    factories.make_task(project, question)
    page = new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(NO_MOUSE)
    sign_in(page, factories.make_member(project, "annotator", name="Kay Keys"))
    page.goto("/")
    return SimpleNamespace(page=page, question=question)


def tab_to(page, wanted, most=60):
    """Press Tab until the focused element fits."""
    for _ in range(most):
        if page.evaluate(f"document.activeElement.matches({json.dumps(wanted)})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} cannot be reached with Tab")


def announced(page, text):
    page.locator("#announcer", has_text=text).wait_for()


def test_one_full_answer_by_keyboard_alone(work):
    page = work.page
    press, write = page.keyboard.press, page.keyboard.type
    tab_to(page, "button.primary")
    press("Enter")
    page.wait_for_url("**/work/*/")
    press("/")
    write("who wrote georgia on my mind")
    press("Enter")
    page.locator("#results .result").first.wait_for()
    press("Tab")
    press("Enter")
    expect(page.locator("#article-title")).to_have_text(GEORGIA)
    page.locator("#selection-bar[data-ready]").wait_for(state="attached")
    press("f")
    write("1930 by Hoagy")
    expect(page.locator("#find-count")).to_have_text("1 of 1")
    press("Escape")
    announced(page, "1930 by Hoagy")
    press("ArrowRight")
    press("Shift+ArrowRight")
    announced(page, re.compile("^Hoagy Carmichael$"))
    press("a")
    press("1")
    chips = page.locator("#pairs .chip > span")
    expect(chips).to_have_text(["Hoagy Carmichael"])
    press("f")
    write("Stuart Gorrell")
    press("Escape")
    announced(page, "Stuart Gorrell")
    press("a")
    press("2")
    expect(chips).to_have_text(["Hoagy Carmichael", "Stuart Gorrell"])
    press("F6")
    tab_to(page, "#question-1")
    write("Who wrote the music of georgia on my mind?")
    press("Enter")
    write("Carmichael")
    press("Enter")
    press("Enter")
    write("Who wrote the words of georgia on my mind?")
    expect(page.locator("#todo")).to_contain_text("Ready")
    press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    annotation = Annotation.objects.get(question=work.question)
    assert [
        (pair.question, [(form.text, form.quote is not None) for form in pair.answers.all()])
        for pair in annotation.pairs.all()
    ] == [
        (
            "Who wrote the music of georgia on my mind?",
            [("Hoagy Carmichael", True), ("Carmichael", False)],
        ),
        ("Who wrote the words of georgia on my mind?", [("Stuart Gorrell", True)]),
    ]
    assert page.evaluate("sessionStorage.getItem('mouse')") is None
