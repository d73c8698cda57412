"""Pay of a month in a large project: counted by the worker up to a while ago, then read."""

import datetime as dt
import uuid

import pytest

from annotation.figures import counts as stored_counts
from annotation.figures.counts import PAY
from annotation.models import PayEntry, Project
from annotation.pay import queries as pay_queries
from annotation.pay.periods import Period, month_of
from tests import factories, plans

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2025, 11, 20, 12, tzinfo=dt.UTC)
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)
NOVEMBER = month_of(NOW.date())


@pytest.fixture
def post(project, ann, rosa):
    def post(*, ago=dt.timedelta(), amount="1.00", user=ann, currency="USD", place=project):
        PayEntry.objects.create(
            project=place,
            user=user,
            kind="bonus",
            amount=amount,
            currency=currency,
            note="Thanks.",
            by=rosa,
            key=uuid.uuid4(),
            at=NOW - ago,
        )

    return post


@pytest.fixture
def counted(monkeypatch, project, post, ben):
    """Two people's entries of three months, counted."""
    monkeypatch.setattr(stored_counts, "LARGE", (0, 0))
    for days in (0.1, 3, 19, 25, 40, 60):
        post(ago=days * DAY)
        post(ago=days * DAY, user=ben, currency="EUR", amount="0.50")
    post(ago=2 * DAY, user=ben)
    stored_counts.renew_due(now=NOW)


def with_figures(project):
    project = Project.objects.get(pk=project.pk)
    stored_counts.load_figures([project], PAY, now=NOW)
    assert stored_counts.counted_at(project, PAY) == NOW
    return project


def same(project, period):
    """Return what was earned, which must be the same with and without stored figures."""
    earned = pay_queries.list_earnings([with_figures(project)], period)
    assert earned == pay_queries.list_earnings([Project.objects.get(pk=project.pk)], period)
    return {key[1:]: str(sums.amount) for key, sums in earned.items()}


def test_every_month_is_as_if_it_were_read_whole(counted, project, ann, ben):
    usd, eur, other = (ann.pk, "USD"), (ben.pk, "EUR"), (ben.pk, "USD")
    assert same(project, NOVEMBER) == {usd: "3.00", eur: "1.50", other: "1.00"}
    assert same(project, month_of(dt.date(2025, 10, 1))) == {usd: "2.00", eur: "1.00"}
    assert same(project, month_of(dt.date(2025, 12, 1))) == {}
    some = Period(dt.date(2025, 10, 26), dt.date(2025, 11, 1))
    assert same(project, some) == {usd: "2.00", eur: "1.00"}


@pytest.mark.parametrize("minutes", [-5, 0, 59])
def test_what_is_posted_since_or_was_not_yet_committed_counts_at_once(
    counted, post, project, ann, minutes
):
    before = same(project, NOVEMBER)
    post(ago=dt.timedelta(minutes=minutes), amount="10.00")
    assert same(project, NOVEMBER) == before | {(ann.pk, "USD"): "13.00"}


def test_projects_with_and_without_figures_side_by_side(counted, project, post, ann):
    small = factories.make_project()
    post(ago=DAY, place=small)
    post(ago=-HOUR)
    rows = pay_queries.by_project([small, with_figures(project)], NOVEMBER)
    assert [[str(sums.money) for sums in row.sums] for row in rows] == [
        ["1.00 USD"], ["1.50 EUR", "5.00 USD"]
    ]  # fmt: skip
    assert [row.people for row in rows] == [1, 2]


def test_only_what_is_newer_is_read(counted, post, project, client_as, rosa):
    for _ in range(3):
        post(ago=dt.timedelta(minutes=5))
    with plans.explained(large=True) as explained:
        pay_queries.list_earnings([with_figures(project)], NOVEMBER)
    assert "annotation_payentry" in explained[-1].sql
    assert explained[-1].rows == 3
    page = client_as(rosa).get(f"/projects/{project.slug}/pay/?month=2025-11").text
    assert "<strong>6.00 USD</strong>" in page
