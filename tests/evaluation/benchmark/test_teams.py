"""Teams: who is invited, joins, and leaves."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry
from evaluation.benchmark import services as benchmark_services
from evaluation.models import Benchmark, TeamSeat
from tests import factories
from tests.evaluation.benchmark import scenes
from tests.evaluation.benchmark.scenes import send


def link_of(seat):
    return benchmark_services.build_link(seat)


def test_a_stranger_joins_with_a_new_account(benchmark, staff, now, client):
    seat = scenes.invite(benchmark, staff, timezone.now())
    page = client.get(link_of(seat)).text
    assert "Join the team Reds" in page
    assert client.post(link_of(seat), {"name": "", "password": "x"}).status_code == 422
    data = {"name": "Rita Rowe", "password": "a long-enough secret"}
    response = client.post(link_of(seat), data)
    assert response.status_code == 302
    assert client.get(response.url).status_code == 200
    seat.refresh_from_db()
    assert (seat.user.email, seat.email) == ("red@lake.example", "")
    assert client.get(link_of(seat)).status_code == 302


def test_an_account_joins_and_only_the_invited_one(benchmark, staff, red, now, client_as, client):
    invited = factories.make_user(name="Ida", email="ida@lake.example")
    seat = scenes.invite(benchmark, staff, timezone.now(), email="Ida@Lake.example ")
    assert "has an account. Sign in" in client.get(link_of(seat)).text
    assert client_as(red).post(link_of(seat)).status_code == 403
    assert client_as(invited).post(link_of(seat)).status_code == 302
    assert TeamSeat.objects.get(pk=seat.pk).user == invited


def test_links_that_are_over_or_wrong(benchmark, staff, now, client):
    seat = scenes.invite(benchmark, staff, timezone.now())
    TeamSeat.objects.update(expires_at=now - dt.timedelta(days=99))
    assert client.get(link_of(seat)).status_code == 410
    benchmark_services.end_seat(seat=seat, by=staff, now=now)
    assert client.get(link_of(seat)).status_code == 410
    damaged = reverse("benchmark-join", args=["bridges", "1-2.abc"])
    assert client.get(damaged).status_code == 403


def test_whom_staff_cannot_invite(benchmark, project, staff, red, now):
    for team, email in (("", "x@y.example"), ("Reds", staff.email), ("Greens", red.email)):
        with pytest.raises(Conflict):
            scenes.invite(benchmark, staff, now, team=team, email=email)
    scenes.invite(benchmark, staff, now)
    with pytest.raises(Conflict, match="open invitation"):
        scenes.invite(benchmark, staff, now, team="Greens")
    with pytest.raises(Denied):
        scenes.invite(benchmark, red, now, email="z@y.example")


def test_an_ended_seat_sends_nothing_and_an_erased_person_leaves_no_address(
    benchmark, staff, red, now
):
    seat = TeamSeat.objects.get(user=red)
    benchmark_services.end_seat(seat=seat, by=staff, now=now)
    with pytest.raises(Denied):
        send(benchmark, red, now)
    blank = scenes.invite(benchmark, staff, now, email=red.email)
    benchmark_services.forget_person(red, now)
    blank.refresh_from_db()
    assert (blank.email, blank.ended_at) == ("", now)
    assert not AuditEntry.objects.filter(data__email=red.email).exists()


def test_staff_invite_and_end_seats_on_the_page(benchmark, staff, client_as):
    client = client_as(staff)
    invite = reverse("benchmark-invite", args=["bridges"])
    assert client.post(invite, {"team": "Reds", "email": "nobody"}).status_code == 422
    assert client.post(invite, {"team": "Reds", "email": "r@lake.example"}).status_code == 302
    page = client.get(reverse("benchmark-edit", args=["bridges"])).text
    seat = TeamSeat.objects.get()
    assert link_of(seat) in page
    client.post(reverse("benchmark-seat-end", args=["bridges", seat.pk]))
    assert "r@lake.example" not in client.get(reverse("benchmark-edit", args=["bridges"])).text
    assert Benchmark.objects.get().is_open
