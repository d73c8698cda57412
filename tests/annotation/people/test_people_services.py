"""Invitations, roles and pauses."""

import datetime as dt
import threading

import pytest
from django.core.mail import EmailMessage
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.access.people import InvitationOver, UnreadableLink
from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Invitation, Job, Membership, Project
from annotation.people import invitation_services, letters
from annotation.people import services as people_services
from tests import factories

EMAIL = "nora@example.org"


def make_invitation(project, by, now, email=EMAIL, role="annotator"):
    return invitation_services.invite_member(
        project=project, email=email, roles=[role], by=by, now=now
    )


def token_of(invitation):
    return invitation_services.invitation_link(invitation).split("/")[-2]


def join(invitation, now, name="Nora North"):
    return invitation_services.accept_new(
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

    def test_one_open_invitation_per_address(self, project, ada, now):
        make_invitation(project, ada, now)
        with pytest.raises(Conflict, match="has an open invitation as annotator"):
            make_invitation(project, ada, now, email=EMAIL.upper(), role="judge")
        assert Invitation.objects.count() == 1

    def test_several_roles_in_their_order_without_those_they_have(self, project, ada, ann, now):
        invitation = invitation_services.invite_member(
            project=project,
            email=ann.email,
            roles=["judge", "validator", "annotator", "judge"],
            by=ada,
            now=now,
        )
        assert invitation.roles == ["validator", "judge"]

    def test_roles_that_do_not_go_together_are_refused(self, project, ada, now):
        with pytest.raises(Conflict, match="and annotator and admin can"):
            invitation_services.invite_member(
                project=project,
                email=EMAIL,
                roles=["expert", "annotator", "admin"],
                by=ada,
                now=now,
            )
        with pytest.raises(Denied, match="at least one role"):
            invitation_services.invite_member(
                project=project, email=EMAIL, roles=[], by=ada, now=now
            )

    def test_one_that_ran_out_makes_way(self, project, ada, now):
        old = make_invitation(project, ada, now - dt.timedelta(days=30))
        make_invitation(project, ada, now)
        old.refresh_from_db()
        assert old.revoked_at == now


def send_letters(project, by, now, *invitations):
    """Run the job that sends the e-mails of these; return it as it is afterwards."""
    job = letters.start_letters(
        project=project, invitations=invitations, site="https://a.example", by=by, now=now
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    job.refresh_from_db()
    return job


@pytest.mark.django_db
class TestLetter:
    def test_it_holds_the_link_and_nothing_is_escaped(self, project, ada, now, mailoutbox):
        Project.objects.filter(pk=project.pk).update(title="Bridges & tunnels")
        invitation = invitation_services.invite_member(
            project=project,
            email=EMAIL,
            roles=["validator", "annotator"],
            name="Nora",
            message="It is 5 < 6 hours.",
            by=ada,
            now=now,
            by_letter=True,
        )
        assert invitation.letter == "waiting"
        job = send_letters(project, ada, now, invitation)
        (letter,) = mailoutbox
        invitation.refresh_from_db()
        assert (invitation.letter, invitation.sent_at) == ("sent", now)
        assert (job.state, job.result) == ("done", {"sent": 1, "failed": 0})
        assert letter.to == [EMAIL]
        assert letter.subject == "Invitation to Bridges & tunnels"
        assert f"https://a.example{invitation_services.invitation_link(invitation)}" in letter.body
        assert "in Bridges & tunnels as annotator and validator" in letter.body
        assert letter.body.startswith("Hello Nora,")
        assert "It is 5 < 6 hours." in letter.body

    def test_one_that_cannot_be_sent_leaves_the_invitation_and_the_others(
        self, project, ada, now, monkeypatch, mailoutbox
    ):
        def send(letter, real=EmailMessage.send):
            if letter.to == [EMAIL]:
                raise ConnectionRefusedError
            return real(letter)

        monkeypatch.setattr(EmailMessage, "send", send)
        both = [
            invitation_services.invite_member(
                project=project, email=email, roles=["judge"], by=ada, now=now, by_letter=True
            )
            for email in (EMAIL, "olaf@example.org")
        ]
        job = send_letters(project, ada, now, *both)
        assert job.result == {"sent": 1, "failed": 1}
        assert dict(Invitation.objects.values_list("email", "letter")) == {
            EMAIL: "failed",
            "olaf@example.org": "sent",
        }
        renewed = invitation_services.renew_invitation(
            invitation=both[0], by=ada, now=now, by_letter=True
        )
        monkeypatch.undo()
        send_letters(project, ada, now, renewed)
        assert [letter.to for letter in mailoutbox] == [["olaf@example.org"], [EMAIL]]

    def test_a_job_that_starts_again_sends_none_twice(self, project, ada, now, mailoutbox):
        invitation = invitation_services.invite_member(
            project=project, email=EMAIL, roles=["judge"], by=ada, now=now, by_letter=True
        )
        job = send_letters(project, ada, now, invitation)
        Job.objects.filter(pk=job.pk).update(state="queued", ended_at=None)
        jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
        assert len(mailoutbox) == 1

    def test_one_that_was_withdrawn_meanwhile_is_not_sent(self, project, ada, now, mailoutbox):
        invitation = invitation_services.invite_member(
            project=project, email=EMAIL, roles=["judge"], by=ada, now=now, by_letter=True
        )
        invitation_services.revoke_invitation(invitation=invitation, by=ada, now=now)
        send_letters(project, ada, now, invitation)
        assert mailoutbox == []


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
        first = invitation_services.accept_invitation(token=token, by=stan, now=now)
        assert invitation_services.accept_invitation(token=token, by=stan, now=now) == first
        assert Membership.objects.filter(user=stan).count() == 1
        assert AuditEntry.objects.filter(action="invitation_accepted").count() == 1

    def test_after_the_role_was_taken_away_the_link_does_not_bring_it_back(
        self, project, ada, stan, now
    ):
        token = token_of(make_invitation(project, ada, now, email=stan.email))
        (membership,) = invitation_services.accept_invitation(token=token, by=stan, now=now)
        people_services.remove_role(membership=membership, by=ada, now=now)
        with pytest.raises(InvitationOver, match="was used"):
            invitation_services.accept_invitation(token=token, by=stan, now=now)
        assert not Membership.objects.filter(user=stan).exists()

    def test_the_day_it_ended_is_the_day_of_the_readers(self, project, ada, settings):
        evening = dt.datetime(2026, 3, 1, 20, tzinfo=dt.UTC)  # the 2nd of March there
        token = token_of(make_invitation(project, ada, evening - settings.INVITATION_MAX_AGE))
        with (
            timezone.override("Pacific/Auckland"),
            pytest.raises(InvitationOver, match="ended on 2 March 2026"),
        ):
            invitation_services.accept_new(token=token, name="N", password="x", now=evening)

    def test_a_known_address_makes_no_second_account(self, project, ada, stan, now):
        invitation = make_invitation(project, ada, now, email=stan.email)
        with pytest.raises(Conflict, match="has an account"):
            join(invitation, now)
        assert not Membership.objects.filter(user=stan).exists()

    def test_another_account_is_refused(self, project, ada, stan, now):
        token = token_of(make_invitation(project, ada, now))
        with pytest.raises(Denied, match=f"is for {EMAIL}"):
            invitation_services.accept_invitation(token=token, by=stan, now=now)

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
        invitation_services.revoke_invitation(invitation=revoked, by=ada, now=now)
        with pytest.raises(InvitationOver, match="was withdrawn"):
            join(revoked, now)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda token: token[:-1],
            lambda token: "9" + token,
            lambda token: token.replace(".", ""),
            lambda token: "x.y",
            lambda token: invitation_services.SIGNER.sign("nonsense"),
            lambda token: invitation_services.SIGNER.sign("999999-1"),
        ],
    )
    def test_a_link_that_is_not_ours_is_unreadable(self, project, ada, now, spoil):
        token = token_of(make_invitation(project, ada, now))
        with pytest.raises(UnreadableLink):
            invitation_services.find_invitation(spoil(token))

    def test_a_link_of_an_earlier_row_with_the_same_number_is_worthless(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        token = token_of(invitation)
        Invitation.objects.filter(pk=invitation.pk).update(created_at=now + dt.timedelta(days=1))
        with pytest.raises(UnreadableLink):
            invitation_services.find_invitation(token)

    def test_revoking_a_used_one_says_what_to_do(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        join(invitation, now)
        with pytest.raises(Conflict, match="Remove the role instead"):
            invitation_services.revoke_invitation(invitation=invitation, by=ada, now=now)


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
            *[lambda: invitation_services.accept_invitation(token=token, by=stan, now=now)] * 8
        )
        assert len({outcome[0].pk for outcome in outcomes}) == 1
        assert Membership.objects.filter(user=stan).count() == 1
        assert AuditEntry.objects.filter(action="invitation_accepted").count() == 1

    def test_eight_racing_new_accounts_make_one(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        outcomes = race(*[lambda: join(invitation, now)] * 8)
        assert sum(isinstance(outcome, User) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, InvitationOver) for outcome in outcomes) == 7
        assert Membership.objects.filter(user__email=EMAIL).count() == 1

    def test_two_invitations_used_at_once_make_one_account(self, project, ada, now):
        other = factories.make_project(slug="other")
        factories.make_member(other, "admin", user=ada)
        invitations = [make_invitation(each, ada, now) for each in (project, other)]
        outcomes = race(*[lambda each=each: join(each, now) for each in invitations * 4])
        assert sum(isinstance(outcome, User) for outcome in outcomes) == 1
        assert all(isinstance(outcome, User | InvitationOver | Conflict) for outcome in outcomes)
        assert User.objects.filter(email=EMAIL).count() == 1

    def test_one_that_is_declined_and_accepted_at_once_ends_once(self, project, ada, now):
        invitation = make_invitation(project, ada, now)
        token = token_of(invitation)
        race(
            lambda: join(invitation, now),
            lambda: invitation_services.decline_invitation(token=token, now=now),
        )
        invitation.refresh_from_db()
        joined = User.objects.filter(email=EMAIL).exists()
        assert (bool(invitation.accepted_at), bool(invitation.declined_at)) == (joined, not joined)

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


@pytest.mark.django_db
class TestDecline:
    def test_nothing_says_any_longer_who_it_was(self, project, ada, now):
        invitation = invitation_services.invite_member(
            project=project,
            email=EMAIL,
            roles=["judge"],
            name="Nora North",
            message="Hello Nora",
            by=ada,
            now=now,
        )
        token = token_of(invitation)
        later = now + dt.timedelta(hours=1)
        invitation_services.decline_invitation(token=token, now=later)
        invitation_services.decline_invitation(token=token, now=later + dt.timedelta(days=1))
        invitation.refresh_from_db()
        assert (invitation.email, invitation.name, invitation.message) == ("", "", "")
        assert invitation.declined_at == later
        assert {entry.action: entry.data for entry in AuditEntry.objects.all()} == {
            "invited": {"email": "someone", "role": "judge"},
            "invitation_declined": {"role": "judge"},
        }
        with pytest.raises(InvitationOver, match="declined"):
            join(invitation, later)
        with pytest.raises(InvitationOver, match="declined"):
            invitation_services.accept_invitation(token=token, by=ada, now=later)
        assert make_invitation(project, ada, later)  # whoever changes their mind is asked again

    @pytest.mark.parametrize(
        ("state", "sentence"), [("revoked_at", "withdrawn"), ("expires_at", "ended on")]
    )
    def test_one_that_is_over_is_not_declined(self, project, ada, now, state, sentence):
        invitation = make_invitation(project, ada, now)
        Invitation.objects.update(**{state: now})
        with pytest.raises(InvitationOver, match=sentence):
            invitation_services.decline_invitation(token=token_of(invitation), now=now)


@pytest.mark.django_db
class TestRenewal:
    @pytest.fixture
    def expired(self, project, ada, now):
        return make_invitation(project, ada, now - dt.timedelta(days=60))

    def test_asking_is_noted_once_a_day(self, expired, now):
        token = token_of(expired)
        for hours in (0, 23, 25):
            invitation_services.ask_for_renewal(token=token, now=now + dt.timedelta(hours=hours))
        expired.refresh_from_db()
        assert expired.renewal_asked_at == now + dt.timedelta(hours=25)
        assert AuditEntry.objects.filter(action="invitation_renewal_asked").count() == 2

    def test_one_that_works_or_was_withdrawn_is_not_asked_for(self, project, ada, now):
        token = token_of(make_invitation(project, ada, now))
        with pytest.raises(Conflict, match="still open"):
            invitation_services.ask_for_renewal(token=token, now=now)
        Invitation.objects.update(revoked_at=now)
        with pytest.raises(InvitationOver, match="withdrawn"):
            invitation_services.ask_for_renewal(token=token, now=now)

    def test_the_same_link_works_again(self, expired, ada, now):
        invitation_services.ask_for_renewal(token=token_of(expired), now=now)
        week = dt.timedelta(days=7)
        renewed = invitation_services.renew_invitation(
            invitation=expired, by=ada, now=now, open_for=week
        )
        assert (renewed.expires_at, renewed.renewal_asked_at) == (now + week, None)
        day = dt.timedelta(days=1)
        renewed = invitation_services.renew_invitation(
            invitation=expired, by=ada, now=now, open_for=day
        )
        assert renewed.expires_at == now + week  # never shorter
        assert join(expired, now).email == EMAIL

    def test_one_that_ended_is_not_renewed_and_only_admins_renew(self, expired, project, ada, now):
        member = factories.make_member(project, "researcher")
        with pytest.raises(Denied, match="Only admins"):
            invitation_services.renew_invitation(invitation=expired, by=member, now=now)
        Invitation.objects.update(revoked_at=now)
        with pytest.raises(Conflict, match="invitation is over"):
            invitation_services.renew_invitation(invitation=expired, by=ada, now=now)


@pytest.mark.django_db
def test_the_first_opening_is_noted(project, ada, now):
    invitation = make_invitation(project, ada, now)
    for minutes in (1, 2):
        invitation_services.note_opening(
            invitation=invitation, now=now + dt.timedelta(minutes=minutes)
        )
    invitation.refresh_from_db()
    assert invitation.opened_at == now + dt.timedelta(minutes=1)


def test_the_link_is_a_path_of_plain_letters():
    row = Invitation(pk=7, created_at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC))
    link = invitation_services.invitation_link(row)
    assert link.startswith(reverse("invitation-accept", args=["x"])[:-2])
    assert all(letter.isalnum() or letter in "/-_." for letter in link)
