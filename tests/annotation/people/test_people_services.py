"""Invitations, roles and pauses."""

import datetime as dt
import threading

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.access.people import InvitationOver, UnreadableLink
from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry, Invitation, Membership
from annotation.people import services as people_services
from tests import factories

EMAIL = "nora@example.org"


def make_invitation(project, by, now, email=EMAIL, role="annotator"):
    return people_services.invite_member(project=project, email=email, role=role, by=by, now=now)


def token_of(invitation):
    return people_services.invitation_link(invitation).split("/")[-2]


def join(invitation, now, name="Nora North"):
    return people_services.accept_new(
        token=token_of(invitation), name=name, password="a long enough one", now=now
    )


@pytest.mark.django_db
class TestInvite:
    def test_it_lasts_as_long_as_the_setting_says(self, project, ada, now, settings):
        settings.INVITATION_MAX_AGE = dt.timedelta(days=3)
        invitation = make_invitation(project, ada, now, email=" Nora@Example.org ")
        assert invitation.email == EMAIL
        assert invitation.expires_at == now + dt.timedelta(days=3)
        entry = AuditEntry.objects.get(action="invited")
        assert entry.actor == ada.pk
        assert entry.data == {"email": EMAIL, "role": "annotator"}

    @pytest.mark.parametrize("role", ["annotator", "validator", "judge", "researcher"])
    def test_only_admins_invite(self, project, now, role):
        member = factories.make_member(project, role)
        with pytest.raises(Denied, match="Only admins"):
            make_invitation(project, member, now)
        assert not Invitation.objects.exists()

    def test_an_unknown_role_is_named(self, project, ada, now):
        with pytest.raises(Denied, match='There is no role "king"'):
            make_invitation(project, ada, now, role="king")

    def test_the_role_they_have_is_a_conflict_another_role_is_not(self, project, ada, ann, now):
        with pytest.raises(Conflict, match="already annotator"):
            make_invitation(project, ada, now, email=ann.email.upper())
        assert make_invitation(project, ada, now, email=ann.email, role="validator")

    def test_one_open_invitation_per_address_and_role(self, project, ada, now):
        make_invitation(project, ada, now)
        with pytest.raises(Conflict, match="has an open invitation as annotator"):
            make_invitation(project, ada, now, email=EMAIL.upper())
        assert Invitation.objects.count() == 1

    def test_one_that_ran_out_makes_way(self, project, ada, now):
        old = make_invitation(project, ada, now - dt.timedelta(days=30))
        make_invitation(project, ada, now)
        old.refresh_from_db()
        assert old.revoked_at == now


@pytest.mark.django_db
class TestLetter:
    def test_it_holds_the_link_and_nothing_is_escaped(self, project, ada, now, mailoutbox):
        project.title = "Bridges & tunnels"
        invitation, sent = people_services.invite_by_letter(
            project=project,
            email=EMAIL,
            role="validator",
            by=ada,
            now=now,
            site="https://a.example",
        )
        (letter,) = mailoutbox
        assert sent
        assert letter.to == [EMAIL]
        assert letter.subject == "Invitation to Bridges & tunnels"
        assert f"https://a.example{people_services.invitation_link(invitation)}" in letter.body
        assert "in Bridges & tunnels as validator" in letter.body

    def test_a_mail_server_that_is_down_leaves_the_invitation(self, project, ada, now, monkeypatch):
        def down(*args):
            raise ConnectionRefusedError

        monkeypatch.setattr(people_services, "send_mail", down)
        invitation, sent = people_services.invite_by_letter(
            project=project,
            email=EMAIL,
            role="validator",
            by=ada,
            now=now,
            site="https://a.example",
        )
        assert not sent
        assert Invitation.objects.get() == invitation


@pytest.mark.django_db
class TestAccept:
    def test_somebody_new_gets_an_account_and_the_role(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        user = join(invitation, now)
        invitation.refresh_from_db()
        assert user.email == EMAIL
        assert user.check_password("a long enough one")
        assert Membership.objects.get(user=user).role == "annotator"
        assert (invitation.accepted_by, invitation.accepted_at) == (user, now)
        assert AuditEntry.objects.filter(action="invitation_accepted", actor=user.pk).count() == 1

    def test_somebody_known_gets_the_role_once(self, project, ada, stan, now):
        token = token_of(make_invitation(project, ada, now, email=stan.email))
        first = people_services.accept_invitation(token=token, by=stan, now=now)
        assert people_services.accept_invitation(token=token, by=stan, now=now) == first
        assert Membership.objects.filter(user=stan).count() == 1
        assert AuditEntry.objects.filter(action="invitation_accepted").count() == 1

    def test_after_the_role_was_taken_away_the_link_does_not_bring_it_back(
        self, project, ada, stan, now
    ):
        token = token_of(make_invitation(project, ada, now, email=stan.email))
        membership = people_services.accept_invitation(token=token, by=stan, now=now)
        people_services.remove_role(membership=membership, by=ada, now=now)
        with pytest.raises(InvitationOver, match="was used"):
            people_services.accept_invitation(token=token, by=stan, now=now)
        assert not Membership.objects.filter(user=stan).exists()

    def test_the_day_it_ended_is_the_day_of_the_readers(self, project, ada, settings):
        evening = dt.datetime(2026, 3, 1, 20, tzinfo=dt.UTC)  # the 2nd of March there
        token = token_of(make_invitation(project, ada, evening - settings.INVITATION_MAX_AGE))
        with (
            timezone.override("Pacific/Auckland"),
            pytest.raises(InvitationOver, match="ended on 2 March 2026"),
        ):
            people_services.accept_new(token=token, name="N", password="x", now=evening)

    def test_a_known_address_makes_no_second_account(self, project, ada, stan, now):
        invitation = make_invitation(project, ada, now, email=stan.email)
        with pytest.raises(Conflict, match="has an account"):
            join(invitation, now)
        assert not Membership.objects.filter(user=stan).exists()

    def test_another_account_is_refused(self, project, ada, stan, now):
        token = token_of(make_invitation(project, ada, now))
        with pytest.raises(Denied, match=f"is for {EMAIL}"):
            people_services.accept_invitation(token=token, by=stan, now=now)

    def test_it_works_to_the_last_moment_and_not_after(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        with pytest.raises(InvitationOver, match="This invitation ended on"):
            join(invitation, invitation.expires_at)
        assert join(invitation, invitation.expires_at - dt.timedelta(seconds=1))

    def test_used_and_revoked_ones_are_told_apart(self, project, ada, now):
        used = make_invitation(project, ada, now)
        join(used, now)
        with pytest.raises(InvitationOver, match="was used"):
            join(used, now)
        revoked = make_invitation(project, ada, now, email="other@example.org")
        people_services.revoke_invitation(invitation=revoked, by=ada, now=now)
        with pytest.raises(InvitationOver, match="was withdrawn"):
            join(revoked, now)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda token: token[:-1],
            lambda token: "9" + token,
            lambda token: token.replace(".", ""),
            lambda token: "x.y",
            lambda token: people_services.SIGNER.sign("nonsense"),
            lambda token: people_services.SIGNER.sign("999999-1"),
        ],
    )
    def test_a_link_that_is_not_ours_is_unreadable(self, project, ada, now, spoil):
        token = token_of(make_invitation(project, ada, now))
        with pytest.raises(UnreadableLink):
            people_services.find_invitation(spoil(token))

    def test_a_link_of_an_earlier_row_with_the_same_number_is_worthless(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        token = token_of(invitation)
        Invitation.objects.filter(pk=invitation.pk).update(created_at=now + dt.timedelta(days=1))
        with pytest.raises(UnreadableLink):
            people_services.find_invitation(token)

    def test_revoking_a_used_one_says_what_to_do(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        join(invitation, now)
        with pytest.raises(Conflict, match="Remove the role instead"):
            people_services.revoke_invitation(invitation=invitation, by=ada, now=now)


@pytest.mark.django_db
class TestRoles:
    def test_given_once_however_often(self, project, ada, ann, now):
        for _ in range(2):
            people_services.add_role(project=project, user=ann, role="validator", by=ada, now=now)
        assert sorted(ann.memberships.values_list("role", flat=True)) == ["annotator", "validator"]
        assert AuditEntry.objects.filter(action="role_added").count() == 1

    def test_taken_away(self, project, ada, ann, now):
        people_services.remove_role(membership=ann.memberships.get(), by=ada, now=now)
        assert not ann.memberships.exists()
        assert AuditEntry.objects.get(action="role_removed").data["role"] == "annotator"

    @pytest.mark.parametrize("state", ["active", "parked"])
    def test_what_was_held_goes_to_others_and_the_text_stays(self, project, ada, ann, now, state):
        task = factories.make_task(project)
        held = factories.make_assignment(task, ann, state, draft={"kind": "none"})
        people_services.remove_role(membership=ann.memberships.get(), by=ada, now=now)
        held.refresh_from_db()
        task.refresh_from_db()
        assert (held.state, held.draft, task.seats) == ("expired", {"kind": "none"}, 2)
        assert AuditEntry.objects.get(action="assignment_expired").actor == ada.pk

    def test_another_role_keeps_the_seat(self, project, ada, ann, now):
        held = factories.make_assignment(factories.make_task(project), ann)
        factories.make_member(project, "validator", user=ann)
        people_services.remove_role(
            membership=ann.memberships.get(role="validator"), by=ada, now=now
        )
        held.refresh_from_db()
        assert held.state == "active"

    def test_researchers_change_no_roles(self, project, rosa, ann, now):
        with pytest.raises(Denied):
            people_services.add_role(project=project, user=ann, role="validator", by=rosa, now=now)
        with pytest.raises(Denied):
            people_services.remove_role(membership=ann.memberships.get(), by=rosa, now=now)

    def test_the_last_admin_stays(self, project, ada, now):
        with pytest.raises(Conflict, match="at least one admin"):
            people_services.remove_role(membership=ada.memberships.get(), by=ada, now=now)
        factories.make_member(project, "admin")
        people_services.remove_role(membership=ada.memberships.get(), by=ada, now=now)
        assert not ada.memberships.exists()

    def test_admins_of_one_project_mean_nothing_in_another(self, ada, ann, now):
        other = factories.make_project()
        with pytest.raises(Denied):
            people_services.add_role(project=other, user=ann, role="validator", by=ada, now=now)

    @pytest.mark.parametrize("role", ["researcher", "admin"])
    def test_staff_lift_a_pause(self, project, ann, now, role):
        Membership.objects.filter(user=ann).update(paused_at=now, pause_reason="10 skips")
        by = factories.make_member(project, role)
        people_services.lift_pause(membership=ann.memberships.get(), by=by, now=now)
        assert ann.memberships.get().paused_at is None
        assert ann.memberships.get().pause_reason == ""
        assert AuditEntry.objects.get(action="pause_lifted").data["reason"] == "10 skips"

    def test_nobody_lifts_their_own(self, project, ann, now):
        Membership.objects.filter(user=ann).update(paused_at=now, pause_reason="10 skips")
        with pytest.raises(Denied):
            people_services.lift_pause(membership=ann.memberships.get(), by=ann, now=now)


def race(*calls):
    """Run each call in a thread and connection of its own; return results and refusals."""
    start = threading.Barrier(len(calls))
    outcomes = []

    def run(call):
        try:
            start.wait()
            outcomes.append(call())
        except Denied as refusal:
            outcomes.append(refusal)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_eight_racing_accepts_make_one_membership(self, project, ada, stan, now):
        token = token_of(make_invitation(project, ada, now, email=stan.email))
        outcomes = race(
            *[lambda: people_services.accept_invitation(token=token, by=stan, now=now)] * 8
        )
        assert len({outcome.pk for outcome in outcomes}) == 1
        assert Membership.objects.filter(user=stan).count() == 1
        assert AuditEntry.objects.filter(action="invitation_accepted").count() == 1

    def test_eight_racing_new_accounts_make_one(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        outcomes = race(*[lambda: join(invitation, now)] * 8)
        assert sum(isinstance(outcome, User) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, InvitationOver) for outcome in outcomes) == 7
        assert Membership.objects.filter(user__email=EMAIL).count() == 1

    def test_two_invitations_used_at_once_make_one_account(self, project, ada, now):
        invitations = [
            make_invitation(project, ada, now, role=role) for role in ("annotator", "validator")
        ]
        outcomes = race(*[lambda each=each: join(each, now) for each in invitations * 4])
        assert sum(isinstance(outcome, User) for outcome in outcomes) == 1
        assert all(isinstance(outcome, User | InvitationOver | Conflict) for outcome in outcomes)
        assert User.objects.filter(email=EMAIL).count() == 1

    def test_racing_invitations_leave_one_open(self, project, ada, now):
        outcomes = race(*[lambda: make_invitation(project, ada, now)] * 4)
        assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 3
        assert Invitation.objects.count() == 1

    def test_two_admins_who_remove_each_other_leave_one(self, project, ada, now):
        other = factories.make_member(project, "admin")
        rows = {user: user.memberships.get() for user in (ada, other)}
        outcomes = race(
            lambda: people_services.remove_role(membership=rows[other], by=ada, now=now),
            lambda: people_services.remove_role(membership=rows[ada], by=other, now=now),
        )
        assert sum(isinstance(outcome, Denied) for outcome in outcomes) == 1
        assert Membership.objects.filter(project=project, role="admin").count() == 1


def test_the_link_is_a_path_of_plain_letters():
    row = Invitation(pk=7, created_at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC))
    link = people_services.invitation_link(row)
    assert link.startswith(reverse("invitation-accept", args=["x"])[:-2])
    assert all(letter.isalnum() or letter in "/-_." for letter in link)
