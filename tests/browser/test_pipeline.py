"""One prompt all the way, each person in a window of their own.

A researcher imports it; two people answer it and disagree; a validator decides; the release holds
that. One of the two claims that the result is wrong; the researcher changes what is accepted; the
release holds the change, and its author reads of it.
"""

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
from annotation.models import Assignment, Job, Question, Task
from tests import factories
from tests.annotation.work.conftest import open_page
from tests.browser.helpers import sign_in
from validation.models import Decision, Ruling
from wikipedia.models import ShownPage

PROMPT = "when did london bridge open"
CARTS = "When did London Bridge open to carts?"
CARRIAGES = "When did London Bridge open to carriages?"
PRESENT = "When did London Bridge open in its present form?"
ARIZONA = "When did London Bridge open in Arizona?"
ARTICLE = "It opened to carts in 1831, in Arizona in 1971 and in its present form in 1973."


@pytest.fixture
def world(world, monkeypatch):
    """No other question to do; an article that has the answers; jobs wait for the test."""
    world.project.policies.update(minimum_seconds=0)
    world.project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    Question.objects.update(state="excluded")
    Task.objects.update(seats=0)
    ShownPage.objects.create(
        snapshot=world.snapshot,
        path="A/London_Bridge",
        title="London Bridge",
        retrieved_at=timezone.now(),
        text=ARTICLE,
        text_sha256="0" * 64,
    )
    world.gia = factories.make_member(world.project, "annotator", name="Gia Gall")
    world.hal = factories.make_member(world.project, "annotator", name="Hal Hook")
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    return world


def window(new_page, who):
    page = new_page(viewport={"width": 1440, "height": 900})
    sign_in(page, who)
    return page


def import_prompt(page, world):
    page.goto(reverse("import-create", args=[world.slug]))
    line = json.dumps({"id": "bridge", "question": PROMPT}) + "\n"
    file = {"name": "one.jsonl", "mimeType": "application/json", "buffer": line.encode()}
    page.locator("#upload-file").set_input_files(file)
    page.get_by_role("button", name="Import 1 question").click()
    page.get_by_text("Waiting for a worker").wait_for()
    jobs_services.claim_and_run(job_id=Job.objects.latest("pk").pk, clock=timezone.now)
    page.get_by_role("heading", name="1 question is in").wait_for()


def take(page):
    """Take the next question; returns the turn."""
    page.goto(reverse("home"))
    page.get_by_role("button", name="Take the next question").click()
    page.wait_for_url(re.compile(r"/work/\d+/"))
    return Assignment.objects.get(pk=int(urlsplit(page.url).path.split("/")[2]))


def submit(page):
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def answer(page, *pairs):
    open_page(take(page), path="A/London_Bridge")
    page.reload()
    for number, (question, form) in enumerate(pairs, start=1):
        page.fill(f"#question-{number}", question)
        page.fill(f"#answer-{number}", form)
    submit(page)


def validate(page):
    """Leave the bridge in Arizona out."""
    take(page)
    arizona = page.locator("#rows > [data-row]").filter(
        has=page.locator('input[name$="-answer"][value="1971"]')
    )
    arizona.locator("button[value^='exclude ']").click()
    expect(page.locator(".cluster.excluded")).to_have_count(1)
    expect(page.locator("#preview")).to_contain_text("Ready to submit")
    assert not any(name in page.content() for name in ("Gia", "Hal Hook", "Gall"))
    submit(page)


def released(page, world):
    """Download the release; return the answers of its one record, question by question."""
    page.goto(reverse("project-overview", args=[world.slug]))
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("Download the release AmbigNQ.*light")).click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as bundle:
        [manifest] = [n for n in bundle.namelist() if n.endswith(".manifest.json")]
        [record] = json.loads(bundle.read(manifest.removesuffix(".manifest.json")))
    assert (record["id"], record["question"]) == ("bridge", "When did london bridge open?")
    [accepted] = record["annotations"]
    return {pair["question"]: pair["answer"] for pair in accepted["qaPairs"]}


def claim(page, text):
    page.goto(reverse("submission-list"))
    page.get_by_role("link", name="When did london bridge open?").click()
    expect(page.locator("main")).to_contain_text("Judged incorrect")
    page.get_by_label("What is unclear, or wrong?").fill(text)
    page.get_by_role("button", name="Dispute this result").click()
    expect(page.locator("main")).to_contain_text(text)


def change(page, world, reason):
    """Put the bridge in Arizona back."""
    page.goto(reverse("claim-list", args=[world.slug]))
    page.get_by_role("link", name="When did london bridge open?").click()
    page.get_by_role("link", name="Change accepted answers").click()
    page.get_by_role("button", name="Add an answer").click()
    page.locator("[data-row]").nth(2).locator("textarea[name$=-question]").fill(ARIZONA)
    page.get_by_label("A form of answer").fill("1971")
    page.get_by_label("Why").fill(reason)
    page.get_by_role("button", name="Save the change").click()
    expect(page.locator("#messages")).to_contain_text("Changed.")


def test_from_import_to_the_release_of_a_claim(new_page, world):
    staff = window(new_page, world.people["researcher"])
    import_prompt(staff, world)
    question = Question.objects.get(external_id="bridge")

    gia, hal = window(new_page, world.gia), window(new_page, world.hal)
    answer(gia, (CARTS, "1831"), (PRESENT, "1973"))
    answer(hal, (CARRIAGES, "1831"), (ARIZONA, "1971"))
    question.refresh_from_db()
    assert question.state == "validating"

    validate(window(new_page, world.people["validator"]))
    question.refresh_from_db()
    assert question.state == "edited"
    both = {"|".join(order) for order in ((CARTS, CARRIAGES), (CARRIAGES, CARTS))}
    before = released(staff, world)
    assert before.pop(PRESENT) == ["1973"]
    [(carts, forms)] = before.items()
    assert carts in both
    assert forms == ["1831"]

    claim(hal, "London Bridge stands in Arizona since 1971.")
    change(staff, world, "It is the same bridge, opened once more.")
    assert Ruling.objects.latest("pk").decision == Decision.objects.get(in_force=True)
    after = released(staff, world)
    assert after == {carts: ["1831"], PRESENT: ["1973"], ARIZONA: ["1971"]}

    hal.reload()
    expect(hal.locator("main")).to_contain_text("It is the same bridge, opened once more.")
    staff.goto(reverse("project-agreement", args=[world.slug]))
    computing = Job.objects.get(kind="agreement")
    jobs_services.claim_and_run(job_id=computing.pk, clock=timezone.now)
    row = staff.get_by_role("row", name=re.compile("An annotator missed a pair"))
    expect(row).to_contain_text("100 %")
