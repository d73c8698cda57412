"""Gold items in figures for the team: times of work leave them out, amounts of pay do not."""

import pytest
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.registry import Request
from annotation.models import Assignment
from annotation.monitoring import queries as monitoring_queries
from crowds.services import participations
from evaluation.reports.work import cost, progress
from tests import factories
from tests.annotation.golds import checks
from tests.crowds import factories as crowds

pytestmark = pytest.mark.django_db
WORK, GOLD = 100, 5_000


@pytest.fixture
def project():
    project = checks.make(4)
    project.policies.update(pay_basis="hour", pay=36)
    return project


@pytest.fixture
def person(project):
    """Somebody who has done four tasks, and four gold items much longer."""
    checks.plan(project, rate=50)
    person = factories.make_member(project, "annotator", name="Wanda Wren")
    while work := checks.take(person, project):
        checks.submit(work, "no" if work.gold else "yes")
        spent = GOLD if work.gold else WORK
        Assignment.objects.filter(pk=work.pk).update(active_seconds=spent)
    assert Assignment.objects.filter(gold=True).count() == 4
    return person


def figures(compute, project):
    return compute(Request(project, Filters(), timezone.now())).rows


def test_the_median_times_of_monitoring_are_of_other_work(project, person):
    now = timezone.now()
    [row] = monitoring_queries.list_people(project, now=now)
    assert (row.seconds, row.week, row.count) == (WORK, 4, 4)
    [week] = monitoring_queries.list_weeks(project, person, now=now)
    assert (week.seconds, week.count) == (WORK, 4)
    [week] = figures(progress.build_throughput_panel, project)
    assert week[2:] == (4, 1, WORK)


def test_who_has_submitted_only_gold_items_has_submitted(project, person):
    Assignment.objects.filter(gold=False).delete()
    [row] = monitoring_queries.list_people(project, now=timezone.now())
    assert (row.seconds, row.week, row.last_at is None) == (None, 0, False)


def test_cost_has_their_pay_at_the_median_time_of_other_work(project, person):
    [row] = figures(cost.build_cost_panel, project)
    assert row[2] == pytest.approx(8 * 36 * WORK / 3600)


def test_the_median_time_of_a_participant_is_of_other_work():
    project = checks.make(4)
    checks.plan(project, rate=50)
    recruitment = crowds.make_recruitment(project, questions=8, tasks=0, stage=checks.STAGE)
    part = crowds.start(recruitment)
    while work := participations.take_question(participation=part, now=timezone.now()):
        checks.submit(work, "no" if work.gold else "yes")
        spent = GOLD if work.gold else WORK
        Assignment.objects.filter(pk=work.pk).update(active_seconds=spent)
    part.refresh_from_db()
    assert (part.status, part.done, part.median_seconds) == ("completed", 8, WORK)
