"""Somebody's work over a live wiki, a real MediaWiki: read as of a day, and still there afterwards.

The wiki's newest revision of “Lantern Bridge” says something else than that of 2017, which is what
the project reads. Then the wiki goes away.
"""

import datetime as dt
import json
import re
from contextlib import ExitStack

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import expect

from annotation.exports.services import start_export
from annotation.models import Annotation, Event
from tests.browser.helpers import allow_problem, check_axe, check_reflow, settle, sign_in
from tests.browser.test_reading import events, open_result, search, select, title_is
from tests.browser.work.conftest import saved_as
from tests.wikipedia.live import wiki as real
from wikipedia.models import Quote, ShownPage, WikiHost
from wikipedia.providers import api as wiki_api
from wikipedia.providers.registry import forget_providers

pytestmark = [pytest.mark.mediawiki, pytest.mark.xdist_group("mediawiki")]

THEN, NOW = "replaced by gas in 1934", "electric lamps date from 2018"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    reason = real.missing()
    if reason:
        pytest.skip(f"the session over a real MediaWiki did not run: {reason}")
    folder, port = tmp_path_factory.mktemp("wiki"), real.free_port()
    real.build(folder, port)
    return folder, port


@pytest.fixture
def running(built):
    """The wiki, serving until `.close()` is called."""
    cache.clear()
    forget_providers()
    with ExitStack() as stack:
        stack.enter_context(real.serve(*built))
        yield stack
    forget_providers()


@pytest.fixture
def work(world, page, built, running):
    """The annotator's question, in a project that reads the wiki as of the end of 2017."""
    type(world.snapshot).objects.filter(pk=world.snapshot.pk).update(
        name="rivertown",
        title="Rivertown wiki, 31 December 2017",
        kind="live",
        archive="",
        address=f"http://127.0.0.1:{built[1]}/api.php",
        as_of=dt.date(2017, 12, 31),
    )
    world.snapshot.refresh_from_db()
    world.project.policies.update(minimum_seconds=0)
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{world.assignment.pk}/")
    return page


def wiki_goes_away(running, monkeypatch):
    """It does not answer, nothing is in the cache, and nobody waits long for it in a test."""
    running.close()
    cache.clear()
    monkeypatch.setattr(wiki_api, "ATTEMPTS", 1)


def test_the_text_of_the_day_is_read_quoted_handed_in_and_shown_again(
    work, world, new_page, running, monkeypatch
):
    page = work
    # Today's search leads to the text of the day.
    search(page, "electric lamps 2018")
    expect(page.locator("#results")).to_contain_text("as they were on 31 December 2017")
    open_result(page, "Lantern Bridge")
    article = page.locator("#article")
    expect(article).to_contain_text(THEN)
    expect(article).not_to_contain_text(NOW)
    kept = ShownPage.objects.get()
    expect(page.locator(".tagline")).to_contain_text(f"Revision {kept.rev_id} of 15 June 2017")
    expect(page.locator("#article .licence")).to_contain_text("CC BY-SA")
    assert page.locator("#article img").first.evaluate("picture => picture.decode()") is None
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        check_axe(page, label=theme)
    check_reflow(page)
    # On to another page by a link, to a place on it, and back.
    page.locator(".article-text a", has_text="the old tolls").click()
    title_is(page, "Ferry House")
    page.go_back()
    title_is(page, "Lantern Bridge")
    page.keyboard.press("f")
    page.keyboard.type("gas in")
    expect(page.locator("#find-count")).to_have_text("1 of 1")
    page.keyboard.press("Escape")

    # A page of later did not exist yet.
    allow_problem(page, "status of 404")
    page.locator(".article-text a", has_text="Lamp museum").click()
    expect(page.locator("#reader")).to_contain_text("did not exist yet on 31 December 2017")
    page.locator("#history a", has_text="Lantern Bridge").click()
    title_is(page, "Lantern Bridge")

    page.get_by_label("One clear answer").check()
    page.locator("[name='single-form'], #single-answer, #answer-single").first.wait_for()
    select(page, "1934")
    page.get_by_role("button", name="Use as answer").first.click()
    expect(page.locator(".chip", has_text="1934")).to_be_visible()
    page.click("[data-submit]")
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    settle()  # what the page reported as it was left

    assert Annotation.objects.get().kind == "single"
    check_export(world, kept)

    # Years later: the wiki is gone, and staff look at what the answer was taken from.
    wiki_goes_away(running, monkeypatch)
    staff = new_page()
    allow_problem(staff, "status of 503")  # the picture was never kept
    sign_in(staff, world.people["researcher"])
    visit = Event.objects.filter(kind="page_open").first()
    staff.goto(reverse("question-view", args=[world.slug, world.question.pk]))
    staff.locator("summary", has_text="page").first.click()
    staff.locator("details a", has_text="Lantern Bridge").first.click()
    staff.wait_for_url(f"**{reverse('visit-view', args=[world.slug, visit.pk])}")
    expect(staff.locator("#article")).to_contain_text(THEN)
    expect(staff.get_by_text(kept.html_sha256)).to_be_visible()
    expect(staff.get_by_text("15 June 2017, 12:00 UTC")).to_be_visible()


def check_export(world, kept):
    """The raw record carries snapshot, revision, quote and every step."""
    export = start_export(project=world.project, format="annotations", by=None, now=world.now)
    [record] = [json.loads(line) for line in b"".join(export.blocks()).splitlines()]
    assert record["snapshot"]["name"] == "rivertown"
    assert record["snapshot"]["as_of"] == "2017-12-31"
    assert record["response"] == {"type": "singleAnswer", "answer": ["1934"]}
    [quote] = record["quotes"]
    assert quote["exact"] == "1934"
    source = quote["source"]
    assert (source["rev_id"], source["rev_timestamp"]) == (kept.rev_id, "2017-06-15T12:00:00+00:00")
    assert source["url"].endswith(f"oldid={kept.rev_id}")
    assert source["html_sha256"] == kept.html_sha256
    place = quote["position"]
    assert kept.text[place["start"] : place["end"]] == "1934"
    log = record["events"]
    opened = [each for each in log if each["kind"] == "page_open"]
    [found] = [each for each in log if each["kind"] == "search"]
    first, second = opened[0], opened[1]
    assert [each["data"]["via"] for each in opened] == ["search", "link", "history"]
    assert (first["data"]["rank"], first["data"]["search_event"]) == (1, found["id"])
    assert first["data"]["rev_id"] == kept.rev_id
    assert first["data"]["html_sha256"] == kept.html_sha256
    assert second["data"]["from_open"] == first["id"]
    assert second["data"]["anchor"] == "w-Tolls"
    [find] = [each for each in log if each["kind"] == "find_in_page"]
    assert (find["data"]["query"], find["data"]["hits"]) == ("gas in", 1)
    assert find["data"]["page_open"] in {each["id"] for each in opened}
    closed = [each["data"]["page_open"] for each in log if each["kind"] == "page_close"]
    assert first["id"] in closed


def test_when_the_wiki_goes_away_reading_goes_on_and_nothing_is_lost(
    work, world, running, monkeypatch
):
    page = work
    search(page, "electric lamps 2018")
    open_result(page, "Lantern Bridge")
    page.fill("#question-1", "When did gas lamps come to Lantern Bridge?")
    page.fill("#answer-1", "1934")
    expect(page.locator("#save-state")).to_contain_text("Saved")
    wiki_goes_away(running, monkeypatch)

    allow_problem(page, "status of 503")
    page.fill("#query", "river")
    page.press("#query", "Enter")
    expect(page.locator("#results")).to_contain_text("cannot be reached now")
    expect(page.locator("#results")).to_contain_text("What you wrote is kept")
    WikiHost.objects.all().delete()  # or the pause would be what is told
    page.locator(".article-text a", has_text="River Elm").first.click()
    expect(page.locator("#reader")).to_contain_text("The page could not be opened")
    WikiHost.objects.all().delete()
    page.locator("#history a", has_text="Lantern Bridge").click()
    title_is(page, "Lantern Bridge")
    note = page.locator("#reader .message")
    expect(note).to_contain_text("This is the page as it was kept on")
    expect(note).to_contain_text(re.compile("cannot be reached now|asks Ambit to wait"))
    expect(page.locator("#article")).to_contain_text(THEN)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        check_axe(page, label=theme)
    check_reflow(page)

    # Words of it can still be quoted, and the draft is all there after loading the page again.
    page.locator("#selection-bar[data-ready]").wait_for(state="attached")
    select(page, THEN)
    page.get_by_role("button", name="Use as answer of…").click()
    page.locator("#selection-targets").get_by_role("button", name="Pair 2").click()
    page.locator("#pairs > li:nth-child(2) .chip").wait_for()
    assert Quote.objects.get().page == ShownPage.objects.get()
    saved_as(page, world.assignment, lambda found: found["pairs"][1]["answers"])
    page.reload()
    title_is(page, "Lantern Bridge")
    assert page.input_value("#question-1") == "When did gas lamps come to Lantern Bridge?"
    expect(page.locator("#pairs > li:nth-child(2) .chip")).to_have_count(1)
    assert [each["stored"] for each in events("page_open")] == [False]
