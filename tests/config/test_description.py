"""What the settings say of an installation: where it is shown, and what says that it is missing."""

import pytest
from django.core import mail
from django.urls import reverse

from accounts.letters import TOKEN, tell_owner
from config.checks import check_description

SAID = {
    "SITE_NAME": "Lake & Sea Ambit",
    "OPERATOR": "Reading Lab, Lake University",
    "CONTACT_EMAIL": "help@lake.example",
    "ETHICS_APPROVAL": "Lake University, 2026-114",
}


@pytest.fixture
def described(settings):
    for name, value in SAID.items():
        setattr(settings, name, value)


def test_the_check_for_production_names_each_that_is_missing(settings, described):
    assert check_description(None) == []
    for name in SAID:
        setattr(settings, name, "")
        (warning,) = check_description(None)
        assert warning.msg.startswith(f"{name} is not set")
        assert name in warning.hint
        setattr(settings, name, SAID[name])
    for name in SAID:
        setattr(settings, name, "")
    numbers = [warning.id for warning in check_description(None)]
    assert numbers == [f"ambit.W00{number}" for number in (4, 5, 6, 7)]


def test_titles_and_the_foot_of_pages_name_it(client_as, ann, described):
    page = client_as(ann).get("/").text
    assert "<title>My work · Lake &amp; Sea Ambit</title>" in page
    assert "run by Reading Lab, Lake University" in page
    assert 'href="mailto:help@lake.example"' in page


def test_without_them_pages_say_less_and_have_no_hole(client_as, ann):
    page = client_as(ann).get("/").text
    assert "<title>My work · Ambit</title>" in page
    assert "run by" not in page
    assert "mailto:" not in page


def test_a_stranger_who_is_lost_reads_whom_to_write_to(client, db, settings, described):
    lost = client.get("/nowhere/").text
    assert "There is no page at this address." in lost
    assert "help@lake.example" in lost.partition("<footer")[0]
    assert "Go to my work" not in lost
    settings.CONTACT_EMAIL = ""
    assert "Check that it is complete." in client.get("/nowhere/").text


def test_somebody_signed_in_is_sent_to_their_project(client_as, ann):
    lost = client_as(ann).get("/nowhere/").text
    assert "ask an admin of the project" in lost
    assert "Go to my work" in lost


def test_letters_end_with_who_sent_them(
    settings, described, stan, rf, django_capture_on_commit_callbacks
):
    def send_letter():
        mail.outbox.clear()
        with django_capture_on_commit_callbacks(execute=True):
            tell_owner(user=stan, change=TOKEN, request=rf.get("/"))
        return mail.outbox[0]

    sent = send_letter()
    assert sent.subject == "Your Lake & Sea Ambit account was changed"
    assert "tell help@lake.example." in sent.body
    assert sent.body.rstrip().endswith(
        "\n-- \nLake & Sea Ambit, Reading Lab, Lake University\n"
        "Questions? Write to help@lake.example."
    )
    for name in SAID:
        setattr(settings, name, "")
    sent = send_letter()
    assert sent.subject == "Your Ambit account was changed"
    assert sent.body.rstrip().endswith("tell whoever runs Ambit.")


@pytest.mark.parametrize("known", [True, False])
def test_the_letter_with_a_new_password_names_it(client, stan, described, known):
    email = stan.email if known else "nobody@example.org"
    client.post(reverse("account_reset_password"), {"email": email})
    assert "Lake & Sea Ambit" in mail.outbox[0].subject
    assert "Questions? Write to help@lake.example." in mail.outbox[0].body


def test_questions_about_data_go_to_their_own_address_if_there_is_one(client, db, settings):
    settings.PRIVACY_EMAIL = "privacy@lake.example"
    assert 'href="mailto:privacy@lake.example"' in client.get(reverse("about-data")).text
    settings.PRIVACY_EMAIL = ""
    assert "Ask the team of your project." in client.get(reverse("about-data")).text


def test_markup_in_a_setting_stays_text(client, stan, settings):
    settings.OPERATOR = '<img src="x">'
    page = client.get("/").text
    assert "&lt;img" in page
    assert "<img" not in page
