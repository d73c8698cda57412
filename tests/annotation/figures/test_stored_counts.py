"""Figures of large projects: counted by the worker, shown with their age (ADR 25)."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import tasks
from annotation.core import audit
from annotation.figures import counts as stored_counts
from annotation.figures.counts import CONTEXTS, GOLDS, MONITORING, OVERVIEW, PAGES_READ, PAY
from annotation.golds.overview import count_mixed_in
from annotation.home import staff_queries as staff_home
from annotation.imports.queries import export_rows
from annotation.models import Project, StoredFigures
from annotation.monitoring import queries as monitoring_queries
from annotation.pay import queries as pay_queries
from annotation.progress.queries import list_progress, state_counts
from annotation.projects import stuck_work
from annotation.reading import visits
from annotation.stages.registry import get_stage
from modeling.queries import REPORT as SUGGESTIONS
from tests import factories
from validation.release.views import release_panel

pytestmark = pytest.mark.django_db
REPORTS = {OVERVIEW, MONITORING, PAGES_READ, PAY, CONTEXTS, GOLDS, SUGGESTIONS}


def large_submission(project):
    return project.assignments.filter(state="submitted").earliest("pk")


@pytest.fixture
def large(monkeypatch, project, ann):
    """A project that counts as large, with work of several kinds."""
    monkeypatch.setattr(stored_counts, "LARGE", (3, 1000))
    for state in ("submitted", "submitted", "active", "skipped"):
        factories.make_assignment(factories.make_task(project), ann, state=state)
    factories.make_task(project, split="train")
    factories.make_visit(large_submission(project))
    return project


def looked_at(project, report, now):
    """Return the project as a page has it."""
    project = Project.objects.get(pk=project.pk)
    stored_counts.load_figures([project], report, now=now)
    return project


def age(report, **ago):
    """Make stored figures older."""
    StoredFigures.objects.filter(report=report).update(
        counted_at=StoredFigures.objects.get(report=report).counted_at - dt.timedelta(**ago)
    )


def change(project, now):
    audit.record_action("project_changed", project, by=None, now=now, project=project)


def test_a_small_project_has_none(project, now):
    factories.make_task(project)
    assert stored_counts.renew_due(now=now) == 0
    assert stored_counts.counted_at(looked_at(project, OVERVIEW, now), OVERVIEW) is None


def test_the_worker_counts_every_report_of_a_large_project(large, now):
    tasks.renew_figures()
    assert {row.report for row in StoredFigures.objects.all()} == REPORTS
    stored_counts.renew_due(now=now)
    assert StoredFigures.objects.count() == len(REPORTS)


def test_many_assignments_make_a_project_large_too(monkeypatch, project, ann, now):
    monkeypatch.setattr(stored_counts, "LARGE", (1000, 2))
    factories.make_assignment(factories.make_task(project), ann)
    assert stored_counts.list_large_projects() == []
    factories.make_assignment(factories.make_task(project), ann, state="skipped")
    assert stored_counts.list_large_projects() == [project]


def test_stored_figures_are_those_that_would_be_counted(large, now):
    stored_counts.renew_due(now=now)
    for report, read in {
        OVERVIEW: lambda project: [
            list_progress(project, now=now),
            state_counts(project),
            staff_home.build_cards([project], now=now, today=now.date())[0].rows,
            stuck_work.list_stuck_work([project]),
            staff_home.without_work([project], now=now),
            export_rows(project),
            release_panel(project),
        ],
        MONITORING: lambda project: monitoring_queries.list_people(project, now=now),
        PAGES_READ: lambda project: [visits.pages_read(project, per=per) for per in visits.UNITS],
        PAY: lambda project: pay_queries.list_hourly_pay(project, now=now),
        GOLDS: lambda project: count_mixed_in(project, get_stage("generation"), 5, now),
    }.items():
        stored = looked_at(large, report, now)
        assert stored_counts.counted_at(stored, report) == now
        assert read(stored) == read(Project.objects.get(pk=large.pk)), report


def test_pages_say_how_old_the_figures_are(client_as, large, rosa, ann, now):
    stored_counts.renew_due(now=now)
    StoredFigures.objects.update(counted_at=now - dt.timedelta(minutes=3))
    factories.make_task(large)
    slug = large.slug
    for path in ("", "stuck/", "monitoring/", "pay/", "golds/", "questions/"):
        page = client_as(rosa).get(f"/projects/{slug}/{path}")
        assert "minutes ago" in page.text.split("Counted")[1], path
    assert "<strong>5 questions:</strong>" in client_as(rosa).get(f"/projects/{slug}/").text
    assert "Counted" in client_as(rosa).get("/").text
    figure = client_as(rosa).get(f"/api/v1/projects/{slug}/pages-read/").json()
    assert figure["counted_at"] is not None
    StoredFigures.objects.all().delete()
    page = client_as(rosa).get(f"/projects/{slug}/").text
    assert "<strong>6 questions:</strong>" in page
    assert "Counted" not in page
    assert client_as(rosa).get(f"/api/v1/projects/{slug}/pages-read/").json()["counted_at"] is None


class TestDue:
    """When the worker counts again."""

    def test_not_while_nothing_has_changed(self, large, now):
        stored_counts.renew_due(now=now)
        looked_at(large, OVERVIEW, now + dt.timedelta(seconds=1))
        assert stored_counts.renew_due(now=now + dt.timedelta(hours=2)) == 0

    def test_but_once_a_day_for_what_changes_with_the_day(self, large, now):
        stored_counts.renew_due(now=now)
        assert stored_counts.renew_due(now=now + dt.timedelta(days=1, minutes=1)) == len(REPORTS)

    def test_a_minute_after_a_change_if_somebody_looked(self, large, now):
        stored_counts.renew_due(now=now)
        change(large, now)
        looked_at(large, OVERVIEW, now + dt.timedelta(seconds=1))
        assert stored_counts.renew_due(now=now + dt.timedelta(seconds=50)) == 0
        assert stored_counts.renew_due(now=now + dt.timedelta(seconds=70)) == 1
        assert StoredFigures.objects.get(report=OVERVIEW).counted_at > now

    def test_an_hour_after_a_change_if_nobody_looked(self, large, now):
        stored_counts.renew_due(now=now)
        change(large, now)
        assert stored_counts.renew_due(now=now + dt.timedelta(minutes=50)) == 0
        assert stored_counts.renew_due(now=now + dt.timedelta(minutes=70)) == len(REPORTS)

    def test_seldom_where_counting_takes_long(self, large, now):
        stored_counts.renew_due(now=now)
        StoredFigures.objects.update(seconds=30)
        change(large, now)
        looked_at(large, OVERVIEW, now + dt.timedelta(seconds=1))
        assert stored_counts.renew_due(now=now + dt.timedelta(minutes=9)) == 0
        assert stored_counts.renew_due(now=now + dt.timedelta(minutes=11)) == 1

    def test_only_the_first_look_is_written_down(self, large, now):
        stored_counts.renew_due(now=now)
        looked_at(large, OVERVIEW, now + dt.timedelta(seconds=1))
        with CaptureQueriesContext(connection) as statements:
            looked_at(large, OVERVIEW, now + dt.timedelta(seconds=2))
        assert not any("UPDATE" in each["sql"] for each in statements.captured_queries)


def test_feedback_given_since_is_shown_at_once(large, rosa, ann, now):
    stored_counts.renew_due(now=now)
    factories.make_feedback(large_submission(large), rosa, text="Lovely.")
    [person] = monitoring_queries.list_people(looked_at(large, MONITORING, now), now=now)
    assert person.feedback is not None


def test_an_archived_project_is_left_alone(large, now):
    Project.objects.update(state="archived", archived_at=now, reopens_as="running")
    assert stored_counts.renew_due(now=now) == 0
