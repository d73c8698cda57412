"""Searching, reading and quoting as people do it: by mouse, by keyboard, on a phone."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Event
from tests import archives
from tests.browser.helpers import allow_problem, becomes, check_axe, check_reflow, sign_in
from tests.browser.work.conftest import replied, saved_as
from wikipedia.models import Quote

RAY = "wikipedia/wikipedia_en_ray_charles_2015-06.zim"


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


@pytest.fixture(scope="session")
def ray_folder(tmp_path_factory, realdata):
    archive = realdata / RAY
    if not archive.is_file():
        pytest.skip(f"no archive at {archive}")
    folder = tmp_path_factory.mktemp("ray")
    archives.index(folder, archive, "ray")
    return folder


def give(world, settings, folder, archive, name):
    """Let the world's project read an indexed archive."""
    settings.AMBIT_DATA = folder
    archives.forget_providers()
    type(world.snapshot).objects.filter(pk=world.snapshot.pk).update(
        name=name, archive=str(archive)
    )


@pytest.fixture
def work(world, page, settings, demo_folder):
    """The work page of the annotator, over the demo archive."""
    give(world, settings, demo_folder, demo_folder / "demo.zim", "demo")
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{world.assignment.pk}/")
    return page


def search(page, words):
    page.fill("#query", words)
    page.press("#query", "Enter")
    page.locator(f'#results[data-query="{words}"]').wait_for()


def open_result(page, title):
    page.locator("#results .result a", has_text=re.compile(f"^{re.escape(title)}$")).click()
    title_is(page, title)
    selectable(page)


def selectable(page):
    """Wait for the code that selects words, which comes last."""
    page.locator("#selection-bar[data-ready]").wait_for(state="attached")


def title_is(page, title):
    page.locator("#article-title", has_text=re.compile(f"^{re.escape(title)}$")).wait_for()


def announced(page, text):
    page.locator("#announcer", has_text=text).wait_for()


def select(page, words):
    """Select words of the article with the mouse, from the first letter to the last."""
    box = page.evaluate(
        """(words) => {
          const root = document.querySelector(".article-text");
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(words);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + words.length);
            walker.currentNode.parentElement.scrollIntoView({ block: "center" });
            const rects = range.getClientRects(), first = rects[0], last = rects[rects.length - 1];
            const middle = (box) => (box.top + box.bottom) / 2;
            return [first.left, middle(first), last.right, middle(last)];
          }
        }""",
        words,
    )
    page.mouse.move(box[0] + 0.5, box[1])
    page.mouse.down()
    page.mouse.move(box[2] - 2, box[3], steps=4)
    page.mouse.move(box[2] - 0.5, box[3])
    page.mouse.up()
    page.locator("#selection-bar:popover-open").wait_for()


def for_answer(page, name):
    return page.locator("#selection-targets").get_by_role("button", name=name)


def chips(page, pair=1):
    return page.locator(f"#pairs > li:nth-child({pair}) .chip > span").all_inner_texts()


def kinds():
    return list(Event.objects.order_by("id").values_list("kind", flat=True))


def events(kind):
    return list(Event.objects.filter(kind=kind).order_by("id").values_list("data", flat=True))


def test_the_whole_way_by_mouse(work, world):
    page = work
    search(page, "thames tunnel")
    announced(page, "results")
    open_result(page, "Thames Tunnel")
    assert page.locator("#results .result.open a").inner_text() == "Thames Tunnel"
    page.wait_for_timeout(700)
    page.locator(".article-text a", has_text="River Thames").first.click()
    title_is(page, "River Thames")
    row = page.locator('#results [data-path="Thames_Tunnel"]')
    expect(row).to_contain_text("Read for under a minute")
    page.go_back()
    title_is(page, "Thames Tunnel")
    select(page, "About 50,000 people")
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, "Pair 2").click()
    page.locator("#pairs > li:nth-child(2) .chip").wait_for()
    assert chips(page, 2) == ["About 50,000 people"]
    quote = Quote.objects.get()
    assert quote.page.text[quote.start : quote.end] == quote.exact == "About 50,000 people"
    assert (quote.section_path, quote.block_kind) == (["Opening and use"], "paragraph")
    assert quote.created_by == world.people["annotator"]
    becomes(page, lambda: page.evaluate("CSS.highlights.get('quote')?.size"), 1)
    expect(page.locator("#history", has_text="1 quote")).to_be_visible()

    opens = events("page_open")
    assert [(e["path"], e["via"]) for e in opens] == [
        ("Thames_Tunnel", "search"),
        ("River_Thames", "link"),
        ("Thames_Tunnel", "history"),
    ]
    assert (opens[0]["rank"], opens[0]["search_event"]) == (1, Event.objects.first().pk)
    becomes(page, lambda: bool(events("page_close")), True)
    closed = events("page_close")
    assert closed[0]["page_open"] == Event.objects.filter(kind="page_open").first().pk
    assert 600 <= closed[0]["dwell_ms"] < 30_000
    assert 0 < closed[0]["depth"] <= 100
    assert events("quote") == [{"quote": quote.pk, "target": "2"}]


def said(page, words):
    announced(page, re.compile(f"^{re.escape(words)}$"))


def test_the_whole_way_by_keyboard(work):
    page = work
    press = page.keyboard.press
    press("/")
    page.keyboard.type("thames tunnel")
    press("Enter")
    page.locator("#results .result").first.wait_for()
    press("Tab")
    press("Enter")
    title_is(page, "Thames Tunnel")
    selectable(page)
    press("f")
    page.keyboard.type("penny")
    announced(page, "1 of 1")
    press("Escape")
    said(page, "penny")
    press("Enter")
    said(page, "About 50,000 people paid a penny each to walk through on the first day.")
    for _ in range(3):
        press("ArrowDown")
    press("ArrowUp")
    press("p")
    press("p")
    announced(page, "About 50,000 people paid")
    press("ArrowLeft")
    said(page, "About")
    press("ArrowRight")
    said(page, "50,000")
    press("Shift+ArrowRight")
    said(page, "50,000 people")
    press("a")
    press("1")
    page.locator("#pairs .chip").first.wait_for()
    assert chips(page) == ["50,000 people"]
    press("n")
    press("l")
    page.locator("#pairs > li:first-child .chip").nth(1).wait_for()
    assert [e["target"] for e in events("quote")] == ["1", "1"]
    page.evaluate("dispatchEvent(new Event('online'))")  # what waits to be reported is sent
    visit = Event.objects.get(kind="page_open").pk
    find = {"page_open": visit, "query": "penny", "hits": 1}
    becomes(page, lambda: events("find_in_page"), [find])


def test_the_last_two_words_of_a_sentence_are_an_answer_in_few_presses(work):
    page = work
    press = page.keyboard.press
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    press("f")
    page.keyboard.type("penny each")
    press("Escape")
    said(page, "penny each")
    for key in ("Enter", "ArrowRight", "Shift+ArrowLeft"):
        press(key)
    said(page, "first day")
    press("Shift+ArrowLeft")
    said(page, "the first day")
    press("Shift+ArrowRight")
    said(page, "first day")
    press("a")
    press("1")
    page.locator("#pairs .chip").first.wait_for()
    assert chips(page) == ["first day"]
    assert Quote.objects.get().exact == "first day"


def test_a_hit_is_an_answer_and_grows_by_words(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.fill("#find", "50,000")
    page.keyboard.press("Escape")
    said(page, "50,000")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("a")
    page.keyboard.press("2")
    page.locator("#pairs > li:nth-child(2) .chip").wait_for()
    assert chips(page, 2) == ["50,000 people"]


def test_an_answer_ends_without_the_full_stop_of_its_sentence(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    select(page, "walk through on the first day.")
    page.keyboard.press("a")
    page.keyboard.press("1")
    page.locator("#pairs .chip").first.wait_for()
    assert chips(page) == ["walk through on the first day"]


def test_abbreviations_keep_their_full_stop(work):
    ends = ["on day one.", "the U.S.", "Ray Jr.", "J.", "(in 1843).", "1843", "Help!", "第一。"]
    assert work.evaluate(
        """(ends) => import("/static/js/annotation/reading/endings.js")
          .then(({ unstopped }) => ends.map((words) => unstopped(words)))""",
        ends,
    ) == ["on day one", "the U.S.", "Ray Jr.", "J.", "(in 1843)", "1843", "Help!", "第一"]


def test_digits_are_printed_where_they_work_and_the_last_makes_a_new_pair(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    select(page, "About 50,000 people")
    bar = page.locator("#selection-bar")
    assert bar.locator("[data-do=answer] kbd").inner_text() == "a"
    page.keyboard.press("a")
    keys = page.locator("#selection-targets kbd").all_inner_texts()
    assert keys == ["1", "2", "3"]
    page.keyboard.press("3")
    page.locator("#pairs > li:nth-child(3) .chip").wait_for()
    assert chips(page, 3) == ["About 50,000 people"]
    expect(page.locator("#pairs > li:nth-child(3)")).to_be_in_viewport()


@pytest.mark.parametrize("width", [1440, 900, 390])
def test_labels_of_the_selection_do_not_wrap_nor_cover_the_answers(work, width):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    select(page, "About 50,000 people")
    page.keyboard.press("a")
    page.keyboard.press("1")
    page.locator("#pairs .chip").first.wait_for()
    page.set_viewport_size({"width": width, "height": 900})
    if width == 390:
        page.locator(".switcher a[href='#read']").click()
    page.locator("#read").focus()
    page.keyboard.press("n")
    page.locator("#selection-bar:popover-open").wait_for()
    heights = page.locator("#selection-bar > button:visible > span").evaluate_all(
        "(all) => all.map((one) => one.getClientRects().length)"
    )
    assert heights == [1] * 4  # answer, evidence, alias, search
    bar, desk = (page.locator(name).bounding_box() for name in ("#selection-bar", ".desk"))
    if width == 1440:
        assert bar["x"] + bar["width"] <= desk["x"]
    check_reflow(page) if width == 390 else None


def test_words_support_nothing_while_there_is_no_answer(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    select(page, "About 50,000 people")
    expect(page.get_by_role("button", name="Use as evidence")).to_be_hidden()
    page.keyboard.press("e")
    expect(page.locator("#selection-note")).to_contain_text("no answer yet")
    expect(page.locator("#selection-note")).to_be_visible()


def test_find_goes_round_and_says_where_it_is(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.fill("#find", "the tunnel")
    count = page.locator("#find-count")
    total = page.evaluate(
        """() => {
          const words = document.querySelector(".article-text").textContent.toLowerCase();
          return words.split("the tunnel").length - 1;
        }"""
    )
    assert total > 1
    expect(count).to_have_text(f"1 of {total}")
    page.press("#find", "Shift+Enter")
    expect(count).to_have_text(f"{total} of {total}")
    page.press("#find", "Enter")
    expect(count).to_have_text(f"1 of {total}")
    assert page.evaluate("CSS.highlights.get('find').size") == total
    page.fill("#find", "no such words")
    expect(count).to_have_text("None")
    announced(page, "No match on this page")


def test_back_and_forward_keep_the_form_and_the_place(work):
    page = work
    search(page, "thames tunnel")
    page.fill("#question-1", "When did the Thames Tunnel open to walkers?")
    open_result(page, "Thames Tunnel")
    page.locator("#read").evaluate("panel => { panel.scrollTop = 300; }")
    page.locator(".article-text a", has_text="Marc Isambard Brunel").first.click()
    title_is(page, "Marc Isambard Brunel")
    page.wait_for_function("document.getElementById('read').scrollTop === 0")
    search(page, "forth bridge")
    page.go_back()
    page.locator('#results[data-query="thames tunnel"]').wait_for()
    page.go_back()
    title_is(page, "Thames Tunnel")
    page.wait_for_function("document.getElementById('read').scrollTop === 300")
    page.go_forward()
    title_is(page, "Marc Isambard Brunel")
    page.reload()
    title_is(page, "Marc Isambard Brunel")
    assert (
        page.locator("#question-1").input_value() == "When did the Thames Tunnel open to walkers?"
    )
    assert kinds().count("search") == 2
    assert len(events("page_open")) == 4


def test_the_contents_lead_to_sections(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.locator("#outline-button").click()
    assert page.locator("#outline [aria-current]").inner_text() == "(Top)"
    page.locator("#outline").get_by_role("link", name="Other crossings nearby").click()
    page.wait_for_function("document.activeElement.textContent === 'Other crossings nearby'")
    assert not page.locator("#outline").is_visible()
    # Not by a click of Playwright, which would scroll the panel for a button that sticks.
    page.locator("#outline-button").evaluate("button => button.click()")
    assert page.locator("#outline [aria-current]").inner_text() == "Other crossings nearby"
    page.keyboard.press("Escape")
    assert page.locator("#read").evaluate("panel => panel.scrollTop") > 100
    page.go_back()
    page.wait_for_function("document.getElementById('read').scrollTop === 0")
    assert len(events("page_open")) == 1


def test_a_second_quote_supports_an_answer_and_is_taken_off_again(work, world):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.get_by_role("radio", name="One clear answer").check(force=True)
    select(page, "About 50,000 people")
    page.get_by_role("button", name="Use as answer").click()
    evidence = page.locator("#evidence-single .evidence")
    expect(evidence).to_have_count(1)
    select(page, "a penny each")
    page.keyboard.press("e")
    expect(evidence).to_have_count(2)
    expect(evidence.last).to_contain_text("a penny each")
    expect(page.locator("#single-answer")).to_have_value("")
    held = page.locator(".chip [name=single-quote]")
    first, second = Quote.objects.order_by("id")
    expect(held).to_have_value(f"{first.pk} {second.pk}")
    both = {"quote": first.pk, "more": [second.pk]}
    saved_as(page, world.assignment, lambda found: both.items() <= found["single"][0].items())
    page.reload()
    expect(evidence).to_have_count(2)
    page.get_by_role("button", name="Remove the quote About 50,000").click()
    expect(held).to_have_value(f"{second.pk}")
    expect(evidence).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(held).to_have_value(f"{first.pk} {second.pk}")
    expect(evidence).to_have_count(2)
    page.get_by_role("button", name="Remove the quote a penny each").click()
    left = {"text": "About 50,000 people", "quote": first.pk}
    saved_as(page, world.assignment, lambda found: found["single"] == [left])
    replied(page, world.assignment)
    expect(evidence).to_have_count(1)


def test_show_leads_from_the_evidence_to_its_words(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    select(page, "About 50,000 people")
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, "Pair 1").click()
    page.locator("#pairs .chip").first.wait_for()
    page.locator(".article-text a", has_text="Tower Bridge").first.click()
    title_is(page, "Tower Bridge")
    page.locator("#evidence-1").get_by_role("link").click()
    title_is(page, "Thames Tunnel")
    announced(page, "Shown in the article: About 50,000 people")
    assert page.evaluate("[...CSS.highlights.get('shown')][0].toString()") == "About 50,000 people"
    assert events("page_open")[-1]["via"] == "quote"


def test_pasted_words_get_their_place(work):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    paste = """([id, words]) => {
      const data = new DataTransfer();
      data.setData("text/plain", words);
      const box = document.getElementById(id);
      const about = { clipboardData: data, bubbles: true, cancelable: true };
      box.dispatchEvent(new ClipboardEvent("paste", about));
    }"""
    page.evaluate(paste, ["answer-1", "a penny each"])
    announced(page, "Found in Thames Tunnel, Opening and use.")
    assert chips(page) == ["a penny each"]
    quote = Quote.objects.get()
    assert (quote.made_by, quote.exact) == ("paste", "a penny each")
    assert page.locator("#pairs [name=pair-0-quote]").first.input_value() == str(quote.pk)
    assert "a penny each" in page.locator("#evidence-1").inner_text()
    page.evaluate(paste, ["answer-1", "nowhere to be found"])
    page.locator("#pairs .chip", has_text="nowhere").wait_for()
    assert Quote.objects.count() == 1


def test_links_out_are_marked_and_logged(work):
    page = work
    page.context.route("https://**", lambda route: route.abort())
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    link = page.get_by_role("link", name="Open on Wikipedia")
    assert link.get_attribute("target") == "_blank"
    assert "noopener" in link.get_attribute("rel")
    with page.expect_popup() as popup:
        link.click()
    popup.value.close()
    href = link.get_attribute("href")
    becomes(page, lambda: [e["url"] for e in events("external_click")], [href])


def test_a_missing_page_and_a_lost_connection_are_explained(work, world):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.evaluate("document.querySelector('.article-text a.internal').href += '_gone'")
    allow_problem(page, "status of 404")
    page.locator(".article-text a.internal").first.click()
    page.locator("#reader", has_text="is not here").wait_for()
    page.get_by_role("link", name="Search for “Wapping and Rotherhithe gone”").click()
    page.locator('#results[data-query="Wapping and Rotherhithe gone"]').wait_for()
    allow_problem(page, "ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    page.locator("#results .result a").first.click()
    expect(page.locator("#reader-problem")).to_contain_text("There is no connection.")
    page.context.set_offline(False)


def test_single_keys_can_be_off_and_never_act_while_typing(work, world):
    page = work
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.locator("#question-1").focus()
    page.keyboard.type("snap of all")
    assert page.locator("#question-1").input_value() == "snap of all"
    assert not page.locator("#selection-bar").is_visible()
    page.evaluate("document.body.dataset.keys = 'off'")
    page.locator("#read").focus()
    for key in "/fnpal":
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.id") == "read"
    assert not page.locator("#selection-bar").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_reading(work, scheme):
    page = work
    page.emulate_media(color_scheme=scheme)
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.fill("#find", "tunnel")
    check_axe(page, label=f"{scheme}, an article")
    select(page, "About 50,000 people")
    page.get_by_role("button", name="Use as answer of…").click()
    check_axe(page, label=f"{scheme}, a selection")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("#outline-button").click()
    check_axe(page, label=f"{scheme}, the contents")
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator(".switcher a[href='#read']").click()
    check_axe(page, label=f"{scheme}, on a phone")
    check_reflow(page)


def test_on_a_phone_the_search_is_in_reach_at_the_end_of_an_article(
    new_page, world, settings, demo_folder
):
    give(world, settings, demo_folder, demo_folder / "demo.zim", "demo")
    page = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{world.assignment.pk}/")
    expect(page.locator(".workbench")).to_have_attribute("data-view", "read")
    button = page.locator(".switcher").get_by_role("button", name="Search Wikipedia")
    button.tap()
    expect(page.locator("#query")).to_be_focused()
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(button).to_be_in_viewport(ratio=1)
    button.tap()
    expect(page.locator("#query")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_on_a_phone_a_sheet_holds_the_selection(new_page, world, settings, demo_folder):
    give(world, settings, demo_folder, demo_folder / "demo.zim", "demo")
    page = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{world.assignment.pk}/")
    page.locator(".switcher a[href='#read']").tap()
    page.get_by_role("button", name="Search and history").tap()
    search(page, "thames tunnel")
    open_result(page, "Thames Tunnel")
    assert not page.locator("#search").is_visible()
    page.evaluate(
        """() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector(".article-text p b"));
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }"""
    )
    bar = page.locator("#selection-bar:popover-open")
    bar.wait_for()
    box = bar.bounding_box()
    assert (round(box["x"]), round(box["y"] + box["height"])) == (0, 800)
    page.get_by_role("button", name="Use as answer of…").tap()
    for_answer(page, "Pair 1").tap()
    page.locator("#pairs .chip").first.wait_for(state="attached")
    assert Quote.objects.get().exact == "Thames Tunnel"
    page.go_back()
    page.locator("#results-title:focus").wait_for()
    assert page.locator("#search").is_visible()


def test_on_the_real_archive(world, page, settings, ray_folder, realdata):
    give(world, settings, ray_folder, realdata / RAY, "ray")
    sign_in(page, world.people["annotator"])
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/work/{world.assignment.pk}/")
    search(page, "who wrote georgia on my mind")
    open_result(page, "Georgia on My Mind")
    page.locator(".article-text a.internal", has_text=re.compile("^Ray Charles$")).first.click()
    title_is(page, "Ray Charles")
    page.go_back()
    title_is(page, "Georgia on My Mind")
    select(page, "Hoagy Carmichael")
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, "New pair").click()
    page.locator("#pairs > li:nth-child(3) .chip").wait_for()
    quote = Quote.objects.get()
    assert quote.page.text[quote.start : quote.end] == quote.exact == "Hoagy Carmichael"
    assert quote.page.title == "Georgia on My Mind"
    assert quote.page.rev_timestamp is not None
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        check_axe(page, label=f"{scheme}, a real article")
    assert [e["path"] for e in events("page_open")] == [
        "A/Georgia_on_My_Mind.html",
        "A/Ray_Charles.html",
        "A/Georgia_on_My_Mind.html",
    ]
