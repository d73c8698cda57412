"""A file on its way into a project: each state of its pages, as a researcher sees it."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.imports import checks
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from tests.browser.helpers import allow_problem, check_axe, check_reflow, sign_in

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = "ref;text;gold;set;asked_by\nB-1;When was the bridge rebuilt?;1911|1958;eval;desk\n"


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """Jobs wait until the test runs them."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


@pytest.fixture
def start(page, world):
    sign_in(page, world.people["researcher"])
    page.goto(reverse("import-create", args=[world.slug]))
    return page


def choose(page, content, name="questions.jsonl"):
    """Choose a file, which is sent at once."""
    file = {"name": name, "mimeType": "text/plain", "buffer": content}
    page.locator("#upload-file").set_input_files(file)


def look_at(page, label):
    """Look at a state in both themes and on a narrow screen."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        check_axe(page, label=f"{label}, {theme}")
    check_reflow(page)
    page.emulate_media(color_scheme="light")


def test_a_first_file_from_the_drop_to_the_questions(start, world):
    page = start
    expect(page.get_by_role("heading", name="Import questions", level=1)).to_be_visible()
    look_at(page, "drop")
    choose(page, b'{"question": "Who built it?"}\n{"question": "Where is it"}\n', "first.jsonl")
    expect(page.get_by_role("heading", name="2 questions to import")).to_be_visible()
    expect(page.get_by_text("No question mark.")).to_be_visible()
    look_at(page, "detected")
    page.get_by_role("button", name="Import 2 questions").click()
    page.get_by_text("Waiting for a worker").wait_for()
    jobs_services.claim_and_run(job_id=Job.objects.latest("pk").pk, clock=timezone.now)
    heading = f"2 questions are in {world.project.title}"
    page.get_by_role("heading", name=heading, level=1).wait_for()
    expect(page.get_by_role("link", name="Check the policies")).to_be_visible()
    look_at(page, "done")
    assert Question.objects.filter(project=world.project, text="Who built it?").exists()


def test_columns_are_mapped_by_choosing(start, world):
    page = start
    choose(page, TABLE.replace("text", "wording").encode(), "bridges.csv")
    expect(page.get_by_label("Use the column wording as")).to_have_value("question")
    expect(page.get_by_label("Use the column gold as")).to_have_value("answers")
    expect(page.get_by_text("Answers: 1911 · 1958")).to_be_visible()
    look_at(page, "mapping")
    page.get_by_label("Use the column asked_by as").select_option("leave")
    expect(page.get_by_text("Kept with it")).to_be_hidden()
    page.get_by_label("Use the column wording as").select_option("keep")
    expect(page.get_by_text("Say which column holds the question.")).to_be_visible()
    look_at(page, "mapping without a question")
    page.get_by_label("Use the column wording as").select_option("question")
    expect(page.get_by_role("button", name="Import 1 question")).to_be_visible()


def test_refused_lines_are_named_and_downloaded(start):
    page = start
    choose(page, b'{"question": "Who?"}\n{"question": "Wh\n{"question": ""}\n')
    expect(page.get_by_role("heading", name="2 of 3 lines cannot be imported")).to_be_visible()
    look_at(page, "problems")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the refused lines").click()
    assert download.value.suggested_filename == "refused-lines.csv"
    with page.expect_download() as download:
        page.get_by_role("link", name="Download to correct").click()
    assert download.value.suggested_filename == "refused-lines.jsonl"
    page.get_by_role("button", name="Import the other one").click()
    page.get_by_text("Waiting for a worker").wait_for()
    jobs_services.claim_and_run(job_id=Job.objects.latest("pk").pk, clock=timezone.now)
    expect(page.get_by_role("heading", name="2 were refused")).to_be_visible()
    look_at(page, "done with refused lines")


def test_a_large_file_that_stays_closed(start, monkeypatch):
    monkeypatch.setattr(checks, "CHECKED_BYTES", 10)
    page = start
    choose(page, b'{"question": "Who built it?"}\n{"question": "Where is it?"}\n')
    expect(page.get_by_text("The first 2 lines were read; the rest is checked")).to_be_visible()
    page.get_by_label("Do not open them to annotators yet").check()
    look_at(page, "large")
    page.get_by_role("button", name="Import the file").click()
    page.get_by_text("Waiting for a worker").wait_for()
    jobs_services.claim_and_run(job_id=Job.objects.latest("pk").pk, clock=timezone.now)
    expect(page.get_by_role("heading", name="2 questions are not open yet")).to_be_visible()
    look_at(page, "done, not open")
    page.get_by_role("button", name="Open them to annotators").click()
    expect(page.get_by_text("2 questions are open to annotators now.")).to_be_visible()


def test_a_workbook_says_how_to_save_it(start):
    page = start
    allow_problem(page, "status of 422")
    choose(page, b"PK\x03\x04[Content_Types].xml", "bridges.xlsx")
    expect(page.get_by_text("bridges.xlsx is an Excel workbook")).to_be_visible()
    look_at(page, "unreadable")


def test_pasted_lines_are_checked(start):
    page = start
    page.get_by_label("Lines Optional", exact=True).fill("Who built it?\nWhen?\nWho built it?")
    page.get_by_role("button", name="Check the questions").click()
    expect(page.get_by_text("line 3 is line 1 again")).to_be_visible()
    look_at(page, "pasted")
