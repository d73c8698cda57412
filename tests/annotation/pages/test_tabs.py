"""The tabs of a project: in groups for staff, few and never empty for others."""

import re

import pytest
from django.urls import reverse

from annotation.models import FaqEntry
from tests import factories

pytestmark = pytest.mark.django_db


def shown(response, label):
    html = response.content.decode()
    nav = re.search(rf'<nav class="tabs[^"]*" aria-label="{label}">(.*?)</nav>', html, re.DOTALL)
    return re.findall(r"<a[^>]*>([^<]+?)(?: <span.*?)?</a>", nav[1]) if nav else []


def overview(client, project):
    return client.get(reverse("project-overview", args=[project.slug]))


SET_UP = ["Guidelines", "FAQ", "Rules", "Policies", "Settings", "Public page"]


def test_staff_find_the_pages_in_groups(client_as, rosa, project):
    client = client_as(rosa)
    page = overview(client, project)
    assert shown(page, "Project") == ["Work", "Quality", "People", "Set-up", "Log"]
    assert shown(page, "Work") == ["Overview", "Questions", "Inbox"]
    for name, group, tabs in (
        (
            "project-agreement",
            "Quality",
            ["Reports", "Monitoring", "Gold items", "Audit", "Studies", "Suggestions"],
        ),
        (
            "project-audit",
            "Quality",
            ["Reports", "Monitoring", "Gold items", "Audit", "Studies", "Suggestions"],
        ),
        (
            "project-people",
            "People",
            ["Members", "Consent", "Participants", "Qualifications", "Pay"],
        ),
        ("project-rules", "Set-up", SET_UP),
        ("project-policies", "Set-up", SET_UP),
        ("project-log", "Log", []),
    ):
        page = client.get(reverse(name, args=[project.slug]))
        assert shown(page, group) == tabs
        assert shown(page, "Project") == ["Work", "Quality", "People", "Set-up", "Log"]


def test_long_answers_have_tabs_of_their_own(client_as, project, rosa):
    long = factories.make_project(protocol="asqa", policies=False)
    factories.make_member(long, "researcher", user=rosa)
    client = client_as(rosa)
    assert shown(overview(client, long), "Work") == ["Overview", "Questions", "Inbox", "Concerns"]
    page = client.get(reverse("project-settings", args=[long.slug]))
    assert "Contexts" in shown(page, "Set-up")
    page = client.get(reverse("project-agreement", args=[long.slug]))
    assert "Audit" not in shown(page, "Quality")


def test_others_see_only_tabs_with_something_in_them(client_as, ann, rosa, project, now):
    client = client_as(ann)
    assert shown(overview(client, project), "Project") == ["Overview", "Guidelines"]
    FaqEntry.objects.create(
        project=project,
        question="Do nicknames count?",
        answer="Yes.",
        position=0,
        changed_by=rosa,
        created_at=now,
        changed_at=now,
    )
    assert shown(overview(client, project), "Project") == ["Overview", "Guidelines", "FAQ"]


def test_every_tab_is_open_on_its_own_page(client_as, rosa, project):
    client = client_as(rosa)
    for name in ("project-questions", "claim-list", "project-pay", "project-faq", "project-log"):
        html = client.get(reverse(name, args=[project.slug])).content.decode()
        address = reverse(name, args=[project.slug])
        assert f'href="{address}" aria-current="page"' in html
