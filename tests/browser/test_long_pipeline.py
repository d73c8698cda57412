"""ASQA all the way, each person in a window of their own.

A researcher imports two questions. Two people write a long answer to the first: one says a short
answer in other words, the other parks and asks first. The disambiguations of the second are wrong:
a concern excludes it. The release holds the one and says why it lacks the other.
"""

import gzip
import io
import json
import re
import zipfile
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Assignment, Job, LongAnswer, Question
from tests import factories
from tests.annotation.long_answers import helpers
from tests.browser.helpers import sign_in

FILE = {
    "dev": {
        "tunnel": {
            "ambiguous_question": "When did the Thames Tunnel open?",
            **helpers.TUNNEL,
            "annotations": [],
        },
        "twice": {
            "ambiguous_question": "When did the bridge open?",
            "qa_pairs": [
                {"question": q, "short_answers": ["1831"], "context": None, "wikipage": None}
                for q in ("When did the bridge open first?", "When did the bridge open at first?")
            ],
            "wikipages": [],
            "annotations": [],
        },
    }
}
OTHERWISE = helpers.TEXT.replace("7 December 1869", "the seventh of December 1869")
REASON = "Both disambiguations ask the same."
NOTE = "The two disambiguations are one."


@pytest.fixture
def project(transactional_db, monkeypatch):
    monkeypatch.setattr(
        jobs_services, "wake_workers", lambda job_id: None
    )  # jobs wait for the test
    return helpers.make_project(slug="asqa", title="Long crossings")


@pytest.fixture
def people(project):
    return {
        name: factories.make_member(project, role, name=full)
        for name, role, full in (
            ("rosa", "researcher", "Rosa Reed"),
            ("gia", "annotator", "Gia Gall"),
            ("hal", "annotator", "Hal Hook"),
        )
    }


def window(new_page, who):
    page = new_page(viewport={"width": 1440, "height": 900})
    sign_in(page, who)
    return page


def import_file(page, project):
    page.goto(reverse("import-create", args=[project.slug]))
    file = {"name": "two.json", "mimeType": "application/json", "buffer": json.dumps(FILE).encode()}
    page.locator("#upload-file").set_input_files(file)
    page.get_by_role("button", name="Import 2 questions").click()
    page.get_by_text("Waiting for a worker").wait_for()
    jobs_services.claim_and_run(job_id=Job.objects.get(kind="import").pk, clock=timezone.now)
    page.get_by_role("heading", name="2 questions are in").wait_for()


def take(page):
    page.goto(reverse("home"))
    page.get_by_role("button", name="Take the next question").click()
    page.wait_for_url(re.compile(r"/work/\d+/"))
    return Assignment.objects.get(pk=int(urlsplit(page.url).path.split("/")[2]))


def write(page, text):
    page.fill("#long-answer", text)
    piece = helpers.KNOWLEDGE[0]
    page.fill("#piece-1", piece.content)
    page.fill("#page-1", piece.page)


def submit(page):
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def say_otherwise(page, words):
    """Select words in the text and mark them as saying the second short answer."""
    expect(page.locator("#answer-2")).to_contain_text("I said it differently")
    page.locator("#long-answer").evaluate(
        """(box, words) => {
          const at = box.value.indexOf(words);
          box.focus();
          box.setSelectionRange(at, at + words.length);
        }""",
        words,
    )
    page.locator("#say-2 > summary").click()
    if page.locator("#say-2[open] #words-2").count() and not page.input_value("#words-2"):
        page.fill("#words-2", words)
    if page.get_by_role("button", name="These words say it").is_visible():
        page.get_by_role("button", name="These words say it").click()
    expect(page.locator("#answer-2")).to_contain_text("In your words")


def park_and_ask(page, reason):
    page.get_by_role("button", name="Park", exact=True).click()
    page.get_by_label("What is unclear?").fill(reason)
    page.get_by_label("Ask the team").check()
    page.get_by_role("button", name="Park and stop").click()
    page.wait_for_url(re.compile(r"/$"))


def reply(page, project, text):
    page.goto(reverse("claim-list", args=[project.slug]))
    page.get_by_role("link", name="When did the Thames Tunnel open?").click()
    page.get_by_label("Answer", exact=True).fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("main")).to_contain_text(text)


def raise_concern(page):
    page.get_by_role("button", name="Raise a concern").first.click()
    page.get_by_label("2. When did the bridge open at first?").check()
    page.get_by_label("What is wrong?").fill(REASON)
    page.get_by_role("button", name="Raise the concern").click()
    expect(page.locator("#messages .toast")).to_be_visible()


def exclude(page, project):
    page.goto(reverse("concern-list", args=[project.slug]))
    expect(page.locator(".concern")).to_contain_text(REASON)
    page.get_by_label("Why?").fill(NOTE)
    page.get_by_role("button", name="Exclude the question").click()
    expect(page.locator("#messages .toast")).to_be_visible()


def released(page, project):
    """Download the release; return data, manifest, card, and the text of all its files."""
    page.goto(reverse("project-overview", args=[project.slug]))
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("Download the release ASQA")).click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()}
    texts = {
        name: (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
        for name, raw in files.items()
    }
    [manifest] = [name for name in texts if name.endswith(".manifest.json")]
    data = manifest.removesuffix(".manifest.json")
    [card] = [text for name, text in texts.items() if name.endswith(".md")]
    return json.loads(texts[data]), json.loads(texts[manifest]), card, "\n".join(texts.values())


def test_two_questions_all_the_way(new_page, project, people):
    rosa = window(new_page, people["rosa"])
    import_file(rosa, project)

    gia = window(new_page, people["gia"])
    assert take(gia).task.question.external_id == "tunnel"
    write(gia, OTHERWISE)
    say_otherwise(gia, "the seventh of December 1869")
    submit(gia)

    hal = window(new_page, people["hal"])
    parked = take(hal)
    park_and_ask(hal, "Does the fair below ground count as an opening?")
    reply(rosa, project, "No: it was open to walkers all the time.")
    hal.goto(reverse("home"))
    expect(hal.locator("main")).to_contain_text("No: it was open to walkers all the time.")
    hal.get_by_role("button", name=re.compile("Resume")).click()
    hal.wait_for_url(re.compile(rf"/work/{parked.pk}/"))
    write(hal, helpers.TEXT)
    submit(hal)
    assert Question.objects.get(external_id="tunnel").state == Question.State.ACCEPTED

    assert "/work/" in gia.url  # she went on to the second question
    raise_concern(gia)
    assert Question.objects.get(external_id="twice").state == Question.State.FLAGGED
    exclude(rosa, project)
    gia.goto(reverse("home"))
    expect(gia.locator("main")).to_contain_text(NOTE)

    data, manifest, card, everything = released(rosa, project)
    assert {split: list(records) for split, records in data.items()} == {"dev": ["tunnel"]}
    record = data["dev"]["tunnel"]
    assert list(record) == ["ambiguous_question", "qa_pairs", "wikipages", "annotations"]
    assert record["qa_pairs"] == helpers.TUNNEL["qa_pairs"]
    assert [each["long_answer"] for each in record["annotations"]] == [OTHERWISE, helpers.TEXT]
    piece = helpers.KNOWLEDGE[0]
    assert record["annotations"][0]["knowledge"] == [
        {"content": piece.content, "wikipage": piece.page}
    ]
    assert NOTE in json.dumps(manifest)
    assert "1 questions excluded" in card or "1 question excluded" in card
    assert not any(name in everything for name in ("Gia", "Gall", "Hal", "Hook", "Rosa", "Reed"))
    override = LongAnswer.objects.get(author=people["gia"]).overrides.get()
    assert OTHERWISE[override.start : override.end] == override.words
