"""The limits under real races: threads, each on its own PostgreSQL connection."""

import pytest
from django.db import IntegrityError
from django.utils import timezone

from annotation.core.refusals import Conflict
from evaluation.benchmark import submitting
from evaluation.models import BenchmarkEntry
from tests.annotation.long_answers import helpers
from tests.annotation.work.helpers import in_parallel
from tests.evaluation.benchmark import scenes

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 8


@pytest.fixture
def benchmark():
    now = timezone.now()
    project = helpers.make_project(slug="bridges")
    for place in range(scenes.HIDDEN):
        helpers.make_question(project, external_id=f"t{place}", split="test")
    return scenes.make_benchmark(project, now)


def send_at_once(benchmark):
    now = timezone.now()
    users = [
        scenes.make_team_member(benchmark, "Reds", f"Rita {place}", now) for place in range(AT_ONCE)
    ]
    return in_parallel(
        [lambda user=user: scenes.send(benchmark, user, now, run=False) for user in users]
    )


def test_a_team_that_sends_eight_at_once_has_five(benchmark):
    results = send_at_once(benchmark)
    assert sum(isinstance(row, BenchmarkEntry) for row in results) == 5
    assert sum(isinstance(row, Conflict) for row in results) == 3
    places = BenchmarkEntry.objects.order_by("month_place").values_list("month_place", flat=True)
    assert list(places) == [1, 2, 3, 4, 5]


def test_constraints_hold_where_nothing_is_locked(benchmark, monkeypatch):
    """Whoever forgets the lock takes a place that is taken, and the database says so."""
    taken = {"month_place": 1, "year_place": 1}
    places = submitting._find_places
    monkeypatch.setattr(submitting, "_find_places", lambda team, now: places(team, now) | taken)
    results = send_at_once(benchmark)
    assert sum(isinstance(row, BenchmarkEntry) for row in results) == 1
    assert sum(isinstance(row, IntegrityError) for row in results) == AT_ONCE - 1
    assert BenchmarkEntry.objects.count() == 1
