"""Past and present of people in a project are told apart."""

import pytest
from django.utils import timezone

from annotation.models import Assignment, Membership, Project
from annotation.people.standing import find_standings
from crowds.services import participations
from tests import factories
from tests.crowds import factories as crowd

pytestmark = pytest.mark.django_db
STAGE = "generation"


def standing_of(project, person):
    return find_standings(Project.objects.get(pk=project.pk), [STAGE], [person.pk])[person.pk]


def test_who_has_open_work_works_and_who_has_had_all_has_finished(project, ann, ben, now):
    assert standing_of(project, ann).words == "No open work yet"
    first, second = (factories.make_task(project) for _ in range(2))
    assert standing_of(project, ann).words == "Has not begun"
    factories.make_assignment(first, ann, state="submitted")
    assert standing_of(project, ann).words == "Works"
    held = factories.make_assignment(second, ann)
    assert standing_of(project, ann).words == "Works"
    ended = {"lease_ends_at": None, "submitted_at": now, "ended_at": now}
    Assignment.objects.filter(pk=held.pk).update(state="submitted", **ended)
    found = standing_of(project, ann)
    assert (found.kind, found.words) == ("finished", "Finished all open work")
    assert standing_of(project, ben).kind == "works"
    Project.objects.filter(pk=project.pk).update(
        state="archived", archived_at=timezone.now(), reopens_as="running"
    )
    assert standing_of(project, ben).words == "Project archived"


def test_a_pause_has_its_date_and_who_lost_the_role_has_left(project, ann, now):
    roles = Membership.objects.filter(project=project, user=ann)
    roles.update(paused_at=now)
    paused = standing_of(project, ann)
    assert (paused.kind, paused.since) == ("paused", now)
    roles.delete()
    left = standing_of(project, ann)
    assert (left.kind, left.words) == ("left", "No longer in this role")
    assert find_standings(project, [STAGE], []) == {}


@pytest.mark.parametrize(
    ("status", "words"), [("completed", "Finished"), ("timed_out", "Timed out")]
)
def test_participants_have_finished_in_the_words_of_their_part(project, now, status, words):
    part = crowd.start(crowd.make_recruitment(project))
    assert standing_of(project, part.user).kind == "works"
    participations.end_participation(participation=part, status=status, now=now)
    ended = standing_of(project, part.user)
    assert (ended.kind, ended.words, ended.since) == ("left", words, now)


def test_two_statements_for_any_number(project, ann, ben, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        find_standings(project, [STAGE], [ann.pk, ben.pk, 0])
