"""News: what happened since somebody looked, on home and counted in the top bar."""

import datetime as dt
import re

import pytest
from django.urls import reverse

from accounts.models import User
from annotation.models import Assignment, Invitation, Membership
from annotation.people import invitation_services
from annotation.threads import services as threads_services
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(project):
    """Ann, who came long ago and has read everything."""
    ann = factories.make_member(project, "annotator", name="Ann Archer")
    long_ago = project.created_at - dt.timedelta(days=30)
    Membership.objects.update(created_at=long_ago)
    project.guidelines.update(created_at=long_ago)
    User.objects.filter(pk=ann.pk).update(date_joined=long_ago)
    ann.refresh_from_db()
    return ann


def news(client):
    """The section of home, and the number in the top bar."""
    page = client.get("/").text
    counted = re.search(r'class="badge accent" id="news-count">(\d+)<', page)
    section = (
        page.split('id="news-title"')[1].split("</section>")[0] if "news-title" in page else ""
    )
    return section, int(counted[1]) if counted else 0


def test_no_news(client_as, ann):
    assert news(client_as(ann)) == ("", 0)


def test_a_new_membership(client_as, ann):
    other = factories.make_project(title="Bridges")
    other.guidelines.all().delete()
    factories.make_member(other, "annotator", user=ann)
    section, count = news(client_as(ann))
    assert "You have joined Bridges as annotator" in section
    assert reverse("project-start", args=[other.slug]) in section
    assert ">New<" in section
    assert count == 1


def test_what_became_of_ones_invitations(client_as, project, ada, now):
    User.objects.filter(pk=ada.pk).update(news_read_at=now)
    later = now + dt.timedelta(hours=1)
    for email in ("nora@example.org", "olaf@example.org"):
        invitation = invitation_services.invite_member(
            project=project, email=email, roles=["annotator", "judge"], by=ada, now=now
        )
        token = invitation_services.invitation_link(invitation).split("/")[-2]
        if email == "nora@example.org":
            invitation_services.decline_invitation(token=token, now=later)
        else:
            Invitation.objects.filter(pk=invitation.pk).update(expires_at=now)
            invitation_services.ask_for_renewal(token=token, now=later)
    section, count = news(client_as(ada))
    assert f"Your invitation to {project.title} was declined" in section
    assert "nora" not in section
    assert f"olaf@example.org asks for a new link to {project.title}" in section
    assert "annotator and judge" in section
    assert count == 2
    Membership.objects.filter(user=ada).update(role="researcher")
    assert news(client_as(ada)) == ("", 0)


def test_the_number_says_news_and_not_work(client_as, ann):
    factories.make_member(factories.make_project(title="Bridges"), "annotator", user=ann)
    bar = client_as(ann).get("/").text.split("</nav>")[0]
    [work] = re.findall(r"<a [^>]*>My work.*?</a>", bar)
    assert "badge" not in work
    [told] = re.findall(r'<a href="/#news-title">News.*?</a>', bar)
    assert 'id="news-count">1<span class="visually-hidden"> new<' in told


def test_several_memberships_are_one_line(client_as, ann):
    for title in ("Bridges", "Ferries", "Tunnels"):
        other = factories.make_project(title=title)
        other.guidelines.all().delete()
        factories.make_member(other, "annotator", user=ann)
    section, count = news(client_as(ann))
    assert "You have joined 3 projects" in section
    assert "Tunnels as annotator, Ferries as annotator, Bridges as annotator" in section
    assert (section.count("<li>"), count) == (1, 1)


def test_returned_work_answers_feedback_and_results(client_as, project, ann, rosa, now):
    returned = factories.make_assignment(factories.make_task(project), ann, state="parked")
    Assignment.objects.filter(pk=returned.pk).update(returned_at=now, staff_note="Which one?")
    asked = factories.make_assignment(factories.make_task(project), ann, state="parked")
    before = now - dt.timedelta(minutes=5)
    thread = threads_services.open_thread(
        assignment=asked, kind="park", text="Ferries?", by=ann, now=before
    )
    threads_services.answer_thread(thread=thread, text="They count.", by=rosa, now=now)
    done = factories.make_assignment(factories.make_task(project), ann, state="submitted")
    factories.make_feedback(done, rosa, tag="good")
    section, count = news(client_as(ann))
    assert "The team returned your work" in section
    assert "The team has written to you" in section
    assert "Feedback on your answer" in section
    assert count == 3
    assert section.count(">New<") == 3


def test_guidelines(client_as, project, ann, now):
    project.guidelines.create(version=2, body="## New", created_at=now)
    section, count = news(client_as(ann))
    assert f"New guidelines in {project.title}: version 2" in section
    assert count == 1


def test_what_was_read_is_no_longer_new(client_as, project, ann, now):
    turn = factories.make_assignment(factories.make_task(project), ann, state="parked")
    Assignment.objects.filter(pk=turn.pk).update(returned_at=now)
    client = client_as(ann)
    until = now.isoformat()
    assert client.post(reverse("news-read"), {"until": until}).status_code == 302
    section, count = news(client)
    assert "The team returned your work" in section
    assert ">New<" not in section
    assert count == 0
    # What came since is new, and time does not go back.
    later = now + dt.timedelta(minutes=1)
    Assignment.objects.filter(pk=turn.pk).update(returned_at=later)
    client.post(reverse("news-read"), {"until": (now - dt.timedelta(days=1)).isoformat()})
    assert news(client)[1] == 1


@pytest.mark.parametrize("until", ["", "x", "9" * 40, "9999-12-31T23:59:59-23:59"])
def test_a_time_that_is_none_marks_nothing(client_as, ann, until):
    client_as(ann).post(reverse("news-read"), {"until": until})
    ann.refresh_from_db()
    assert ann.news_read_at is None


def test_reading_ahead_of_time_hides_nothing(client_as, project, ann, now):
    far = (now + dt.timedelta(days=900)).isoformat()
    client_as(ann).post(reverse("news-read"), {"until": far})
    ann.refresh_from_db()
    assert ann.news_read_at is None or ann.news_read_at <= now + dt.timedelta(minutes=1)


def test_others_news_are_not_shown(client_as, project, ann, ben, now):
    turn = factories.make_assignment(factories.make_task(project), ben, state="parked")
    Assignment.objects.filter(pk=turn.pk).update(returned_at=now)
    assert news(client_as(ann)) == ("", 0)
