"""Once a day the clock forgets addresses of people who were invited and never came."""

import datetime as dt

import pytest
from knox.models import AuthToken

from accounts import tasks as accounts_tasks
from accounts.services import clear_tokens, create_token
from annotation import tasks
from annotation.models import AuditEntry, Invitation
from annotation.people import invitation_services
from annotation.people.clearing import KEPT, clear_invitations
from config.celery import app

DAY = dt.timedelta(days=1)


@pytest.fixture
def invited(project, ada, now):
    """invited(address): an invitation that ran out a little longer ago than they are kept."""

    def invited(email, ended=KEPT + DAY):
        invitation = invitation_services.invite_member(
            project=project, email=email, roles=["annotator"], by=ada, now=now - KEPT - 2 * DAY
        )
        Invitation.objects.filter(pk=invitation.pk).update(expires_at=now - ended)
        return invitation

    return invited


def test_an_invitation_that_no_one_used_is_forgotten_with_its_address(
    invited, now, project, ada, client_as
):
    invited("nora@example.org")
    assert clear_invitations(now=now) == 1
    assert not Invitation.objects.exists()
    assert AuditEntry.objects.get(action="invited").data == {
        "email": "someone",
        "role": "annotator",
    }
    log = client_as(ada).get(f"/projects/{project.slug}/log/").text
    assert "invited someone as annotator" in log
    assert "nora@example.org" not in log
    assert clear_invitations(now=now) == 0


def test_one_that_was_revoked_is_forgotten_as_well(invited, now, project, ada):
    invitation = invited("nora@example.org", ended=-DAY)
    invitation_services.revoke_invitation(invitation=invitation, by=ada, now=now - KEPT - DAY)
    assert clear_invitations(now=now) == 1


def test_open_new_and_used_ones_stay(invited, now, stan):
    invited("open@example.org", ended=-DAY)
    invited("yesterday@example.org", ended=DAY)
    used = invited("used@example.org")
    Invitation.objects.filter(pk=used.pk).update(accepted_by=stan, accepted_at=now - KEPT)
    assert clear_invitations(now=now) == 0
    assert Invitation.objects.count() == 3
    assert AuditEntry.objects.filter(data__email="yesterday@example.org").exists()


def test_many_take_as_many_statements_as_one(
    invited, now, django_assert_max_num_queries, monkeypatch
):
    for number in range(12):
        invited(f"person-{number}@example.org")
    with django_assert_max_num_queries(10):
        assert clear_invitations(now=now) == 12


def test_api_tokens_that_ended_are_deleted(ann, now):
    create_token(user=ann, now=now - 100 * DAY)
    _, valid = create_token(user=ann, now=now)
    assert clear_tokens(now=now) == 1
    assert AuthToken.objects.get() == valid


def test_the_clock_does_both_once_a_day():
    schedule = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    for name in (tasks.clear_invitations.name, accounts_tasks.clear_tokens.name):
        assert schedule[name] == DAY.total_seconds()
        assert name in app.tasks
