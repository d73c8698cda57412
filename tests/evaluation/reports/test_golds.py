"""The panel of gold items agrees with their page, and only the team sees it."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.panel import Person
from annotation.figures.registry import Request
from annotation.golds import overview, power
from annotation.golds import queries as golds_queries
from annotation.golds import services as golds_services
from evaluation.reports.work.golds import build_golds_panel
from tests import factories
from tests.annotation.golds import checks

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stage():
    with checks.registered():
        yield


@pytest.fixture
def plan():
    return checks.plan(checks.make(12), rate=50, enough=3, missed=2)


def worked(plan, name, *verdicts):
    """Somebody who has submitted gold items; “yes” misses one."""
    person = factories.make_member(plan.project, "annotator", name=name)
    for verdict in verdicts:
        checks.submit(checks.take_gold(person, plan.project), verdict)
    return person


def computed(project):
    return build_golds_panel(Request(project, Filters(), timezone.now()))


def test_it_counts_as_the_page_does(plan):
    careless = worked(plan, "Wanda Wren", "yes", "yes", "yes")
    worked(plan, "Crispin Thistlewood", "no", "no", "no", "no", "yes")
    found = computed(plan.project)
    for row, person in zip(found.rows, golds_queries.list_people(plan), strict=True):
        assert row[1] == Person(person.user.pk)
        assert (row[2], row[3], row[5]) == (person.seen, person.missed, person.flags)
        assert 100 * row[4].value == pytest.approx(person.share)
        assert row[4].note == person.note
        if person.interval is not None:
            assert (100 * row[4].low, 100 * row[4].high) == pytest.approx(person.interval)
    assert [row[4].note for row in found.rows] == ["", "too few to tell"]
    assert [row[6] for row in found.rows] == ["works", "paused"]
    assert found.n == overview.sum_performances(golds_queries.list_people(plan)).seen == 8
    # The page has the chance after 5 items for people who miss half.
    half = power.find_rule_power(plan).curves[0]
    assert 100 * found.rows[0][7] == pytest.approx(half.chances[0])
    assert f"within {half.needed} gold items, about {half.work} tasks" in found.summary
    golds_services.resume_person(plan=plan, user=careless.pk, by=staff_of(plan), now=timezone.now())
    assert computed(plan.project).rows[1][6] == "works"


def staff_of(plan):
    return factories.make_member(plan.project, "admin")


def test_without_gold_items_it_says_what_is_missing():
    found = computed(checks.make(1))
    assert (list(found.rows), found.n, found.summary) == ([], 0, "")
    assert found.needs


def test_people_see_nothing_of_it(plan, client):
    person = worked(plan, "Wanda Wren", "yes")
    client.force_login(person)
    report = [plan.project.slug, "project"]
    for address in (
        reverse("project-report", args=report),
        reverse("report-rows", args=[*report, "golds"]),
        reverse("report-file", args=[*report, "golds", "csv"]),
        reverse("api-report-panel", args=[*report, "golds"]),
    ):
        assert client.get(address).status_code in (403, 404)
    told = client.get("/").text + client.get(reverse("submission-list")).text
    assert not re.search(r"gold item", told, re.I)
