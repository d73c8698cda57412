"""The leaderboard with every figure of answers and questions: it fits, and the rest unfolds."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.figures.registry import find_report
from tests import factories
from tests.browser.helpers import sign_in
from tests.evaluation import factories as made
from tests.figures import bring_report_up_to_date

PAIRS = [
    {"question": "When did it open to walkers?", "short_answers": ["1843"]},
    {"question": "When did it open to trains?", "short_answers": ["1869"]},
]


@pytest.fixture
def project(transactional_db):
    project = factories.make_project(slug="crossings")
    project.rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    for name in ("BM25", "SpanSeqGen"):
        made.make_system(project, name)
    for number in range(12):
        context = {"qa_pairs": PAIRS[: 1 + number % 2]}
        question = factories.make_question(project, external_id=f"q{number}", context=context)
        for place, system in enumerate(project.systems.all()):
            pairs = [[pair["question"], pair["short_answers"][0]] for pair in PAIRS]
            details = {"answers": ["1843", "1900"], "pairs": pairs[: 1 + place]}
            made.make_output(
                system, question, details=details | {"passages": ["Opened in 1843."] * 10}
            )
    bring_report_up_to_date(project, find_report(project, "systems"), timezone.now())
    return project


def fits(page):
    """Whether the page is no wider than its window, and what unfolds no wider than its panel."""
    width = page.viewport_size["width"]
    return page.evaluate(
        """width => document.documentElement.scrollWidth <= width &&
        [...document.querySelectorAll(".further .figures-table")].every(
            table => table.getBoundingClientRect().right <=
                table.closest(".panel").getBoundingClientRect().right)""",
        width,
    )


def test_every_score_of_answers_and_questions_is_there(new_page, project):
    page = new_page(viewport={"width": 1440, "height": 900})
    sign_in(page, project.rosa)
    page.goto(reverse("project-report", args=[project.slug, "systems"]))
    board = page.locator("#leaderboard")
    in_sight = board.locator("table").first
    for label in ("F1-answer (all)", "F1-answer (multi)", "F1-EDIT (multi)"):
        expect(in_sight.get_by_role("columnheader", name=label)).to_be_visible()
    for title, label in (
        ("F1-BLEU", "F1-BLEU-4 (multi)"),
        ("Precision and recall", "Recall (multi)"),
        ("Lengths of answers", "Accepted words (multi)"),
    ):
        expect(board.get_by_role("columnheader", name=label)).to_be_hidden()
        board.locator("summary", has_text=title).click()
        expect(board.get_by_role("columnheader", name=label)).to_be_visible()
    for width in (1440, 900, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert fits(page), width
