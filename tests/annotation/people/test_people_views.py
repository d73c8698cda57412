"""The people page and the page of an invitation."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import AuditEntry, Invitation, Membership
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
        assert page.count(">Ann Archer</a><br>") == 1
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

    def test_alone_one_reads_what_waits_and_how_to_find_people(self, client_as, project, ada, now):
        page = client_as(ada).get(page_of(project)).text
        assert "<p>Only you so far.</p>" in page
        assert f'href="{reverse("recruitment-list", args=[project.slug])}">Set up places' in page
        for _ in range(3):
            factories.make_task(project)
        assert (
            "Only you so far. Generation: 3 tasks wait.</p>"
            in client_as(ada).get(page_of(project)).text
        )
        gone = factories.make_user()
        done = factories.make_assignment(
            factories.make_task(project, seats=1), gone, "submitted", submitted_at=now
        )
        type(done).objects.update(active_seconds=2400)
        page = client_as(ada).get(page_of(project)).text
        assert "Generation: 3 tasks wait, about 2 hours for one person." in page

    def test_the_number_of_queries_does_not_grow(self, client_as, project, ada, now):
        client = client_as(ada)
        factories.make_member(project, "annotator")
        client.get(page_of(project))

        def count():
            with CaptureQueriesContext(connection) as captured:
                assert client.get(page_of(project)).status_code == 200
            return len(captured)

        before = count()
        for number in range(40):
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
        data = {"press": "pause", "person": ann.pk}
        answer = client.post(reverse("people-change", args=[other.slug]), data)
        assert (answer.status_code, ann.memberships.get().paused_at) == (403, None)

    def test_the_last_admin_reads_why_they_stay(self, client_as, project, ada):
        address = reverse("role-remove", args=[project.slug, ada.memberships.get().pk])
        response = client_as(ada).post(address)
        assert response.status_code == 409
        assert "A project needs at least one admin." in response.content.decode()


class TestBulk:
    @pytest.fixture
    def change(self, client_as, project, ada):
        def change(press, *people, by=ada, **data):
            address = reverse("people-change", args=[project.slug])
            data |= {"press": press, "person": [each.pk for each in people]}
            return client_as(by).post(address, data, follow=True)

        return change

    def test_a_role_is_given_and_taken(self, change, project, ann, ada):
        ben = factories.make_member(project, "annotator", "judge", name="Ben Brook")
        page = change("give", ann, ben, role="validator").text
        assert "2 people got the role validator." in page
        assert "There was nothing to change." in change("give", ann, role="validator").text
        page = change("remove", ann, ben, role="annotator").text
        assert "2 people lost the role annotator." in page
        assert {row.role for row in ann.memberships.all()} == {"validator"}
        assert {row.role for row in ben.memberships.all()} == {"validator", "judge"}

    def test_what_cannot_be_done_is_said_and_the_rest_is_done(self, change, project, ann):
        eve = factories.make_member(project, "expert", name="Eve Elder")
        page = change("give", ann, eve, role="validator").text
        assert "Eve Elder is an expert here." in page
        assert "Ann Archer got the role validator." in page

    def test_the_last_admin_stays(self, change, ada):
        assert "A project needs at least one admin." in change("remove", ada, role="admin").text
        assert ada.memberships.get().role == "admin"

    def test_one_who_takes_their_own_role_lands_where_they_may_be(self, change, project, ada):
        factories.make_member(project, "admin")
        answer = change("remove", ada, role="admin")
        assert answer.redirect_chain == [(reverse("project-list"), 302)]

    def test_work_is_paused_and_resumed(self, change, client_as, project, rosa, ann):
        assert "Ann Archer paused" in change("pause", ann, rosa, by=rosa).text
        paused = ann.memberships.get()
        assert paused.paused_at is not None
        assert rosa.memberships.get().paused_at is None  # staff
        entry = AuditEntry.objects.get(action="membership_paused")
        assert entry.data["user"] == ann.pk

    def test_researchers_pause_and_write_but_give_no_role(self, change, rosa, ann):
        assert change("give", ann, by=rosa, role="judge").status_code == 403
        assert change("write", ann, by=rosa).status_code == 200

    def test_addresses_are_shown_and_become_blind_copies(self, change, project, ann):
        ben = factories.make_member(project, "judge", name="Ben", email="ben&co@example.org")
        page = change("write", ann, ben).text
        assert f"mailto:?bcc={ann.email},ben%26co@example.org" in page
        assert f"{ann.email}, ben&amp;co@example.org" in page
        assert "Write to 2 people" in page

    def test_strange_posts_are_refused(self, change, ann, stan):
        assert change("write", stan).status_code == 403  # not a member
        assert change("give", role="judge").status_code == 403
        assert change("give", ann, role="king").status_code == 403
        assert change("erase", ann).status_code == 403


class TestFilters:
    def test_without_work_and_away(self, client_as, project, ada, ann, now):
        long_ago = now - dt.timedelta(days=30)
        Membership.objects.filter(user=ann).update(created_at=long_ago)
        ben = factories.make_member(project, "annotator", name="Ben Brook")
        task = factories.make_task(project)
        factories.make_assignment(task, ben, state="skipped")
        page = client_as(ada).get(page_of(project)).text
        assert "1 person is ready to work but has nothing to do." in page
        for label in ("All 3", "Without work 1", "Not seen for a week 1"):
            assert f">{label}</a>" in page
        shown = client_as(ada).get(page_of(project), {"show": "without-work"}).text
        assert "Ben Brook<" in shown
        assert "Ann Archer<" not in shown
        assert "Has had everything open" in shown
        shown = client_as(ada).get(page_of(project), {"show": "away"}).text
        assert "Ann Archer<" in shown
        assert "Ben Brook<" not in shown
        assert client_as(ada).get(page_of(project), {"show": "<x>"}).status_code == 200


class TestInvitationPage:
    def test_somebody_new_joins_and_is_signed_in(self, client, link, project):
        page = client.get(link).content.decode()
        assert "invites you to Crossings pilot" in page
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
        assert "This invitation has expired" in response.content.decode()
        Invitation.objects.update(revoked_at=now)
        assert "was withdrawn" in client.get(link).content.decode()
        user = factories.make_user()
        Invitation.objects.update(revoked_at=None, accepted_by=user, accepted_at=now)
        assert "was used" in client.get(link).content.decode()
        assert client.post(link, JOIN).status_code == 410
