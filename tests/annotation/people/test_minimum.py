"""A minimum of tasks per person and week (A59): shown before and beside the work, told to staff."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Membership, Project
from annotation.people import invitation_services
from annotation.people.minimum import (
    WeeklyMinimum,
    find_minimum,
    list_own_minimums,
    list_people_below,
)
from tests import factories

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture
def asking(project, ann, ben, now):
    Project.objects.filter(pk=project.pk).update(weekly_minimum=3)
    Membership.objects.filter(project=project).update(created_at=now - 30 * DAY)
    project.refresh_from_db()
    return project


def done(project, person, at, *, seconds=600, gold=False):
    factories.make_assignment(
        factories.make_task(project, gold=gold),
        person,
        "submitted",
        active_seconds=seconds,
        submitted_at=at,
        ended_at=at,
        gold=gold,
        used=not gold,
    )


class TestWords:
    @pytest.mark.parametrize(
        ("tasks", "seconds", "line", "too_much"),
        [
            (40, None, "at least 40 tasks a week from each person.", False),
            (40, 450, "At the median time this takes about 5 hours.", False),
            (240, 600, "this takes about 40 hours.", False),
            (241, 600, "this takes about 40 hours.", True),
            (
                1,
                60,
                "at least 1 task a week from each person. At the median time this takes less",
                False,
            ),
            (6, 600, "takes about 1 hour.", False),
        ],
    )
    def test_the_hours_at_the_median_time(self, tasks, seconds, line, too_much):
        minimum = WeeklyMinimum(Project(weekly_minimum=tasks), seconds)
        assert line in minimum.line
        assert minimum.is_too_much == too_much

    def test_the_database_refuses_more_than_anybody_does(self, project):
        with (
            pytest.raises(IntegrityError, match="project_weekly_minimum_up_to_2000"),
            transaction.atomic(),
        ):
            Project.objects.filter(pk=project.pk).update(weekly_minimum=2001)


class TestProgress:
    def test_a_week_is_the_last_seven_days_and_gold_items_count(self, asking, ann, ben, now):
        """Were gold items left out, people would see which ones they were."""
        done(asking, ann, now - 8 * DAY)
        done(asking, ann, now - 6 * DAY)
        done(asking, ann, now - DAY, gold=True, seconds=1200)
        done(asking, ben, now - DAY, seconds=60)
        (mine,) = list_own_minimums(ann, [asking], now=now)
        assert (mine.done, mine.tasks, mine.seconds) == (2, 3, 600)
        assert list_people_below(asking, now=now) >= {ann.pk, ben.pk}
        done(asking, ann, now)
        assert ann.pk not in list_people_below(asking, now=now)

    def test_who_is_new_paused_or_staff_is_not_below(self, asking, ann, ben, rosa, now):
        Membership.objects.filter(user=ann).update(created_at=now - 6 * DAY)
        Membership.objects.filter(user=ben).update(paused_at=now)
        assert not {ann.pk, ben.pk, rosa.pk} & list_people_below(asking, now=now)

    def test_where_nothing_is_asked_for_nothing_is_read(self, project, ann, now):
        with CaptureQueriesContext(connection) as found:
            assert find_minimum(project, now=now) is None
            assert list_own_minimums(ann, [project], now=now) == []
            assert list_people_below(project, now=now) == frozenset()
        assert len(found) == 0


class TestPages:
    LINE = "This project asks for at least 3 tasks a week from each person."

    def test_people_read_it_before_they_begin(self, client, client_as, asking, ada, ann, now):
        invitation = invitation_services.invite_member(
            project=asking, email="nora@example.org", roles=["annotator"], by=ada, now=now
        )
        assert self.LINE in client.get(invitation_services.invitation_link(invitation)).text
        assert self.LINE in client_as(ann).get(reverse("project-start", args=[asking.slug])).text

    def test_my_work_shows_how_far_one_is(self, client_as, asking, ann, ben, now):
        factories.make_task(asking)
        done(asking, ann, now - DAY)
        place = f'id="minimum-{asking.pk}"'
        text = client_as(ann).get("/").text.split(place)[1].split("</p>")[0]
        assert "<strong>1</strong> of at least 3 in seven days" in text
        assert "all of them take less than an hour" in text
        assert "<strong>0</strong> of at least 3" in client_as(ben).get("/").text

    def test_staff_see_who_is_below_and_nobody_is_put_out(self, client_as, asking, ann, rosa, now):
        done(asking, ann, now - DAY)
        page = client_as(rosa).get(reverse("project-monitoring", args=[asking.slug])).text
        assert "below 3" in page
        assert "It can be reached in a full-time week of 40 hours." in page
        done(asking, ann, now - DAY, seconds=200_000)
        page = client_as(rosa).get(reverse("project-monitoring", args=[asking.slug])).text
        assert "more than a full-time week of 40 hours" in page
        assert not Membership.objects.filter(user=ann).exclude(paused_at=None).exists()
        assert "below 3" not in client_as(ann).get("/").text
