"""The people page and the page of an invitation."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.jobs import services as jobs_services
from annotation.models import Invitation, Job, Membership
from annotation.people import invitation_services
from tests import factories

pytestmark = pytest.mark.django_db
EMAIL = "nora@example.org"
JOIN = {"name": "Nora North", "password": "a bridge over the water"}


@pytest.fixture
def invitation(project, ada, now):
    return invitation_services.invite_member(
        project=project, email=EMAIL, roles=["annotator"], by=ada, now=now
    )


@pytest.fixture
def link(invitation):
    return invitation_services.invitation_link(invitation)


def page_of(project):
    return reverse("project-people", args=[project.slug])


class TestPeoplePage:
    def test_admins_see_everybody_with_roles_and_links(self, client_as, project, ada, ann, link):
        Membership.objects.create(
            user=ann, project=project, role="validator", created_at=project.created_at
        )
        page = client_as(ada).get(page_of(project)).content.decode()
        assert page.count("Ann Archer<br>") == 1
        assert "Remove the role validator from Ann Archer" in page
        assert f'value="http://testserver{link}"' in page

    def test_researchers_read_and_lift_pauses_but_get_no_links(
        self, client_as, project, rosa, ann, link, now
    ):
        Membership.objects.filter(user=ann).update(paused_at=now, pause_reason="10 skips in a row")
        client = client_as(rosa)
        page = client.get(page_of(project)).content.decode()
        assert "10 skips in a row" in page
        assert link not in page
        assert "Remove the role" not in page
        lift = reverse("pause-lift", args=[project.slug, ann.memberships.get().pk])
        assert (
            "Ann Archer can get new work again." in client.post(lift, follow=True).content.decode()
        )

    def test_the_number_of_queries_does_not_grow(self, client_as, project, ada, now):
        client = client_as(ada)
        client.get(page_of(project))

        def count():
            with CaptureQueriesContext(connection) as captured:
                assert client.get(page_of(project)).status_code == 200
            return len(captured)

        before = count()
        for number in range(12):
            factories.make_member(project, "annotator", "validator", name=f"P {number}")
            invitation_services.invite_member(
                project=project, email=f"n{number}@x.org", roles=["validator"], by=ada, now=now
            )
        assert count() == before

    def test_html_in_names_and_reasons_is_text(self, client_as, project, ada, now):
        bad = "<script>alert(1)</script>"
        member = factories.make_member(project, "annotator", name=bad)
        Membership.objects.filter(user=member).update(paused_at=now, pause_reason=bad)
        assert bad not in client_as(ada).get(page_of(project)).content.decode()

    def test_inviting_sends_the_letter_and_lists_the_link(
        self, client_as, project, ada, mailoutbox
    ):
        address = reverse("invitation-create", args=[project.slug])
        data = {"email": EMAIL, "role": "validator"}
        page = client_as(ada).post(address, data, follow=True).content.decode()
        assert f"{EMAIL} is invited, and the e-mail is on its way." in page
        jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
        link = re.search(r"http://testserver/\S+", mailoutbox[0].body)[0]
        assert f'value="{link}"' in page

    @pytest.mark.parametrize(
        ("data", "status", "sentence"),
        [
            ({"email": "", "role": "validator"}, 422, "write the address"),
            ({"email": "nora", "role": "validator"}, 422, "write one whole address"),
            ({"email": EMAIL, "role": "king"}, 422, "king"),
            ({"email": EMAIL, "role": "annotator"}, 409, "has an open invitation"),
        ],
    )
    def test_what_cannot_be_sent_is_explained(
        self, client_as, project, ada, invitation, data, status, sentence
    ):
        address = reverse("invitation-create", args=[project.slug])
        response = client_as(ada).post(address, data)
        assert response.status_code == status
        assert sentence in response.content.decode()
        assert "There is a problem" in response.content.decode()
        assert Invitation.objects.count() == 1

    def test_revoking_takes_the_link_off_the_page(self, client_as, project, ada, invitation, link):
        client = client_as(ada)
        address = reverse("invitation-revoke", args=[project.slug, invitation.pk])
        assert link not in client.post(address, follow=True).content.decode()
        client.logout()
        assert client.get(link).status_code == 410

    def test_rows_of_another_project_are_not_found(self, client_as, ada, ann, project):
        other = factories.make_project()
        factories.make_member(other, "admin", user=ada)
        row = ann.memberships.get().pk
        client = client_as(ada)
        assert client.post(reverse("role-remove", args=[other.slug, row])).status_code == 404
        assert client.post(reverse("pause-lift", args=[other.slug, row])).status_code == 404
        assert client.post(reverse("role-add", args=[other.slug, ann.pk])).status_code == 404

    def test_the_last_admin_reads_why_they_stay(self, client_as, project, ada):
        address = reverse("role-remove", args=[project.slug, ada.memberships.get().pk])
        response = client_as(ada).post(address)
        assert response.status_code == 409
        assert "A project needs at least one admin." in response.content.decode()

    def test_a_role_is_given(self, client_as, project, ada, ann):
        address = reverse("role-add", args=[project.slug, ann.pk])
        page = client_as(ada).post(address, {"role": "validator"}, follow=True).content.decode()
        assert "Ann Archer is now validator." in page
        assert client_as(ada).post(address, {"role": "king"}).status_code == 403


class TestInvitationPage:
    def test_somebody_new_joins_and_is_signed_in(self, client, link, project):
        page = client.get(link).content.decode()
        assert "Join Crossings pilot" in page
        assert 'autocomplete="new-password"' in page
        response = client.post(link, JOIN)
        user = User.objects.get(email=EMAIL)
        assert response["Location"] == reverse("project-start", args=[project.slug])
        assert client.session["_auth_user_id"] == str(user.pk)
        assert user.memberships.get().project == project

    def test_looking_only_notes_that_it_was_opened(self, client, link, invitation):
        client.head(link)
        invitation.refresh_from_db()
        assert invitation.opened_at is None
        client.get(link)
        invitation.refresh_from_db()
        assert invitation.opened_at is not None
        assert invitation.accepted_at is None
        assert not User.objects.filter(email=EMAIL).exists()

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"name": "", "password": JOIN["password"]}, "write the name"),
            ({"name": "Nora", "password": ""}, "choose a password"),
            ({"name": "Nora", "password": "12345678"}, "entirely numeric"),
            ({"name": "Nora", "password": "nora@example"}, "too similar"),
        ],
    )
    def test_weak_passwords_and_gaps_are_explained(self, client, link, data, sentence):
        response = client.post(link, data)
        assert response.status_code == 422
        assert sentence in response.content.decode()
        assert not User.objects.filter(email=EMAIL).exists()

    def test_a_known_address_signs_in_first_and_comes_back(self, client, link):
        user = factories.make_user(email=EMAIL)
        page = client.get(link).content.decode()
        assert f"{reverse('account_login')}?next={link}" in page
        assert client.post(link, JOIN).status_code == 409
        assert User.objects.filter(email=EMAIL).count() == 1
        assert not user.memberships.exists()

    def test_signed_in_they_join_by_one_button(self, client_as, link, project):
        user = factories.make_user(email=EMAIL, name="Nora North")
        client = client_as(user)
        assert "Join as Nora North" in client.get(link).content.decode()
        response = client.post(link)
        assert response["Location"] == reverse("project-start", args=[project.slug])
        assert client.post(link).status_code == 302
        assert client.get(link)["Location"] == reverse("project-start", args=[project.slug])
        assert user.memberships.count() == 1

    def test_the_wrong_account_is_told_both_addresses(self, client_as, link, stan):
        response = client_as(stan).get(link)
        page = response.content.decode()
        assert response.status_code == 403
        assert EMAIL in page
        assert stan.email in page
        assert "Sign out and open the link again" in page
        assert client_as(stan).post(link).status_code == 403

    def test_a_tampered_link_is_404(self, client, link):
        response = client.get(link[:-2] + "x/")
        assert response.status_code == 404
        assert "This link is incomplete" in response.content.decode()

    def test_used_expired_and_revoked_links_are_410(self, client, invitation, link, now):
        Invitation.objects.update(expires_at=now - dt.timedelta(days=1))
        response = client.get(link)
        assert response.status_code == 410
        assert "This invitation ended on" in response.content.decode()
        Invitation.objects.update(revoked_at=now)
        assert "was withdrawn" in client.get(link).content.decode()
        user = factories.make_user()
        Invitation.objects.update(revoked_at=None, accepted_by=user, accepted_at=now)
        assert "was used" in client.get(link).content.decode()
        assert client.post(link, JOIN).status_code == 410
