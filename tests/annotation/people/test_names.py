"""Names, titles and addresses that no mail or column can take, and roles without work."""

import re

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Invitation, Job, Project, Role
from annotation.people.forms import InviteForm, JoinForm
from annotation.projects.forms import SettingsForm

pytestmark = pytest.mark.django_db


def invite(client, project, email="nora@example.org", role="annotator"):
    address = reverse("invitation-create", args=[project.slug])
    data = {"people": email, "role": role, "days": "14", "press": "invite"}
    return client.post(address, data)


@pytest.mark.parametrize("title", ["Cross\rings", "Cross\x0b\x0bHello", "Cross\x85X: 1", "A\nB"])
def test_a_title_with_control_characters_does_not_break_invitations(client_as, ada, project, title):
    Project.objects.filter(pk=project.pk).update(title=title)
    assert invite(client_as(ada), project).status_code == 302
    jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
    (letter,) = mail.outbox
    head = letter.message().as_string().partition("\n\n")[0]
    assert not {"rings", "Hello", "X: 1"} & set(head.splitlines())
    assert letter.subject.isprintable()


def test_forms_put_names_and_titles_on_one_line(project):
    data = {"title": " Cross\r\x0bings\x85 one\u2028two ", "reference_date": "2017-12-31"}
    form = SettingsForm(data, protocol="ambigqa")
    form.is_valid()
    assert form.cleaned_data["title"] == "Cross ings one two"
    form = JoinForm({"name": "Nora\r\nNorth", "password": "x"}, email="nora@example.org")
    form.is_valid()
    assert form.cleaned_data["name"] == "Nora North"
    assert not JoinForm({"name": "\x0b", "password": "x"}, email="n@example.org").is_valid()


def test_an_address_longer_than_the_column_is_explained(client_as, ada, project):
    email = "n" * 30 + "@" + ".".join(["x" * 60] * 4) + ".org"
    assert 254 < len(email) < 320
    answer = invite(client_as(ada), project, email)
    assert answer.status_code == 409
    assert "The address is too long" in answer.text
    assert not Invitation.objects.exists()


def test_every_role_is_offered(client_as, ada, project):
    assert list(dict(InviteForm().fields["role"].choices)) == Role.values
    for role in ("judge", "expert"):
        email = f"{role}@example.org"
        assert invite(client_as(ada), project, email, role).status_code == 302


def test_suggestions_cannot_be_chosen_where_no_system_has_any(client_as, rosa, project):
    policy = project.policies.get(stage="generation", split="train")
    client = client_as(rosa)
    table = client.get(reverse("project-policies", args=[project.slug])).content.decode()
    assert "uggestion" not in table
    form = client.get(reverse("policy-change", args=[project.slug, policy.pk])).content.decode()
    select = re.search(r'<select name="suggestions"[^>]*>.*?</select>', form, re.DOTALL)[0]
    assert "disabled" in select
    assert select.count("<option") == 1
