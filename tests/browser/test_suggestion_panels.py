"""Suggestions on the pages of validation and long answers, with the mouse, by keys, on a phone."""

import os

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Event, StagePolicy, SuggestionUse
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from tests.browser.helpers import check_axe, check_reflow, runs, sign_in
from tests.browser.long_answers.conftest import (  # noqa: F401 - fixtures
    demo_folder,
    project,
    work,
    writer,
)
from tests.browser.test_validation import PROMPT, validator_turn
from tests.browser.work.conftest import saved_as

SYSTEM = "Reader 8B"
DRAFT = "The tunnel was first a footway, and trains have run through it for most of its life."
PASSAGE = "About 50,000 people paid a penny each to walk through on the first day."


def offer(assignment, *suggested, now, version="1"):
    StagePolicy.objects.filter(pk=assignment.policy_id).update(suggestions=SYSTEM)
    suggestions_services.store_suggestions(
        question=assignment.task.question,
        system=SYSTEM,
        version=version,
        suggestions=suggested,
        now=now,
    )


def fates(assignment):
    rows = SuggestionUse.objects.filter(assignment=assignment).order_by("suggestion_id")
    return list(rows.values_list("fate", flat=True))


def looked_at(page, name):
    """Save pictures where SHOTS names a folder."""
    if folder := os.environ.get("SHOTS"):
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            for width in (1440, 900, 390):
                page.set_viewport_size({"width": width, "height": 1000})
                if page.locator("#suggestions").is_visible():
                    page.locator("#suggestions").scroll_into_view_if_needed()
                page.screenshot(path=f"{folder}/{name}-{width}-{theme}.png")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1440, "height": 900})


@pytest.fixture
def decided(new_page, world):
    """A validator in front of a disagreement and of suggestions."""
    turn = validator_turn(world)
    offer(
        turn,
        SuggestedContent(
            "pair", "When did the medieval London Bridge open?", ("1209",), "Done in 1209."
        ),
        SuggestedContent("pair", "When did London Bridge open in Arizona?", ("10 October 1971",)),
        SuggestedContent("answer", answers=("1973",)),
        now=world.now,
    )
    page = new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, world.people["validator"])
    page.goto(f"/work/{turn.pk}/")
    expect(page.locator("h1")).to_have_text(PROMPT)
    runs(page, "annotation/suggestions/suggestions.js")
    page.turn = turn
    return page


def test_a_validator_goes_through_them_by_keys(decided):
    page, panel = decided, decided.locator("#suggestions")
    expect(panel).to_contain_text("open after your first decision")
    assert "1209" not in page.content()
    page.locator("[name=verdict-1][value=correct]").check()
    expect(panel).to_contain_text(f"2 from {SYSTEM}: 2 to look at")
    looked_at(page, "validation")

    # j and k go from answer to answer until the panel has the focus.
    page.locator("h1").click()
    page.keyboard.press("j")
    expect(page.locator("#rows [name=select]").first).to_be_focused()
    page.keyboard.press("t")
    expect(panel.locator(".suggestion").nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(panel.locator(".suggestion").nth(1)).to_be_focused()
    page.keyboard.press("k")
    count = page.locator("#rows > [data-row]").count()
    page.keyboard.press("a")
    expect(page.locator("#rows > [data-row]")).to_have_count(count + 1)
    expect(page.locator("#rows > [data-row]").last).to_contain_text(f"From {SYSTEM}")
    expect(panel.locator(".suggestion").nth(1)).to_be_focused()
    page.keyboard.press("d")
    expect(panel).to_contain_text("1 used, 1 dismissed")
    expect(page.locator("#suggestions-title")).to_be_focused()
    assert fates(page.turn) == ["accepted", "dismissed"]
    check_axe(page)

    # Typing is never taken for a key, and a change makes it edited.
    row = page.locator("#rows > [data-row]").last
    row.locator("textarea").first.press_sequentially(" ad")
    expect(row).to_contain_text("edited by you")
    assert fates(page.turn) == ["edited", "dismissed"]
    looked_at(page, "validation-decided")
    page.locator("#tool-undo").click()
    expect(row).to_contain_text("as it was suggested")
    page.locator("#tool-undo").click()
    expect(panel).to_contain_text("1 to look at, 1 dismissed")
    check_reflow(page)


@pytest.fixture
def writing(new_page, work, writer):  # noqa: F811 - fixtures
    """A writer of a long answer in front of suggestions."""
    offer(
        work,
        SuggestedContent("passage", text=PASSAGE, title="Thames Tunnel", path="Thames_Tunnel"),
        SuggestedContent("long_answer", text=DRAFT),
        SuggestedContent("passage", text="It has two arches.", title="Thames Tunnel"),
        now=timezone.now(),
    )
    page = new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, writer)
    page.goto(f"/work/{work.pk}/")
    page.locator("#selection-bar[data-ready]").wait_for(state="attached")
    for script in ("suggestions.js", "passages.js"):
        runs(page, f"annotation/suggestions/{script}")
    page.work = work
    return page


def test_a_writer_takes_a_draft_and_a_passage(writing):
    page, panel = writing, writing.locator("#suggestions")
    expect(panel).to_contain_text("open after your first sentence")
    own = "The Thames Tunnel has opened more than once, for different people."
    page.fill("#long-answer", own)
    expect(panel).to_contain_text(f"3 from {SYSTEM}: 3 to look at")
    looked_at(page, "long")

    page.locator("h1").click()
    page.keyboard.press("j")
    expect(panel.locator(".suggestion").nth(0)).to_be_focused()

    # Its page opens at its words, and a second time is not read again.
    page.keyboard.press("v")
    expect(page.locator("#article-title")).to_have_text("Thames Tunnel")
    expect(page.locator("#announcer")).to_contain_text("underlined in the article")
    assert page.evaluate("[...CSS.highlights.get('offered')].map(String)") == [PASSAGE]
    looked_at(page, "long-passage")
    page.keyboard.press("j")
    expect(panel.locator(".suggestion").nth(0)).to_be_focused()
    page.keyboard.press("v")
    expect(page.locator("#announcer")).to_contain_text("underlined in the article")
    assert Event.objects.filter(assignment=page.work, kind="page_open").count() == 1

    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("a")
    expect(page.locator("#piece-1")).to_have_value(PASSAGE)
    expect(page.locator("#evidence-1")).to_contain_text("Found in Thames Tunnel")
    expect(page.locator("#page-1")).to_have_value("Thames Tunnel")
    expect(page.locator("#pieces > li")).to_have_count(1)
    expect(panel.locator(".suggestion").nth(1)).to_be_focused()

    # A draft goes to the cursor as if typed, so that undo takes it back.
    page.locator("#long-answer").focus()
    page.keyboard.press("Control+End")
    page.get_by_role("button", name="Add to my text").click()
    expect(page.locator("#long-answer")).to_have_value(f"{own} {DRAFT}")
    expect(page.locator("#text-origin")).to_contain_text("as it was suggested")
    page.keyboard.type(" And so on.")
    page.fill("#long-answer", f"{own} {DRAFT.replace('first', 'at first')}")
    expect(page.locator("#text-origin")).to_contain_text("edited by you")
    page.get_by_role("button", name="Edit suggestion 3 first").click()
    expect(page.locator("#piece-2")).to_be_focused()
    expect(page.locator("#pieces > li")).to_have_count(2)
    page.keyboard.press("Control+End")
    page.keyboard.type(" They are old.")
    expect(page.locator("#origin-2")).to_contain_text("edited by you")
    expect(panel).to_contain_text("3 used")
    assert fates(page.work) == ["accepted", "edited", "edited"]
    check_axe(page)
    looked_at(page, "long-decided")

    # What is deleted gives its suggestion back; the next piece keeps its own.
    page.get_by_role("button", name="Delete piece 1").click()
    expect(panel).to_contain_text("2 used, 1 to look at")
    draft = saved_as(page, page.work, lambda saved: len(saved["knowledge"]) == 1)
    assert draft["knowledge"][0]["content"] == "It has two arches. They are old."
    assert "suggestion" in draft["knowledge"][0]
    check_reflow(page)
