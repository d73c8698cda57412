"""The page of an invitation: its offer, consent, saying no, and what it tells once it is over."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation.consent.queries import has_to_answer
from annotation.core.models.people import ROLE_SENTENCES
from annotation.models import Consent, Invitation, Membership, StagePolicy
from annotation.people import invitation_services, offers
from tests import factories
from tests.annotation.consent.helpers import agree, publish

pytestmark = pytest.mark.django_db
EMAIL = "nora@example.org"
JOIN = {"name": "Nora North", "password": "a bridge over the water"}
BOXES = {"version": 1, "of_age": "on", "agreed": "on", "may_train": "yes"}
DAY = dt.timedelta(days=1)
SECRET = "Only members read these guidelines."


@pytest.fixture
def invite(project, ada, now):
    def invite(*roles, **fields):
        invitation = invitation_services.invite_member(
            project=project, email=EMAIL, roles=roles or ["annotator"], by=ada, now=now, **fields
        )
        return invitation, invitation_services.invitation_link(invitation)

    return invite


def guidelines(project, body):
    project.guidelines.update(body=body)


class TestOffer:
    def test_it_says_who_to_what_and_in_their_words(self, client, project, invite, ada):
        guidelines(project, f"## Overview\n\n{SECRET}\n\n## Examples\n\nThe tunnel.")
        _, link = invite("annotator", "validator", message="You know tunnels.\n<b>Do.</b>")
        page = client.get(link).content.decode()
        for words in (
            *("Ada Adler invites you to Crossings pilot", "You know tunnels.<br>&lt;b&gt;"),
            *(SECRET, "The tunnel.", f"Invitation for {EMAIL}"),
            *(sentence for _, sentence in ROLE_SENTENCES.items() if "answered" in sentence),
        ):
            assert words in page

    def test_time_and_pay_are_facts(self, project, ann, now):
        StagePolicy.objects.filter(project=project).update(pay="0.75", pay_accepted="0.10")
        for seconds in (60, 130, 600):
            task = factories.make_task(project, seats=1)
            factories.make_assignment(
                task,
                ann,
                "submitted",
                active_seconds=seconds,
                submitted_at=now,
                ended_at=now,
                lease_ends_at=None,
            )
        for _ in range(3):
            factories.make_task(project)
        offer = offers.describe_offer(project, ["annotator"])
        [work] = offer.work
        assert (work.many, work.minutes) == ("3", 2)
        assert offer.pay == ["0.75 USD for each question + 0.10 USD when accepted"]

    def test_nothing_is_invented(self, client, project, invite):
        offer = offers.describe_offer(project, ["annotator"])
        assert ([each.minutes for each in offer.work], offer.pay) == ([None], [])
        _, link = invite()
        page = client.get(link).content.decode()
        assert "how long one takes is not known" in page
        assert "None is set" in page

    def test_staff_are_told_their_role_and_are_not_asked(self, client, project, ada, invite, now):
        publish(project, ada, now)
        _, link = invite("researcher")
        page = client.get(link).content.decode()
        assert "You run the project: its questions" in page
        assert "want to take part" not in page
        assert client.post(link, JOIN).status_code == 302
        assert not Consent.objects.exists()

    def test_the_statements_do_not_grow_with_the_work(self, client, project, invite, ann):
        _, link = invite()
        client.get(link)

        def count():
            with CaptureQueriesContext(connection) as captured:
                client.get(link)
            return len(captured)

        before = count()
        for _ in range(5):
            factories.make_assignment(factories.make_task(project), ann, "returned")
        assert count() == before


class TestConsent:
    @pytest.fixture
    def text(self, project, ada, now):
        return publish(project, ada, now)

    def test_a_new_account_agrees_as_it_joins(self, client, project, text, invite):
        _, link = invite()
        page = client.get(link).content.decode()
        for words in ("Your <em>name</em>", "18 or older", "train models", "data@example.org"):
            assert words in page
        assert client.post(link, JOIN | BOXES).status_code == 302
        given = Consent.objects.get()
        assert (given.user.email, given.text, given.may_train) == (EMAIL, text, True)
        assert not has_to_answer(given.user, project)

    def test_without_the_boxes_nothing_is_made(self, client, text, invite):
        invitation, link = invite()
        answer = client.post(link, JOIN)
        page = answer.content.decode()
        assert answer.status_code == 422
        for sentence in ("Confirm your age", "Say that you have read it", "Choose yes or no."):
            assert sentence in page
        assert 'value="Nora North"' in page
        invitation.refresh_from_db()
        assert invitation.accepted_at is None
        assert not User.objects.filter(email=EMAIL).exists()

    def test_a_text_that_changed_meanwhile_is_read_first(
        self, client, project, text, invite, ada, now
    ):
        _, link = invite()
        publish(project, ada, now, body="Now more is kept.")
        page = client.post(link, JOIN | BOXES).content.decode()
        assert "The text has changed since you opened this page." in page
        assert "Now more is kept." in page
        assert 'name="version" value="2"' in page
        assert not User.objects.filter(email=EMAIL).exists()

    def test_whoever_has_agreed_is_not_asked_again(self, client_as, project, text, invite, now):
        user = factories.make_user(email=EMAIL, name="Nora North")
        agree(project, user, now)
        _, link = invite("validator")
        client = client_as(user)
        assert "want to take part" not in client.get(link).content.decode()
        assert client.post(link).status_code == 302

    def test_an_account_that_exists_agrees_too(self, client_as, project, text, invite):
        user = factories.make_user(email=EMAIL, name="Nora North")
        _, link = invite()
        client = client_as(user)
        assert client.post(link).status_code == 422
        assert not Membership.objects.filter(user=user).exists()
        assert client.post(link, BOXES | {"may_train": "no"}).status_code == 302
        assert Consent.objects.get().may_train is False


class TestOver:
    def test_no_thank_you_erases_the_address(self, client, project, invite):
        invitation, link = invite(name="Nora North")
        assert "No, thank you" in client.get(link).content.decode()
        answer = client.post(link, {"press": "decline"}, follow=True)
        page = answer.content.decode()
        assert answer.status_code == 410
        assert "You said no to this invitation" in page
        invitation.refresh_from_db()
        assert (invitation.email, invitation.name) == ("", "")
        assert client.post(link, JOIN).status_code == 410

    def test_an_expired_one_can_be_asked_for_again(self, client, project, invite, ada, now):
        invitation, link = invite()
        Invitation.objects.update(expires_at=now - DAY)
        assert "This invitation has expired" in client.get(link).content.decode()
        answer = client.post(link, {"press": "renew"}, follow=True)
        page = answer.content.decode()
        assert "Ada Adler was asked for a new link" in page
        assert "Ask for a new link" not in page
        invitation.refresh_from_db()
        invitation_services.renew_invitation(invitation=invitation, by=ada, now=now)
        assert client.get(link).status_code == 200

    @pytest.mark.parametrize("press", ["decline", "renew"])
    @pytest.mark.parametrize(
        ("end", "title"),
        [
            ("used", "This invitation was used"),
            ("withdrawn", "This invitation was withdrawn"),
            ("declined", "You said no to this invitation"),
            ("expired", "This invitation has expired"),
        ],
    )
    def test_what_is_over_tells_nothing_of_the_work(
        self, client, project, invite, ann, ada, now, end, title, press
    ):
        guidelines(project, f"## Overview\n\n{SECRET}")
        publish(project, ada, now, body=f"Kept: {SECRET}")
        StagePolicy.objects.filter(project=project).update(pay="0.75")
        _, link = invite(message=SECRET)
        if end == "declined":
            invitation_services.decline_invitation(token=link.split("/")[-2], now=now)
        else:
            Invitation.objects.update(
                **{
                    "used": {"accepted_by": ann, "accepted_at": now},
                    "withdrawn": {"revoked_at": now},
                    "expired": {"expires_at": now - DAY},
                }[end]
            )
        for answer in (client.get(link), client.post(link, JOIN | BOXES)):
            page = answer.content.decode()
            assert answer.status_code == 410
            assert title in page
            for words in (SECRET, "0.75", "What you would do"):
                assert words not in page
        before = list(Invitation.objects.values())
        if (end, press) != ("expired", "renew"):
            client.post(link, {"press": press})
            assert list(Invitation.objects.values()) == before
        assert not User.objects.filter(email=EMAIL).exists()

    def test_another_account_can_neither_join_nor_decline(self, client_as, invite, stan):
        _, link = invite()
        client = client_as(stan)
        before = list(Invitation.objects.values())
        for press in ({}, {"press": "decline"}):
            assert client.post(link, press).status_code == 403
        assert "What you would do" not in client.get(link).content.decode()
        assert list(Invitation.objects.values()) == before


def test_the_letter_says_the_same_in_short(project, ada, now, invite, mailoutbox):
    from annotation.people.letters import _send_letter

    publish(project, ada, now)
    StagePolicy.objects.filter(project=project).update(pay="0.75")
    invitation, link = invite("annotator", message="You know tunnels.")
    assert _send_letter(invitation, "https://ambit.example", None)
    body = mailoutbox[0].body
    for words in (
        *("Ada Adler invites you", "You know tunnels.", f"https://ambit.example{link}"),
        *("Annotator: You answer questions.", "Pay: 0.75 USD for each question."),
        "Questions about your data: data@example.org.",
    ):
        assert words in body
    assert "\n\n\n" not in body
