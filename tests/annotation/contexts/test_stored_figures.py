"""The figures on contexts of a large project are counted by the worker, for every threshold."""

import random

import pytest

from annotation.contexts import queries as contexts_queries
from annotation.contexts.queries import ThresholdEffect
from annotation.contexts.threshold import set_threshold
from annotation.figures import counts as stored_counts
from annotation.figures.counts import CONTEXTS
from annotation.models import ContextParagraph, Project
from tests import factories, plans
from tests.annotation.contexts.helpers import open_question, pair, scored
from tests.annotation.contexts.test_page import address, text_of
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db


@pytest.fixture
def many(monkeypatch, project, ann, now):
    """Questions with random scores, shown or not by chance; some have been opened."""
    monkeypatch.setattr(stored_counts, "LARGE", (0, 0))
    rng = random.Random(7)
    for number in range(25):
        pairs = [pair(f"Q{number}-{place}", "Paragraph") for place in range(rng.randint(1, 4))]
        scored(open_question(project, pairs), *(rng.randint(0, 100) / 100 for _ in pairs))
        if number == 8:
            helpers.take(project, ann, now)
    for row in ContextParagraph.objects.all():
        ContextParagraph.objects.filter(pk=row.pk).update(shown=rng.random() < 0.6)
    return project


def with_figures(project, now):
    project = Project.objects.get(pk=project.pk)
    stored_counts.load_figures([project], CONTEXTS, now=now)
    return project


def changed(threshold):
    """Count row by row what a threshold would change."""
    rows = ContextParagraph.objects.select_related("question")
    wrong = [row for row in rows if row.shown != (row.score >= threshold)]
    opened = {row.pk: row.question.tasks.filter(assignments__isnull=False).exists() for row in rows}
    free = [row for row in wrong if not opened[row.pk]]
    return ThresholdEffect(
        shown=sum(not row.shown for row in free),
        hidden=sum(row.shown for row in free),
        questions=len({row.question_id for row in free}),
        kept=len({row.question_id for row in wrong if opened[row.pk]}),
    )


def test_they_are_those_that_would_be_counted_at_every_threshold(many, now):
    stored_counts.renew_due(now=now)
    stored = with_figures(many, now)
    assert stored_counts.counted_at(stored, CONTEXTS) == now
    for read in (
        contexts_queries.get_overview,
        contexts_queries.get_missing_pages,
        contexts_queries.waiting_questions,
    ):
        assert read(stored) == read(many)
    for number in range(0, 101, 7):
        threshold = number / 100
        assert contexts_queries.preview_threshold(
            stored, threshold
        ) == contexts_queries.preview_threshold(many, threshold)
        assert contexts_queries.preview_threshold(many, threshold) == changed(threshold)
        above, below = contexts_queries.list_threshold_examples(stored, threshold)
        rows = ContextParagraph.objects.order_by("score", "pk")
        assert [e.row for e in above] == list(rows.filter(score__gte=threshold)[:3])
        rows = rows.order_by("-score", "pk")
        assert [e.row for e in below] == list(rows.filter(score__lt=threshold)[:3])


def test_the_page_reads_a_few_paragraphs_and_not_all(many, now, client_as, rosa):
    stored_counts.renew_due(now=now)
    with plans.explained(large=True) as explained:
        page = text_of(client_as(rosa).get(address(many) + "?threshold=0.5"))
    assert "<strong>Preview.</strong>" in page
    scans = [scan for plan in explained for scan in plan.scans]
    assert "annotation_contextsearch" not in {scan.table for scan in scans}
    assert [s.rows for s in scans if s.table == "annotation_contextparagraph"] == [6]


def test_a_threshold_that_was_applied_is_seen_at_once(many, now, client_as, rosa):
    stored_counts.renew_due(now=now)
    before = contexts_queries.get_overview(with_figures(many, now))
    set_threshold(project=many, threshold=0.99, by=rosa, now=now)
    after = with_figures(many, now)
    assert stored_counts.counted_at(after, CONTEXTS) is None
    assert contexts_queries.get_overview(after).fixed == before.fixed
    assert contexts_queries.preview_threshold(after, 0.99).questions == 0


def test_projects_without_contexts_store_nothing_of_them(monkeypatch, now):
    monkeypatch.setattr(stored_counts, "LARGE", (0, 0))
    project = factories.make_project()
    stored_counts.renew_due(now=now)
    project = with_figures(project, now)
    assert stored_counts.find_stored_part(project, CONTEXTS, "pairs") is None
