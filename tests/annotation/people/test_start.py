"""Joining a project leads to its first task, and never to a dead end."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Membership
from annotation.people import invitation_services
from tests import factories
from tests.annotation.qualifications import helpers as exams

pytestmark = pytest.mark.django_db
JOIN = {"name": "Nora North", "password": "a bridge over the water"}


def join(project, by, now, role="annotator", user=None):
    """Join by an invitation; return the browser and the page one lands on."""
    email = user.email if user else "nora@example.org"
    invitation = invitation_services.invite_member(
        project=project, email=email, roles=[role], by=by, now=now
    )
    client = Client()
    if user:
        client.force_login(user)
    answer = client.post(
        invitation_services.invitation_link(invitation), {} if user else JOIN, follow=True
    )
    assert answer.status_code == 200
    return client, answer


@pytest.mark.parametrize("known", [True, False])
def test_the_first_question_is_one_press_away(project, ada, now, known):
    task = factories.make_task(project)
    user = factories.make_user() if known else None
    client, answer = join(project, ada, now, user=user)
    assert answer.request["PATH_INFO"] == reverse("project-start", args=[project.slug])
    assert f"Welcome to {project.title}" in answer.text
    assert reverse("project-guidelines", args=[project.slug]) in answer.text
    start = reverse("work-next", args=[project.slug, "generation"])
    assert f'action="{start}"' in answer.text
    client.post(start)
    assert Assignment.objects.get().task == task


def test_a_required_qualification_comes_first(project, ada, rosa, now):
    factories.make_task(project)
    exam = exams.make(project, rosa, now)
    project.policies.update(qualification=exam)
    _, answer = join(project, ada, now)
    assert reverse("qualification-start", args=[project.slug, exam.pk]) in answer.text
    assert "/work/next/" not in answer.text


def test_without_work_one_reads_why_and_what_comes(project, ada, now):
    _, answer = join(project, ada, now)
    assert "has no questions yet" in answer.text
    assert reverse("project-guidelines", args=[project.slug]) in answer.text


def test_a_validator_reads_when_work_comes(project, ada, now):
    project.policies.create(stage="validation", split="dev", people=1)
    _, answer = join(project, ada, now, role="validator")
    assert "No question is ready to validate" in answer.text


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_the_team_lands_on_the_project(project, ada, now, role):
    _, answer = join(project, ada, now, role=role)
    assert answer.request["PATH_INFO"] == reverse("project-overview", args=[project.slug])
    assert f"You are now {role} of {project.title}." in answer.text


def test_a_role_without_work_is_no_dead_end(client_as, project):
    judge = factories.make_member(project, "judge")
    answer = client_as(judge).get(reverse("project-start", args=[project.slug]))
    assert "Nothing to judge" in answer.text
    assert reverse("home") in answer.text


def test_the_link_still_leads_there_once_it_was_used(project, ada, now):
    user = factories.make_user()
    client, _ = join(project, ada, now, user=user)
    invitation = project.invitations.get()
    answer = client.get(invitation_services.invitation_link(invitation))
    assert answer["Location"] == reverse("project-start", args=[project.slug])
    Membership.objects.filter(user=user).delete()
    assert client.get(invitation_services.invitation_link(invitation))["Location"] == reverse(
        "home"
    )


def test_a_superuser_is_told_every_role(client_as, project):
    boss = factories.make_user(is_superuser=True)
    answer = client_as(boss).get(reverse("project-start", args=[project.slug]))
    assert "admin, annotator, expert, judge, researcher, validator" in answer.text
