"""Quotes in the reader: the same positions as the server's, painted, opened by their address."""

import hashlib
import random
import re

import pytest
from playwright.sync_api import expect

from annotation.models import Event
from tests import factories
from tests.browser.helpers import becomes, check_axe, check_reflow, sign_in
from tests.browser.test_reading import (  # noqa: F401 - fixtures
    RAY,
    announced,
    chips,
    demo_folder,
    events,
    for_answer,
    give,
    ray_folder,
    select,
    selectable,
    title_is,
    work,
)
from wikipedia.articles.reader import render_article
from wikipedia.html.page import SourcePage
from wikipedia.models import Quote, ShownPage

TEXT = "import('/static/js/annotation/reading/text.js').then(({ text }) => text(true))"
CANONICAL = f"""async () => {{
  const {{ canonical }} = await import("/static/js/annotation/reading/canonical.js");
  return canonical(await {TEXT}).points.join("");
}}"""
# Each piece of text sits in a page that is not in normal form C, or holds what one engine takes
# for white space and another does not, or letters of two UTF-16 units.
PIECES = [
    "plain", " ", "\n\t ", "Zu\u0308rich", "\u1100\u1161\u11a8", "😀", "👩\u200d🚀", "\u0301",
    "x\u0323\u0307", "\u212b", "\ufeff", "\u00a0", "\u2003", "\u200b", "𝔸e\u0301", "\u0958",
    "a\u00adb", "\u0344",
]  # fmt: skip
FRAMES = [
    "{}", "<b>{}</b>", "<p>{}</p>", "<div>{}<p>{}</p>{}</div>", "{}<br>{}", "<ul><li>{}<li>{}</ul>",
    "<table class=wikitable><caption>{}</caption><tr><th>{}<td>{}</table>", "<i>{}</i>{}",
    "<sup class=reference>{}</sup>", "<h2>{}</h2>", "<pre>\n{}</pre>", "<dl><dt>{}<dd>{}</dl>",
    "<figure><figcaption>{}</figcaption></figure>", "<blockquote>{}</blockquote>", "<hr>{}",
]  # fmt: skip


def rendered(html, world):
    page = SourcePage("T", "T", html, None, None, None, None, world.now, "")
    return render_article(page, page_url=lambda path: "/x", asset_url=lambda path: "/x")


def made_of(dice):
    """HTML out of nasty pieces."""

    def words():
        return "".join(dice.choice(PIECES) for _ in range(dice.randrange(5)))

    return "".join(re.sub(r"\{\}", lambda _: words(), dice.choice(FRAMES)) for _ in range(12))


def read(page, world, path="Thames_Tunnel"):
    """Open an article by its address."""
    page.goto(f"/work/{world.assignment.pk}/read/{path}")
    selectable(page)


def quote_words(page, words, pair="Pair 1"):
    """Select words, use them as an answer, wait for the quote."""
    before = Quote.objects.count()
    select(page, words)
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, pair).click()
    page.locator("[data-evidence] [data-quote]").nth(before).wait_for(state="attached")
    return Quote.objects.order_by("id").last()


def painted(page, name):
    """The texts painted under a name, in order."""
    return page.evaluate(
        "name => [...(CSS.highlights.get(name) ?? [])].map(range => range.toString())", name
    )


def test_the_browser_counts_as_the_server_does(work, world):  # noqa: F811
    page = work
    read(page, world)
    shown = page.locator("#article").get_attribute("data-sha256")
    assert hashlib.sha256(page.evaluate(CANONICAL).encode()).hexdigest() == shown
    dice = random.Random(8)
    for _ in range(60):
        article = rendered(made_of(dice), world)
        page.evaluate(
            "html => { document.querySelector('.article-text').innerHTML = html; }", article.html
        )
        assert page.evaluate(CANONICAL) == article.text


def test_places_are_the_same_in_both_counts(work, world):  # noqa: F811
    page = work
    read(page, world)
    html = "<p>😀 Zu\u0308rich 👩\u200d🚀  and\n<b>e</b>\u0301 so</p><ul><li>𝔸𝔹 ends</ul>"
    article = rendered(html, world)
    page.evaluate(
        "html => { document.querySelector('.article-text').innerHTML = html; }", article.html
    )
    for words in ("Zürich", "and", "so", "𝔸𝔹", "ends", "😀", article.text):
        start = article.text.index(words)
        found = page.evaluate(
            """async ([start, end]) => {
              const reading = "/static/js/annotation/reading";
              const { ours, theirs, words } = await import(`${reading}/canonical.js`);
              const { text } = await import(`${reading}/text.js`);
              const page = text(true), place = ours(page, [start, end]);
              const there = page.range(place).toString();
              return [there, theirs(page, place[0]), words(page, [start, end])];
            }""",
            [start, start + len(words)],
        )
        assert found[1:] == [start, words]
        if words != article.text:
            assert found[0].replace("u\u0308", "ü") == words


def test_on_real_articles_the_browser_counts_as_the_server_does(
    world,
    page,
    settings,
    ray_folder,  # noqa: F811
    realdata,
):
    give(world, settings, ray_folder, realdata / RAY, "ray")
    sign_in(page, world.people["annotator"])
    for path in ("Ray_Charles", "Georgia_on_My_Mind", "Hit_the_Road_Jack", "America_the_Beautiful"):
        read(page, world, f"A/{path}.html")
        shown = page.locator("#article").get_attribute("data-sha256")
        assert hashlib.sha256(page.evaluate(CANONICAL).encode()).hexdigest() == shown, path


def test_the_address_of_a_quote_opens_it(work, world, new_page):  # noqa: F811
    page = work
    read(page, world)
    quote = quote_words(page, "About 50,000 people")
    address = page.locator("#evidence-1 a").get_attribute("href")
    assert address.endswith(f"?via=quote#quote-{quote.pk}")
    other = new_page(viewport={"width": 1440, "height": 600})
    sign_in(other, world.people["annotator"])
    for open_it in (lambda: other.goto(address), other.reload):
        open_it()
        title_is(other, "Thames Tunnel")
        other.locator("#quote-bar", has_text="As it was quoted.").wait_for()
        becomes(other, lambda: painted(other, "shown"), ["About 50,000 people"])
        assert other.evaluate("document.activeElement.id") == "read"
        assert other.url.endswith(f"#quote-{quote.pk}")
        top, low = other.evaluate(
            """() => {
              const box = [...CSS.highlights.get("shown")][0].getBoundingClientRect();
              const head = document.querySelector(".reader-head").getBoundingClientRect();
              return [box.top - head.bottom, innerHeight - box.bottom];
            }"""
        )
        assert top >= 0
        assert low >= 0
    assert [e["via"] for e in events("page_open")] == ["link"]  # the last page again is no visit


def test_from_quote_to_quote(work, world):  # noqa: F811
    page = work
    read(page, world)
    second = quote_words(page, "About 50,000 people")
    first = quote_words(page, "25 March 1843", "Pair 2")
    assert (first.block_kind, first.headers["row"]) == ("infobox", ["Opened"])
    assert "Thames Tunnel, Opened ·" in page.locator("#evidence-2").inner_text()
    page.locator("#evidence-1").get_by_role("link").click()
    bar = page.locator("#quote-bar")
    bar.get_by_text("Quote 2 of 2").wait_for()
    assert page.url.endswith(f"#quote-{second.pk}")
    bar.get_by_role("button", name="Next quote").click()
    bar.get_by_text("Quote 1 of 2").wait_for()
    becomes(page, lambda: painted(page, "shown"), ["25 March 1843"])
    assert page.evaluate("document.activeElement.dataset.step") == "1"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        check_axe(page, label=f"{scheme}, a quote is shown")
    page.keyboard.press("Escape")
    assert not bar.is_visible()
    assert painted(page, "shown") == []
    assert page.evaluate("document.activeElement.id") == "read"
    becomes(page, lambda: len(painted(page, "quote")), 2)


@pytest.mark.parametrize(
    ("exact", "state", "says", "shown"),
    [
        ("About 50,000 people", "moved", "The same words", ["About 50,000 people"]),
        ("About 90,000 persons", "changed", "The words have changed", ["About 50,000 people"]),
        ("nobody was ever seen in it", "lost", "Not on this page any more", []),
    ],
)
def test_how_it_was_found_again_is_said(work, world, exact, state, says, shown):  # noqa: F811
    page = work
    read(page, world)
    quote = quote_words(page, "About 50,000 people")
    # As if another version of the page had been quoted.
    ShownPage.objects.filter(pk=quote.page_id).update(text_sha256="0" * 64)
    context = {"prefix": "x" * 32, "suffix": "y" * 32} if state == "lost" else {}
    Quote.objects.filter(pk=quote.pk).update(
        exact=exact, start=quote.start + 9, end=quote.end + 9, **context
    )
    address = f"/work/{world.assignment.pk}/read/Thames_Tunnel?via=quote#quote-{quote.pk}"
    page.goto(address)
    bar = page.locator("#quote-bar")
    bar.get_by_text(says).wait_for()
    assert bar.get_attribute("data-state") == state
    becomes(page, lambda: painted(page, "shown"), shown)
    if state != "moved":
        assert exact in bar.inner_text()
    check_axe(page, label=state)


def test_without_highlights_marks_are_painted(world, new_page, settings, demo_folder):  # noqa: F811
    give(world, settings, demo_folder, demo_folder / "demo.zim", "demo")
    page = new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script("delete CSS.highlights; delete window.Highlight;")
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{world.assignment.pk}/")
    read(page, world)
    assert page.evaluate("'highlights' in CSS") is False
    before = page.evaluate(CANONICAL)
    page.fill("#find", "the tunnel")
    count = page.locator("#find-count")
    total = int(count.inner_text().split()[-1])
    page.locator("mark[data-paint=find]").nth(total - 1).wait_for()
    page.locator("mark[data-paint=find-current]").wait_for()
    page.press("#find", "Enter")
    expect(count).to_have_text(f"2 of {total}")
    now = page.locator("mark[data-paint=find-current]")
    expect(now).to_have_text("the tunnel", ignore_case=True)
    page.fill("#find", "")
    page.locator("mark[data-paint=find]").first.wait_for(state="detached")
    # Words that cross links and bold letters are painted in pieces.
    words = "The Thames Tunnel runs below the River Thames"
    page.evaluate(
        """words => {
          const range = document.createRange(), p = document.querySelector(".article-text p");
          range.setStart(p, 0);
          range.setEnd(p.querySelector("a").firstChild, p.querySelector("a").textContent.length);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }""",
        words,
    )
    page.locator("#selection-bar:popover-open").wait_for()
    page.get_by_role("button", name="Use as answer of…").click()
    for_answer(page, "Pair 1").click()
    page.locator("mark[data-paint=quote]").first.wait_for()
    assert Quote.objects.get().exact == words
    pieces = page.locator("mark[data-paint=quote]").all_inner_texts()
    assert len(pieces) == 4
    assert "".join(pieces) == words
    assert page.evaluate(CANONICAL) == before
    page.locator("#evidence-1 a").click()
    page.locator("mark[data-paint=shown]").first.wait_for()
    page.reload()
    page.locator("mark[data-paint=shown]").first.wait_for()
    assert "".join(page.locator("mark[data-paint=shown]").all_inner_texts()) == words


def test_words_as_evidence_for_an_answer(work, world):  # noqa: F811
    page = work
    read(page, world)
    page.fill("#answer-1", "fifty thousand")
    page.press("#answer-1", "Enter")
    assert chips(page) == ["fifty thousand"]
    page.locator("#read").focus()
    page.keyboard.press("f")
    page.keyboard.type("a penny each")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.keyboard.press("e")
    page.keyboard.press("1")
    announced(page, "Kept as evidence for “fifty thousand”.")
    quote = Quote.objects.get()
    assert quote.exact.startswith("About 50,000 people paid a penny each")
    assert chips(page) == ["fifty thousand"]
    assert page.locator("[name=pair-0-quote]").first.input_value() == str(quote.pk)
    assert "About 50,000 people paid" in page.locator("#evidence-1").inner_text()
    assert events("quote") == [{"quote": quote.pk, "target": "1"}]


def test_pasted_words_differ_from_the_article_as_browsers_make_them(work, world):  # noqa: F811
    page = work
    read(page, world)
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "About\\u00a050,000  people[3] paid a\\u00ad penny");
          const about = { clipboardData: data, bubbles: true, cancelable: true };
          document.getElementById("answer-1").dispatchEvent(new ClipboardEvent("paste", about));
        }"""
    )
    announced(page, "Found in Thames Tunnel, Opening and use.")
    assert Quote.objects.get().exact == "About 50,000 people paid a penny"


def test_staff_open_the_quote_of_an_answer(world, page, settings, demo_folder):  # noqa: F811
    give(world, settings, demo_folder, demo_folder / "demo.zim", "demo")
    world.project.snapshot.refresh_from_db()
    quote = factories.make_proof(world.project, world.people["validator"])
    logged = Event.objects.count()
    turn = quote.answers.get().pair.annotation.assignment
    sign_in(page, world.people["admin"])
    page.goto(f"/projects/{world.slug}/questions/{turn.task.question_id}/")
    page.get_by_role("link", name="Show these words in the article").click()
    page.locator("#quote", has_text="Of “Thames Tunnel” only the text was kept").wait_for()
    page.get_by_role("link", name="Show the page as it is now").click()
    page.locator("#quote .badge").wait_for()
    assert page.locator("#quote .badge").inner_text() in ("Moved", "Changed")
    becomes(page, lambda: painted(page, "quote"), ["25 March 1843"])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        check_axe(page, label=f"{scheme}, a quote for staff")
    check_reflow(page)
    assert page.locator("#article").bounding_box()["width"] > 600
    assert Event.objects.count() == logged
