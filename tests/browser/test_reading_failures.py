"""What the reading side says when nothing comes back."""

from playwright.sync_api import expect

from tests.browser.helpers import allow_problem, check_axe
from tests.browser.test_reading import (  # noqa: F401 - fixtures
    chips,
    demo_folder,
    for_answer,
    open_result,
    search,
    select,
    work,
)
from wikipedia.models import Quote


def go_offline(page):
    allow_problem(page, "ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)


def test_a_failed_search_takes_the_old_results_away(work):  # noqa: F811
    page = work
    search(page, "thames tunnel")
    go_offline(page)
    page.fill("#query", "river thames")
    page.press("#query", "Enter")
    results = page.locator("#results")
    expect(results).to_contain_text("Not searched: “river thames”")
    expect(results).to_contain_text("There is no connection.")
    expect(results.locator(".result")).to_have_count(0)
    check_axe(page, label="failed search")
    page.context.set_offline(False)
    results.get_by_role("button", name="Try again").click()
    page.locator('#results[data-query="river thames"] .result').first.wait_for()
    expect(results).not_to_contain_text("Not searched")


def test_a_page_that_does_not_open_says_so_in_the_reader(work):  # noqa: F811
    page = work
    search(page, "thames tunnel")
    go_offline(page)
    page.locator("#results .result a").first.click()
    said = page.locator(".reader-head #reader-problem")
    expect(said).to_contain_text("The page was not opened. There is no connection.")
    check_axe(page, label="page not opened")
    page.context.set_offline(False)
    said.get_by_role("button", name="Try again").click()
    page.locator("#article-title").wait_for()
    expect(said).to_have_count(0)


def test_an_answer_taken_offline_gets_its_place_later(work, world):  # noqa: F811
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    select(page, "About 50,000 people")
    go_offline(page)
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, "Pair 2").click()
    told = page.locator(".toast.problem")
    expect(told).to_contain_text("without its place in the article. There is no connection.")
    expect(told).to_contain_text("The place is kept once you are connected again.")
    assert chips(page, 2) == ["About 50,000 people"]
    assert not Quote.objects.exists()
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.locator("#evidence-2 [data-quote]").wait_for()
    assert Quote.objects.get().exact == "About 50,000 people"
    assert chips(page, 2) == ["About 50,000 people"]


def test_a_new_pair_from_a_selection_comes_into_view_and_is_not_ready(work):  # noqa: F811
    page = work
    page.set_viewport_size({"width": 1440, "height": 640})
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    # The bar as it is once all was well, and saving that never comes back.
    page.evaluate("document.getElementById('todo').textContent = 'Ready'")
    page.route("**/draft/", lambda route: None)
    select(page, "About 50,000 people")
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, "New pair").click()
    expect(page.locator("#pairs > li:nth-child(3)")).to_be_in_viewport(ratio=0.9)
    expect(page.locator("#todo")).not_to_contain_text("Ready")
