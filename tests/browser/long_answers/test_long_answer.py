"""Writing a long answer: what is missing, evidence from the article, parking, handing in."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment, Concern, LongAnswer, Thread
from tests.annotation.long_answers import helpers
from tests.browser.helpers import allow_problem, check_axe, check_reflow, sign_in
from tests.browser.long_answers.steps import (
    START,
    line,
    read,
    select_in_article,
    select_in_text,
    selected,
    sentence_of_article,
    value,
)
from tests.browser.work.conftest import replied, saved_as


class TestShortAnswers:
    def test_what_is_missing_is_put_in_at_the_cursor_and_undone(self, page, work):
        text = f"{START}Walkers came on 25 March 1843, trains on  later."
        page.fill("#long-answer", text)
        expect(page.locator("#answers-badge")).to_have_text("1 of 2")
        expect(line(page, 1)).to_contain_text("25 March 1843")
        line(page, 1).get_by_role("link", name="Show").click()
        assert selected(page) == "25 March 1843"
        at = text.index("  later") + 1
        page.locator("#long-answer").evaluate("(box, at) => box.setSelectionRange(at, at)", at)
        line(page, 2).get_by_role("button", name="Insert “7 December 1869” at the cursor").click()
        wanted = text.replace("on  later", "on 7 December 1869 later")
        assert value(page, "long-answer") == wanted
        expect(page.locator("#answers-badge")).to_have_text("2 of 2")
        assert page.evaluate("document.activeElement.id") == "long-answer"
        page.keyboard.press("Control+z")
        assert value(page, "long-answer") == text
        expect(page.locator("#answers-badge")).to_have_text("1 of 2")

    def test_what_is_put_in_takes_the_place_of_selected_words(self, page):
        page.fill("#long-answer", f"{START}Trains came in the autumn of 1869, on (date).")
        select_in_text(page, "in the autumn of 1869")
        line(page, 2).get_by_role("button", name="Insert “7 December 1869” at the cursor").click()
        assert value(page, "long-answer") == f"{START}Trains came 7 December 1869, on (date)."
        page.keyboard.press("Control+z")
        assert value(page, "long-answer") == f"{START}Trains came in the autumn of 1869, on (date)."
        select_in_text(page, "date")
        line(page, 2).get_by_role("button", name="Insert “7 December 1869” at the cursor").click()
        assert value(page, "long-answer").endswith("of 1869, on (7 December 1869).")

    def test_it_was_said_in_other_words(self, page, work):
        words = "the seventh of December 1869"
        text = f"😀 {START}Walkers came on 25 March 1843, trains on {words}."
        page.fill("#long-answer", text)
        expect(page.locator("#answers-badge")).to_have_text("1 of 2")
        line(page, 2).get_by_text("I said it differently").click()
        select_in_text(page, words)
        expect(page.locator("#words-2")).to_have_value(words)
        page.get_by_role("button", name="These words say it").click()
        expect(page.locator("#answers-badge")).to_have_text("2 of 2")
        expect(line(page, 2)).to_contain_text("In your words")
        said = saved_as(page, work, lambda draft: draft["said"])["said"]
        assert said == [{"disambiguation": 1, "words": words, "at": text.index(words)}]
        line(page, 2).get_by_role("link", name="Show").click()
        assert selected(page) == words
        page.get_by_role("button", name="Take back").click()
        expect(page.locator("#answers-badge")).to_have_text("1 of 2")

    def test_words_that_are_not_there_say_nothing(self, page):
        page.fill("#long-answer", START)
        line(page, 2).get_by_text("I said it differently").click()
        page.fill("#words-2", "in 1869")
        page.get_by_role("button", name="These words say it").click()
        expect(page.locator("#words-hint-2")).to_contain_text("is not in your text")
        assert page.evaluate("document.activeElement.id") == "words-2"

    @pytest.mark.parametrize(
        "before", ["", "😀😀 ", "İstanbul, İİİ, ", "e\u0301e\u0301 n\u0303 ", "\n\n  ﷺ ﬁ "]
    )
    def test_the_jump_counts_as_the_browser_does(self, page, before):
        page.fill("#long-answer", f"{before}It opened on March 25, 1843 and İ on 7 December 1869.")
        expect(page.locator("#answers-badge")).to_have_text("2 of 2")
        line(page, 1).get_by_role("link", name="Show").click()
        assert selected(page) == "March 25, 1843"
        line(page, 2).get_by_role("link", name="Show").click()
        assert selected(page) == "7 December 1869"

    def test_a_check_leaves_the_text_its_place_and_its_undo(self, page, work):
        box = page.locator("#long-answer")
        box.click()
        page.keyboard.type("It opened twice.")
        page.keyboard.press("Home")
        page.keyboard.press("Shift+ArrowRight")
        saved_as(page, work, lambda draft: draft["text"] == "It opened twice.")
        replied(page, work)
        assert selected(page) == "I"
        page.keyboard.press("Control+z")
        assert value(page, "long-answer") != "It opened twice."


class TestKnowledge:
    def test_words_of_the_article_become_evidence(self, page, work):
        read(page)
        expect(page.locator("#disambiguations")).to_be_hidden()
        words = sentence_of_article(page)
        select_in_article(page, words)
        page.keyboard.press("e")
        expect(page.locator("#piece-1")).to_have_value(words)
        expect(page.locator("#page-1")).to_have_value("Thames Tunnel")
        expect(page.locator("#evidence-1")).to_contain_text("Found in Thames Tunnel")
        saved_as(page, work, lambda draft: draft["knowledge"][0]["quote"])
        select_in_article(page, words)
        page.get_by_role("button", name="Use as evidence for").click()
        page.get_by_role("button", name="A new piece").click()
        expect(page.locator("#piece-2")).to_have_value(words)
        page.get_by_role("button", name="Delete piece 1").click()
        expect(page.locator("#pieces > li")).to_have_count(1)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#pieces > li")).to_have_count(2)
        page.get_by_role("link", name="Disambiguations").click()
        expect(page.locator("#disambiguations")).to_be_visible()
        expect(page.locator("#disambiguations .history")).to_contain_text("you read this")
        page.locator("#evidence-1 a").click()
        expect(page.locator("#quote-bar")).to_contain_text("As it was quoted")

    def test_a_piece_has_several_quotes_that_are_taken_off_again(self, page, work):
        read(page)
        for words in (sentence_of_article(page), "a penny each"):
            select_in_article(page, words)
            page.keyboard.press("e")
            if page.locator("#selection-targets").is_visible():
                page.keyboard.press("1")
            page.locator("#evidence-1", has_text="Found in").wait_for()
        quotes = page.locator("#evidence-1 [data-quote]")
        expect(quotes).to_have_count(2)
        draft = saved_as(page, work, lambda draft: draft["knowledge"][0].get("more"))
        page.reload()
        expect(quotes).to_have_count(2)
        page.get_by_role("button", name="Remove the quote a penny each").click()
        expect(quotes).to_have_count(1)
        page.get_by_role("button", name="Undo").click()
        expect(quotes).to_have_count(2)
        quotes.first.get_by_role("button").click()
        wanted = draft["knowledge"][0]["more"][0]
        saved_as(page, work, lambda draft: draft["knowledge"][0]["quote"] == wanted)
        expect(quotes).to_have_count(1)

    def test_pasted_sentences_are_found_on_the_page(self, page, work):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        read(page)
        words = sentence_of_article(page)
        page.evaluate("(words) => navigator.clipboard.writeText(words)", words)
        page.locator("#piece-1").click()
        page.keyboard.press("Control+v")
        expect(page.locator("#page-1")).to_have_value("Thames Tunnel")
        expect(page.locator("#evidence-1")).to_contain_text("Found in Thames Tunnel")
        saved_as(page, work, lambda draft: draft["knowledge"][0]["quote"])
        page.locator("#piece-1").press("Control+a")
        page.keyboard.type("Something else altogether.")
        page.locator("#page-1").focus()
        expect(page.locator("#evidence-1 [data-quote]")).to_have_count(0)
        saved_as(page, work, lambda draft: draft["knowledge"][0]["quote"] is None)

    def test_a_search_comes_over_the_disambiguations(self, page):
        page.keyboard.press("/")
        page.locator("#search:popover-open").wait_for()
        page.fill("#query", "tunnel trains")
        page.keyboard.press("Enter")
        page.locator("#results .result a").first.click()
        page.locator("#article-title").wait_for()
        expect(page.locator("#search")).to_be_hidden()
        expect(page.locator("#read")).to_be_visible()
        page.keyboard.press("r")
        expect(page.locator("#disambiguations")).to_be_focused()


def test_a_long_answer_is_handed_in_with_what_was_kept(page, work, project, writer):
    now = timezone.now()
    helpers.open_question(project, now, text="when did the second tunnel open")
    words = "in the winter of 1869"
    page.fill("#long-answer", f"{START}Walkers came on 25 March 1843, trains {words}.")
    page.locator("#feedback").fill("None.")
    expect(line(page, 2)).to_contain_text("as it is accepted")
    allow_problem(page, "status of 422")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#problems")).to_contain_text("say “7 December 1869”")
    page.locator("#problems a", has_text="7 December 1869").click()
    expect(line(page, 2)).to_be_focused()
    line(page, 2).get_by_text("Keep, because").click()
    page.keyboard.type("The day is not sure.")
    page.keyboard.press("Enter")
    expect(line(page, 2)).to_contain_text("Kept:")
    keep = page.locator("#messages-knowledge")
    if keep.get_by_text("Keep, because").count():
        keep.get_by_text("Keep, because").click()
        page.keyboard.type("It is all in the disambiguations.")
        page.keyboard.press("Enter")
        expect(keep).to_contain_text("Kept:")
    expect(page.locator("#todo")).to_contain_text("Ready")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Submitted. Here is the next question.").wait_for()
    answer = LongAnswer.objects.get()
    assert answer.text.endswith(f"trains {words}.")
    assert "missing-answer" in {each["rule"] for each in answer.keeps}
    assert value(page, "long-answer") == ""


def test_an_override_is_handed_in_with_its_span(page, work):
    words = "the seventh of December 1869"
    text = f"🚇 {START}Walkers came on 25 March 1843, then trains on {words}."
    page.fill("#long-answer", text)
    select_in_text(page, words)
    line(page, 2).get_by_text("I said it differently").click()
    expect(page.locator("#words-2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(line(page, 2)).to_contain_text("In your words")
    page.fill("#piece-1", "The tunnel is in London.")
    page.fill("#page-1", "London")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Submitted.").wait_for()
    override = LongAnswer.objects.get().overrides.get()
    assert (override.words, text[override.start : override.end]) == (words, words)


def test_parked_with_a_question_to_the_team(page, work):
    page.fill("#long-answer", START)
    page.get_by_role("button", name="Park").first.click()
    page.get_by_label("What is unclear?").fill("Is walking counted as open?")
    page.get_by_label("Ask the team").check()
    page.get_by_role("button", name="Park and stop").click()
    page.get_by_text("Parked. It waits for you under My work").wait_for()
    assert Thread.objects.get().kind == "park"
    assert Assignment.objects.get(pk=work.pk).draft["text"] == START.strip()
    page.goto(f"/work/{work.pk}/")
    page.get_by_text("Parked: “Is walking counted as open?”").wait_for()
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#long-answer")).to_have_value(START.strip())


def test_a_concern_is_raised_from_the_page(page, work):
    page.get_by_role("button", name="Raise a concern").first.click()
    page.get_by_label("What is wrong?").fill("Both disambiguations mean the same.")
    page.get_by_role("button", name="Raise the concern").click()
    page.get_by_text("Concern sent.").wait_for()
    assert Concern.objects.get().reason == "Both disambiguations mean the same."


def test_by_keyboard_alone(page, work):
    press, keyboard = page.keyboard.press, page.keyboard
    press("w")
    expect(page.locator("#long-answer")).to_be_focused()
    keyboard.type(f"{START}Walkers came on 25 March 1843, trains in winter. s / e r")
    expect(line(page, 2)).to_contain_text("Insert")
    press("F6")
    expect(page.locator("#checks")).to_be_focused()
    for _ in range(6):
        press("Tab")
        if page.evaluate("document.activeElement.dataset.insert ?? ''") == "7 December 1869":
            break
    press("Enter")
    expect(page.locator("#long-answer")).to_be_focused()
    expect(page.locator("#answers-badge")).to_have_text("2 of 2")
    assert value(page, "long-answer").endswith("s / e r 7 December 1869")
    press("F6")
    press("/")
    expect(page.locator("#query")).to_be_focused()
    keyboard.type("Thames Tunnel")
    press("Enter")
    page.locator('#results[data-query="Thames Tunnel"]').wait_for()
    page.locator("#results .result a").first.focus()
    press("Enter")
    expect(page.locator("#article-title")).to_be_focused()
    press("n")
    press("n")
    page.locator("#selection-bar:popover-open").wait_for()
    press("e")
    expect(page.locator("#page-1")).to_have_value("Thames Tunnel")
    saved_as(page, work, lambda draft: draft["knowledge"][0]["quote"])
    expect(page.locator("#todo")).to_contain_text("Ready")
    press("Control+Enter")
    page.get_by_text("Submitted.").wait_for()
    assert LongAnswer.objects.get().knowledge.get().page == "Thames Tunnel"


def test_only_the_question(page, work, project):
    Assignment.objects.filter(pk=work.pk).update(inputs="question")
    page.reload()
    html = page.content()
    for secret in ("1843", "7 December", "East London", "walkers"):
        assert secret not in html
    expect(page.locator("#query")).to_be_visible()
    page.fill("#query", "Thames Tunnel")
    page.keyboard.press("Enter")
    page.locator("#results .result a").first.click()
    page.locator("#article-title").wait_for()
    expect(page.locator("#read")).to_be_visible()
    select_in_article(page, sentence_of_article(page))
    page.keyboard.press("e")
    expect(page.locator("#page-1")).not_to_have_value("")
    page.fill(
        "#long-answer",
        "It opened twice, for walkers first and trains much later, as these pages say at length.",
    )
    expect(page.locator("#support")).to_contain_text("of your words are in the question")
    check_axe(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_for_axe_in_any_state(page, work, theme):
    page.emulate_media(color_scheme=theme)
    page.fill("#long-answer", f"{START}It had a party on 25 March 1843.")
    expect(page.locator("#answers-badge")).to_have_text("1 of 2")
    line(page, 2).get_by_text("I said it differently").click()
    check_axe(page, label="disambiguations")
    check_reflow(page)
    read(page)
    check_axe(page, label="article")
    page.set_viewport_size({"width": 390, "height": 844})
    for tab in ("disambiguations", "read", "write", "checks"):
        page.locator(f'.switcher a[href="#{tab}"]').click()
        expect(page.locator(f"#{tab}")).to_be_visible()
        check_axe(page, label=tab)
        check_reflow(page)
    # Many links to what is still to do leave its name its room.
    assert page.evaluate(
        """() => [...document.querySelectorAll("#checks .checklist li > span")]
          .every((each) => each.offsetHeight < 100)"""
    )
    page.set_viewport_size({"width": 720, "height": 450})  # 1440 at 200 %
    check_reflow(page, width=720)


def test_without_scripts(new_page, work, writer):
    page = new_page(java_script_enabled=False)
    sign_in(page, writer)
    allow_problem(page, "status of 422")
    page.goto(f"/work/{work.pk}/")
    page.fill("#long-answer", f"{START}Walkers came on 25 March 1843.")
    page.get_by_role("button", name="Insert “7 December 1869”").click()
    expect(page.locator("#long-answer")).to_have_value(re.compile(r"1843\. 7 December 1869$"))
    page.fill("#long-answer", f"{START}Walkers on 25 March 1843, trains in that winter.")
    page.locator("button[data-submit]").click()
    page.get_by_text("There is a problem").wait_for()
    page.locator("#say-2 summary").click()
    page.fill("#words-2", "in that winter")
    page.get_by_role("button", name="These words say it").click()
    expect(line(page, 2)).to_contain_text("In your words")
    page.get_by_role("button", name="Add a piece").click()
    page.fill("#piece-1", "The tunnel is under the river.")
    page.fill("#page-1", "Thames Tunnel")
    page.get_by_role("button", name="Delete piece 2").click()
    expect(page.locator("#piece-2")).to_have_count(0)
    assert value(page, "page-1") == "Thames Tunnel"
    page.locator("#disambiguations .history a").first.click()
    page.locator("#article-title").wait_for()
    page.get_by_role("link", name="Disambiguations").first.click()
    expect(page.locator("#disambiguations")).to_be_visible()
