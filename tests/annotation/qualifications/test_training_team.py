"""Training as the team sees it: who stands where, and what is graded by hand."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.models import (
    WalkThrough,
)
from annotation.qualifications import grading
from annotation.qualifications import services as qualifications_services
from annotation.qualifications import training_queries as queries
from annotation.qualifications import training_services as training
from annotation.qualifications.queries import get_standing, of_project
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import CROSSED, WALKED, make_training, sit, study

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return long_answers.make_project(slug="long-answers")


@pytest.fixture
def wilma(project):
    return factories.make_member(project, "annotator", name="Wilma Wood")


@pytest.fixture
def rita(project):
    return factories.make_member(project, "researcher", name="Rita Reed")


@pytest.fixture
def course(project, rita, now):
    return make_training(project, rita, now, samples=(CROSSED, WALKED), items=(WALKED, CROSSED))


def hold(course, user, by, now, **fields):
    fields = {"held_on": now.date(), "notes": "Say why there are two."} | fields
    return training.record_walk_through(qualification=course, user=user, by=by, now=now, **fields)


def where(course, user):
    return queries.facts_for(user, course).where


def at(name, *args):
    return reverse(name, args=args)


def other(course):
    """Another writer of the same project."""
    found = course.project.memberships.filter(user__name="Otto Oak").first()
    return found.user if found else factories.make_member(
        course.project, "annotator", name="Otto Oak"
    )  # fmt: skip


class TestLongAnswersAreGradedByPeople:
    def test_whatever_is_set(self, project, rita, now):
        made = qualifications_services.create_qualification(
            project=project, title="X", kind="long_answer", by=rita, now=now,
            by_hand=False, instant_feedback=True,
        )  # fmt: skip
        assert (made.by_hand, made.instant_feedback, made.pass_at) == (True, False, 5)
        changes = {"by_hand": False, "submit_at": 3}
        qualifications_services.change_qualification(
            qualification=made, changes=changes, by=rita, now=now
        )
        made.refresh_from_db()
        assert (made.by_hand, made.submit_at, made.review_from, made.pass_at) == (True, 3, 3, 3)
        with pytest.raises(IntegrityError, match="qualification_long_answers_by_hand"), \
                transaction.atomic():  # fmt: skip
            type(made).objects.update(by_hand=False)

    def test_a_project_has_its_own_kinds(self, project, rita, now):
        with pytest.raises(Conflict, match="one of the kinds of this project"):
            qualifications_services.create_qualification(
                project=project, title="X", kind="generation", by=rita, now=now
            )
        pairs = factories.make_project(slug="pairs")
        staff = factories.make_member(pairs, "researcher", name="Rosa Reed")
        with pytest.raises(Conflict, match="one of the kinds of this project"):
            qualifications_services.create_qualification(
                project=pairs, title="X", kind="long_answer", by=staff, now=now
            )


class TestTeamPage:
    @pytest.mark.parametrize("role", ["annotator", "validator", "judge", "expert"])
    def test_everyone_who_gets_work_is_in_training(self, project, course, role):
        member = factories.make_member(project, role)
        found = queries.list_trainees(course)
        assert member in [trainee.user for people in found.values() for trainee in people]

    def test_by_step_those_who_wait_first(self, course, wilma, rita, now, client_as):
        otto = other(course)
        study(course, wilma, now)
        study(course, otto, now, hand_in=1)
        page = client_as(rita).get(at("qualification-training", course.project.slug, course.pk))
        text = page.text
        assert "1 person is waiting for the team." in text
        assert text.index("Samples to review, walk-throughs to hold") < text.index("In self-study")
        assert "1 of 2 samples submitted" in text
        assert "Rita Reed" not in text.partition("<h2")[2]
        held = client_as(rita).post(
            at("walk-through-hold", course.project.slug, course.pk, wilma.pk),
            {f"{wilma.pk}-held_on": now.date().isoformat(), f"{wilma.pk}-notes": "Both dates."},
        )
        assert held.status_code == 302
        walk = WalkThrough.objects.get()
        assert (walk.user, walk.held_by, walk.notes) == (wilma, rita, "Both dates.")
        back = at("walk-through-take-back", course.project.slug, course.pk, walk.pk)
        assert client_as(rita).post(back, {"note": "Another day."}).status_code == 302
        page = client_as(rita).get(at("qualification-training", course.project.slug, course.pk))
        assert "was taken back by Rita Reed: Another day." in page.text

    def test_the_list_says_what_waits(
        self, course, project, wilma, rita, now, client_as, django_assert_num_queries
    ):
        def waits():
            with django_assert_num_queries(1):
                [row] = of_project(project, rita, drafts=True)
            return row.to_walk, row.waiting

        assert waits() == (None, 0)
        study(course, wilma, now)
        study(course, other(course), now)
        assert waits() == (2, 0)
        page = client_as(rita).get(at("qualification-list", course.project.slug)).text
        assert "2 walk-throughs to hold" in page
        hold(course, wilma, rita, now)
        sit(course, wilma, now)
        assert waits() == (1, 1)
        grading.grant_qualification(
            qualification=course, user=other(course), note="", by=rita, now=now
        )
        assert waits() == (None, 1)

    def test_grading_costs_as_much_for_five_items_as_for_two(
        self, course, project, wilma, rita, now, client_as
    ):
        study(course, wilma, now)
        hold(course, wilma, rita, now)
        attempt = sit(course, wilma, now)
        five = make_training(
            project, rita, now, title="Five", samples=(), items=(WALKED,) * 5, walk_through=False
        )
        more = sit(five, wilma, now)
        counts = []
        for each in (attempt, more, attempt):
            address = at("qualification-grade", project.slug, each.qualification_id, each.pk)
            with CaptureQueriesContext(connection) as found:
                client_as(rita).get(address)
            counts.append(len(found))
        assert counts[1] == counts[2]

    def test_a_day_that_cannot_be_is_said_in_place(self, course, wilma, rita, now, client_as):
        study(course, wilma, now)
        address = at("walk-through-hold", course.project.slug, course.pk, wilma.pk)
        page = client_as(rita).post(address, {f"{wilma.pk}-held_on": "soon"})
        assert page.status_code == 422
        assert "There is a problem" in page.text
        future = (now.date() + dt.timedelta(days=9)).isoformat()
        page = client_as(rita).post(
            address, {f"{wilma.pk}-held_on": future, f"{wilma.pk}-notes": "What was typed"}
        )
        assert page.status_code == 409
        assert "in the future" in page.text
        assert "What was typed" in page.text

    def test_the_number_of_queries_does_not_grow(
        self, course, wilma, rita, now, django_assert_num_queries
    ):
        study(course, wilma, now)
        with django_assert_num_queries(3):
            queries.list_trainees(course)
        for name in ("Ada Ash", "Bea Bell", "Cal Cole"):
            member = factories.make_member(course.project, "annotator", name=name)
            study(course, member, now)
            hold(course, member, rita, now)
            sit(course, member, now)
        with django_assert_num_queries(3):
            found = queries.list_trainees(course)
        assert {step: len(rows) for step, rows in found.items() if rows} == {
            "walk-through": 1,
            "grading": 3,
        }
        with django_assert_num_queries(1):
            assert queries.facts_for(wilma, course).study_done
        with django_assert_num_queries(5):
            get_standing(wilma, course, now)
