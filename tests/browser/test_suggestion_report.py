"""Staff start suggestions and stop them; what people do with some is in the report, exactly."""

from threading import Event, Thread

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Job, StagePolicy, Suggestion
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from modeling.baselines.naive import QuestionX8
from modeling.services import running
from tests import factories
from tests.annotation.work.conftest import open_page
from tests.browser.helpers import check_axe, runs, sign_in
from tests.browser.work.conftest import FIRST, address
from wikipedia.models import ShownPage

SECOND = "When did the Thames Tunnel open for the second time?"
DATES = ("25 March 1843", "7 December 1869", "12 May 1995", "27 April 2010", "24 March 2011")


@pytest.fixture
def work(world):
    """The annotator's question with four suggestions, and a page that has every answer opened."""
    StagePolicy.objects.filter(pk=world.policy.pk).update(suggestions="Reader 8B", people=2)
    ShownPage.objects.create(
        snapshot=world.snapshot,
        path="A/Thames_Tunnel",
        title="Thames Tunnel",
        retrieved_at=timezone.now(),
        text=f"It was in the news on {', '.join(DATES)}.",
        text_sha256="0" * 64,
    )
    suggestions_services.store_suggestions(
        question=world.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            SuggestedContent(
                "pair", f"When did the Thames Tunnel open for the {nth} time?", (date,)
            )
            for nth, date in zip(("second", "third", "fourth", "fifth"), DATES[1:], strict=True)
        ],
        now=world.now,
    )
    open_page(world.assignment)
    return world.assignment


def begin(page, user, work):
    """Open the work and write a pair of one's own, which opens the suggestions."""
    sign_in(page, user)
    page.goto(address(work))
    runs(page, "annotation/suggestions/suggestions.js")
    page.fill("#question-1", FIRST)
    page.fill("#answer-1", DATES[0])
    expect(page.locator("#suggestions")).to_contain_text("4 from Reader 8B: 4 to look at")


def submit(page):
    page.click("[data-submit]")
    expect(page.locator("#messages")).to_contain_text("Submitted.")


def test_the_report_has_what_people_did(new_page, work, world):
    page = new_page()
    begin(page, world.people["annotator"], work)
    page.get_by_role("button", name="Accept suggestion 1").click()
    expect(page.locator("#question-2")).to_have_value(SECOND)
    page.get_by_role("button", name="Edit suggestion 2 first").click()
    expect(page.locator("#question-3")).to_be_focused()
    page.fill("#question-3", "When did the Thames Tunnel open after its repairs?")
    expect(page.locator("#origin-3")).to_contain_text("edited by you")
    page.get_by_role("button", name="Dismiss suggestion 3").click()
    expect(page.locator("#suggestions")).to_contain_text("2 used, 1 to look at, 1 dismissed")
    submit(page)

    ben = factories.make_member(world.project, "annotator", name="Ben Baker")
    world.task.refresh_from_db()
    second = factories.make_assignment(world.task, ben)
    open_page(second)
    begin(page, ben, second)
    page.get_by_role("button", name="Accept suggestion 1").click()
    expect(page.locator("#question-2")).to_have_value(SECOND)
    submit(page)

    sign_in(page, world.people["researcher"])
    page.goto(reverse("project-overview", args=[world.slug]))
    page.get_by_role("link", name="Quality").click()
    page.get_by_role("link", name="Suggestions").click()
    table = page.locator("section", has=page.get_by_text("What people did with them"))
    expect(table.locator("tbody tr")).to_have_count(1)
    cells = table.locator("tbody tr td").all_inner_texts()
    figures = [" ".join(cell.split("(")[0].split()) for cell in cells]
    assert figures == ["1", "8", "2, 25 %", "1, 12 %", "1, 12 %", "4, 50 %"]
    expect(table.locator("tbody th")).to_contain_text("Reader 8B version 1, Generation, pairs")
    compared = page.locator("section", has=page.get_by_text("With and without"))
    expect(compared).to_contain_text("1 with, 0 held out")
    # One has four dates, the other two, which are among them.
    expect(compared).to_contain_text("F1-answer of two annotators")
    with page.expect_download() as file:
        page.get_by_role("link", name="CSV").click()
    lines = file.value.path().read_text().splitlines()
    assert "generation,Reader 8B,1,pair,accepted,2.0,,,1," in lines
    assert any(line.startswith("generation,Reader 8B,,,f1_answer.with,0.8") for line in lines)


def test_staff_start_suggestions_see_how_far_they_are_and_stop_them(page, world, monkeypatch):
    many = Suggestion.objects.count()
    for _ in range(6):
        factories.make_question(world.project)
    total = world.project.questions.exclude(state="excluded").count()
    sign_in(page, world.people["researcher"])
    page.goto(reverse("suggestion-report", args=[world.slug]))
    page.get_by_role("link", name="Suggest answers").click()
    page.get_by_label("Baseline").select_option("question-x8")
    check_axe(page)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#job")).to_contain_text("Waiting for a worker")

    # A worker takes it, and answers two questions each time it is let.
    monkeypatch.setattr(running, "BATCH", 2)
    let, predict = Event(), QuestionX8.predict

    def slowly(self, asked):
        let.wait(60)
        let.clear()
        yield from predict(self, asked)

    monkeypatch.setattr(QuestionX8, "predict", slowly)

    def work():
        jobs_services.claim_and_run(job_id=Job.objects.get(kind="suggest").pk, clock=timezone.now)
        connection.close()

    worker = Thread(target=work, daemon=True)
    worker.start()
    expect(page.locator("#job")).to_contain_text("Running, 0 %")
    let.set()
    expect(page.locator("#job")).to_contain_text(f"2 of {total} questions")
    page.get_by_role("button", name="Stop, and keep what is stored").click()
    expect(page.locator("#job")).to_contain_text("Stopping")
    let.set()
    expect(page.locator("#job")).to_contain_text("Stopped")
    worker.join()
    assert Suggestion.objects.count() == many + 2
    page.get_by_role("link", name="Suggestions").last.click()
    expect(page.locator("main")).to_contain_text("Question, eight times version 1")
    expect(page.locator("main")).to_contain_text(f"2 of {total}")
