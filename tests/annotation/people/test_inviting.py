"""Inviting a whole list: what each line would do, and doing it."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Invitation, Job, Membership
from annotation.people import inviting
from annotation.people.invitation_services import invitation_link, invite_member
from tests import factories

pytestmark = pytest.mark.django_db
LIST = """\
nora@example.org
Olaf Oak <olaf@example.org>, annotator, validator
Ann, {ann}, judge
annotator.14@aldermere
Eve <eve@example.org>, expert, annotator
nora@example.org, judge
{ann}, annotator
"""


@pytest.fixture
def text(ann):
    return LIST.format(ann=ann.email)


def check(project, text, now, role="annotator"):
    return inviting.check_list(project, text, role=role, now=now)


def post(client, project, people, press="invite", **more):
    address = reverse("invitation-create", args=[project.slug])
    data = {"people": people, "role": "annotator", "days": "14", "press": press}
    return client.post(address, data | more)


def test_each_line_says_what_would_happen(project, text, ann, now):
    checked = check(project, text, now)
    assert [(each.line.number, each.outcome.value, each.title) for each in checked.lines] == [
        (1, "invited", "Will be invited"),
        (2, "invited", "Will be invited"),
        (3, "role", "Is here already"),
        (4, "problem", "The address is not complete"),
        (5, "problem", "These roles do not go together"),
        (6, "problem", "The same address as in line 1"),
        (7, "problem", "The same address as in line 3"),
    ]
    hints = {each.line.number: each.hint for each in checked.lines}
    assert hints[3] == "Gets the role judge, without an e-mail."
    assert hints[6] == "Write all roles in one line: “annotator, judge”."
    assert checked.title == "7 lines: 2 to invite, 1 gets a role, 4 to correct"
    assert checked.press == "Invite 2 and give 1 role"
    assert checked.stays == "Lines 4, 5, 6 and 7 stay in the box for you to correct."
    assert not Invitation.objects.exists()


def test_who_is_here_or_invited_already(project, ada, ann, now):
    def invite(email, **more):
        invite_member(project=project, email=email, roles=["judge"], by=ada, **more)

    invite("open@example.org", now=now)
    invite("old@example.org", now=now - dt.timedelta(days=60))
    factories.make_member(project, "expert", name="Eve Elder", email="eve@example.org")
    text = f"{ann.email.upper()}\nopen@example.org, judge\nopen@example.org\nOLD@example.org"
    checked = check(project, f"{text}\neve@example.org, annotator", now)
    found = [(each.outcome.value, each.title, each.hint) for each in checked.lines]
    assert found[0] == (
        "nothing",
        "Is here already",
        "Has the role annotator. Nothing changes.",
    )
    assert found[1][:2] == ("nothing", "Is invited already as judge")
    assert found[2][0] == "problem"  # twice in the list
    assert found[3][:2] == ("invited", "Will be invited again")
    assert found[4][0] == "problem"
    assert "experts must not see the answers" in found[4][2]
    (other,) = check(project, "open@example.org, annotator", now).lines
    assert (other.outcome.value, other.hint) == (
        "problem",
        "Withdraw that invitation first to invite them with other roles.",
    )


def test_the_number_of_queries_of_a_check_does_not_grow(project, now, ada, ann):
    def count(people):
        with CaptureQueriesContext(connection) as captured:
            check(project, "\n".join(people), now)
        return len(captured)

    assert count(["a@example.org"]) == count([f"p{n}@example.org" for n in range(300)]) == 2


def test_a_list_is_checked_then_done_and_the_rest_stays(
    client_as, project, ada, ann, text, mailoutbox, settings
):
    settings.OPERATOR, settings.CONTACT_EMAIL = "Reading Lab", "help@lake.example"
    client = client_as(ada)
    page = post(client, project, text, press="").text
    assert "7 lines: 2 to invite, 1 gets a role, 4 to correct" in page
    assert "Invite 2 and give 1 role" in page
    assert not Invitation.objects.exists()
    answer = post(client, project, text, message="It is fun.")
    assert answer.status_code == 302
    rows = {row.email: row for row in Invitation.objects.all()}
    assert rows.keys() == {"nora@example.org", "olaf@example.org"}
    olaf = rows["olaf@example.org"]
    assert (olaf.name, olaf.roles) == ("Olaf Oak", ["annotator", "validator"])
    assert olaf.message == "It is fun."
    assert {row.role for row in ann.memberships.all()} == {"annotator", "judge"}
    done = client.get(answer["Location"]).text
    assert "2 people invited, 1 role given" in done
    assert "Correct the other 4 lines" in done
    assert f'value="http://testserver{invitation_link(olaf)}"' in done
    box = client.get(reverse("invitation-create", args=[project.slug])).text
    assert "annotator.14@aldermere" in box
    assert "olaf@example.org" not in box
    jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
    assert {letter.to[0] for letter in mailoutbox} == rows.keys()
    link = re.search(r"http://testserver/\S+", mailoutbox[0].body)[0]
    assert link in done
    assert mailoutbox[0].body.endswith(
        "\n-- \nReading Lab\nQuestions? Write to help@lake.example.\n"
    )


def test_a_role_given_by_the_list_is_undone(client_as, project, ada, ann):
    client = client_as(ada)
    done = client.get(post(client, project, f"{ann.email}, judge")["Location"]).text
    role = ann.memberships.get(role="judge")
    undo = reverse("role-remove", args=[project.slug, role.pk])
    assert undo in done
    client.post(undo)
    assert {row.role for row in ann.memberships.all()} == {"annotator"}


def test_no_e_mail_is_sent_where_none_is_wanted(client_as, project, ada):
    client = client_as(ada)
    answer = post(client, project, "nora@example.org", copies="on", days="3")
    assert not Job.objects.exists()
    row = Invitation.objects.get()
    assert (row.letter, row.expires_at - row.created_at) == ("none", dt.timedelta(days=3))
    assert "Nobody has been sent an e-mail." in client.get(answer["Location"]).text


@pytest.mark.parametrize(
    ("data", "status", "sentence"),
    [
        ({"people": ""}, 422, "write at least one address"),
        ({"people": "a@example.org\n" * 501}, 422, "write at most 500 lines"),
        ({"people": "x" * 100_001}, 422, "at most 100000 characters"),
        ({"role": "king"}, 422, "king"),
        ({"days": "400"}, 422, "400"),
        ({"people": "nora"}, 409, "There is no address in this line"),
    ],
)
def test_what_cannot_be_done_is_explained(client_as, project, ada, data, status, sentence):
    answer = post(client_as(ada), project, **{"people": "nora@example.org"} | data)
    assert answer.status_code == status
    assert sentence in answer.text
    assert not Invitation.objects.exists()


def test_what_others_did_meanwhile_leaves_the_other_lines(project, ada, now, monkeypatch):
    real = inviting.check_list

    def late(*args, **kwargs):
        checked = real(*args, **kwargs)
        invite_member(project=project, email="nora@example.org", roles=["judge"], by=ada, now=now)
        return checked

    monkeypatch.setattr(inviting, "check_list", late)
    done = inviting.invite_list(
        project=project,
        text="nora@example.org\nolaf@example.org",
        role="annotator",
        message="",
        open_for=dt.timedelta(days=3),
        by_letter=True,
        site="https://a.example",
        by=ada,
        now=now,
    )
    assert (done.invited, done.problems, done.rest) == (1, 1, "nora@example.org")
    assert "has an open invitation as judge" in done.lines[0].title


def test_people_of_another_project_go_into_the_box(client_as, project, ada, ann, now):
    other = factories.make_project(slug="other", title="Lists, round 1")
    Membership.objects.create(user=ada, project=other, role="admin", created_at=now)
    factories.make_member(other, "annotator", user=ann)  # is here already
    odd = factories.make_member(other, "judge", "annotator", name='Odd, "O" <x>', email="o@x.org")
    factories.make_member(other, "researcher", name="Rosa")
    foreign = factories.make_project(slug="foreign")
    factories.make_member(foreign, "annotator", email="secret@example.org")
    client = client_as(ada)
    address = reverse("invitation-create", args=[project.slug])
    page = client.get(address).text
    assert "Lists, round 1: 1 person" in page
    assert "foreign" not in page
    box = client.get(address, {"from": "other"}).text
    assert f"Odd O x &lt;{odd.email}&gt;, annotator, judge" in box
    assert ann.email not in box
    assert "secret@example.org" not in client.get(address, {"from": "foreign"}).text


def test_an_invitation_is_renewed_and_sent_again(client_as, project, ada, now, mailoutbox):
    row = invite_member(
        project=project,
        email="nora@example.org",
        roles=["judge"],
        by=ada,
        now=now - dt.timedelta(days=60),
    )
    client = client_as(ada)
    people = reverse("project-people", args=[project.slug])
    assert "Invite again" in client.get(people).text
    client.post(reverse("invitation-renew", args=[project.slug, row.pk]))
    jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
    row.refresh_from_db()
    assert row.expires_at > timezone.now()
    assert [letter.to for letter in mailoutbox] == [["nora@example.org"]]
    page = client.get(people).text
    assert "Invite again" not in page
    assert "Sent</span>" in page
    other = factories.make_project()
    factories.make_member(other, "admin", user=ada)
    elsewhere = reverse("invitation-renew", args=[other.slug, row.pk])
    assert client.post(elsewhere).status_code == 404


@pytest.mark.parametrize(("at", "status"), [(0, 200), (10**17, 200), (10**30, 404)])
def test_a_press_that_was_not_made(client_as, project, ada, at, status):
    answer = client_as(ada).get(reverse("invitations-made", args=[project.slug, at]))
    assert answer.status_code == status
    if status == 200:
        assert "Nothing of it is left" in answer.text
