"""Deleting who a participant is at the platform, and what is kept so that no one comes twice."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.erasing import services as erasing_services
from annotation.models import Assignment
from crowds.models import Participation, Recruitment
from crowds.services import participations, reviews
from tests.crowds import factories as crowd


@pytest.fixture
def recruitment(project):
    return crowd.make_recruitment(project, checks=crowd.CHECKS)


@pytest.fixture
def team(client, rosa):
    client.force_login(rosa)
    return client


def at(name, recruitment, *more):
    return reverse(name, args=[recruitment.project.slug, recruitment.pk, *more])


def recruitment_again(recruitment):
    """The recruitment, open again for a week."""
    ends_at = timezone.now() + dt.timedelta(days=7)
    Recruitment.objects.filter(pk=recruitment.pk).update(state="open", ends_at=ends_at)
    recruitment.refresh_from_db()
    return recruitment


def test_what_people_said_can_be_deleted_and_their_work_stays(team, recruitment):
    row = crowd.finish(recruitment)
    working = crowd.start(recruitment, "p-2")
    team.post(at("participation-review", recruitment, row.pk), {"press": "erase"})
    row.refresh_from_db()
    assert (row.external_id, row.answers, bool(row.erased_at)) == ("", None, True)
    assert Assignment.objects.filter(user=row.user, used=True).count() == 2
    third = crowd.start(recruitment, "p-3")
    participations.end_participation(participation=third, status="returned", now=timezone.now())
    assert team.post(at("recruitment-erase", recruitment)).status_code == 409  # asks first
    third.refresh_from_db()
    assert third.external_id
    team.post(at("recruitment-erase", recruitment), {"sure": "on"})
    third.refresh_from_db()
    working.refresh_from_db()
    assert (bool(third.erased_at), working.erased_at) == (True, None)
    with pytest.raises(IntegrityError, match="participation_erased_is_empty"), transaction.atomic():
        Participation.objects.filter(pk=row.pk).update(external_id="p-1")


def test_erasing_a_person_forgets_what_they_said(recruitment, now):
    done, working = crowd.finish(recruitment), crowd.start(recruitment, "p-2")
    for row in (done, working):
        erasing_services.erase_person(user=row.user, by=None, now=now)
        row.refresh_from_db()
        assert (row.external_id, row.answers, row.erased_at) == ("", None, now)
    assert (done.status, working.status) == ("completed", "returned")


@pytest.mark.parametrize("whole", [False, True], ids=["participation", "person"])
def test_whoever_was_erased_does_not_take_part_again(client, project, rosa, now, whole):
    recruitment = crowd.make_recruitment(project, platform="prolific")
    row = crowd.finish(recruitment, crowd.PID, session=crowd.SESSION)
    if whole:
        erasing_services.erase_person(user=row.user, by=None, now=now)
    else:
        reviews.erase_participation(participation=row, leave_out=False, by=rosa, now=now)
    response = client.post(crowd.open_link(recruitment), crowd.ANYONE)
    assert response.status_code == 403
    assert b"You have taken part in this study before" in response.content
    assert Participation.objects.count() == 1
    row.refresh_from_db()
    assert len(row.id_hash) == 64
    other = crowd.make_recruitment(project, platform="prolific")
    crowd.start(other, crowd.PID, session=crowd.SESSION)  # nothing links the two


def test_a_personal_link_of_whoever_was_erased_lets_no_one_in(client, recruitment, rosa, now):
    row = crowd.finish(recruitment)
    reviews.erase_participation(participation=row, leave_out=False, by=rosa, now=now)
    link = crowd.link_of(recruitment)
    assert b"Welcome back" not in client.get(link).content
    assert client.post(link, crowd.ANYONE).status_code == 403
    assert row.code not in client.get(crowd.link_of(recruitment, days=-1)).content.decode()


@pytest.mark.parametrize("change", [{"state": "closed"}, {"ends_at": timezone.now()}])
def test_the_hash_of_an_erased_id_is_kept_while_the_recruitment_is_open(
    recruitment, rosa, now, change
):
    row = crowd.finish(recruitment)
    reviews.erase_participation(participation=row, leave_out=False, by=rosa, now=now)
    later = now + dt.timedelta(hours=1)
    assert reviews.drop_hashes(now=later) == 0
    Recruitment.objects.filter(pk=recruitment.pk).update(**change)
    assert reviews.drop_hashes(now=later) == 1
    row.refresh_from_db()
    assert row.id_hash == ""
    other = crowd.start(recruitment_again(recruitment), "p-2")
    participations.end_participation(participation=other, status="returned", now=now)
    Recruitment.objects.filter(pk=recruitment.pk).update(**change)
    reviews.erase_participation(participation=other, leave_out=False, by=rosa, now=later)
    other.refresh_from_db()
    assert (other.external_id, other.id_hash) == ("", "")


def test_only_those_who_were_erased_have_a_hash(recruitment):
    row = crowd.finish(recruitment)
    with pytest.raises(IntegrityError, match="participation_hash_of_erased"), transaction.atomic():
        Participation.objects.filter(pk=row.pk).update(id_hash="a" * 64)
