"""The list of results as people see it: whole titles, other names, did you mean."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Event
from tests import archives
from tests.browser.helpers import check_axe, check_reflow, sign_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("search-list")
    archives.make_demo(made)
    return made


@pytest.fixture
def work(world, page, settings, folder):
    settings.AMBIT_DATA = folder
    archives.forget_providers()
    type(world.snapshot).objects.filter(pk=world.snapshot.pk).update(
        name="demo", archive=str(folder / "demo.zim")
    )
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{world.assignment.pk}/")
    return page


def search(page, words):
    page.fill("#query", words)
    page.press("#query", "Enter")
    page.locator(f'#results[data-query="{words}"]').wait_for()


def test_a_slip_is_put_right_by_keyboard_and_the_title_comes_first(work, world):
    search(work, "thames tunel")
    work.locator("#announcer", has_text="Did you mean thames tunnel?").wait_for()
    suggestion = work.get_by_role("link", name="thames tunnel", exact=True)
    assert work.locator("#results").get_by_text("Did you mean").is_visible()
    suggestion.focus()
    work.keyboard.press("Enter")
    work.locator('#results[data-query="thames tunnel"]').wait_for()
    assert work.input_value("#query") == "thames tunnel"
    first = work.locator("#results .result").first
    assert first.locator("a").inner_text() == "Thames Tunnel"
    assert first.get_by_text("Exact title").is_visible()
    queries = [e.data["query"] for e in Event.objects.filter(kind="search").order_by("id")]
    assert queries == ["thames tunel", "thames tunnel"]


@pytest.mark.parametrize("words", ["thames tunel", "thames tunnel", "brigde", "xyzzyplugh"])
def test_axe_and_narrow_screens(work, words):
    search(work, words)
    for theme in ("light", "dark"):
        work.emulate_media(color_scheme=theme)
        check_axe(work, label=f"{words}, {theme}")
    check_reflow(work)


def test_it_works_without_scripts(world, browser, server, work):
    context = browser.new_context(
        base_url=server.url,
        java_script_enabled=False,
        storage_state=work.context.storage_state(),
    )
    try:
        page = context.new_page()
        page.goto(f"/work/{world.assignment.pk}/search/?q=thames+tunel")
        assert re.search(rf"/work/{world.assignment.pk}/\?search=\d+$", page.url)
        page.get_by_role("link", name="thames tunnel", exact=True).click()
        first = page.locator("#results .result").first
        expect(first.get_by_text("Exact title")).to_be_visible()
    finally:
        context.close()


def test_the_box_stays_in_sight_when_a_lower_result_is_opened(work, world):
    back = work.locator("#to-results")
    expect(back).to_be_hidden()  # there are none yet
    search(work, "thames tunnel")
    expect(back).to_be_visible()
    link = work.locator("#results .result a").nth(5)
    link.click()
    work.locator("#article-title").wait_for()
    assert work.locator("#search").evaluate("panel => panel.scrollTop") > 0
    # What is at its middle is the box itself, and nothing that lies over it.
    assert work.locator("#query").evaluate("""(box) => {
      const { left, top, width, height } = box.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === box;
    }""")
    expect(work.locator("#results .result.open")).to_have_count(1)
