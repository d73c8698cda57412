"""The page of the API for people."""

import re

import pytest
from django.urls import reverse

from annotation.api.reference import list_operations

pytestmark = pytest.mark.django_db


def test_the_list_at_its_top_leads_to_every_operation(client, stan):
    client.force_login(stan)
    page = client.get(reverse("api-docs")).text
    ids = [operation["id"] for operation in list_operations()]
    assert sorted(re.findall(r'<li><a href="#(\w+)">', page)) == sorted(ids)
    assert sorted(re.findall(r'<h2 id="(\w+)">', page)) == sorted(ids)
    assert all(operation["summary"] for operation in list_operations())
    assert "<code>manage.py agreement --json</code>" in page


def test_what_is_about_the_same_noun_stands_together():
    groups = {operation["path"]: operation["group"] for operation in list_operations()}
    assert groups["/api/v1/projects/"] == groups["/api/v1/projects/{slug}/"] == "projects"
    assert groups["/api/v1/projects/{slug}/work/{stage}/"] == "work"
    assert groups["/api/v1/work/{assignment_id}/submit/"] == "work"
    assert groups["/api/v1/projects/{slug}/pages-read/"] == "pages-read"


def test_what_any_operation_refuses_with_is_said_once(client, stan):
    client.force_login(stan)
    page = client.get(reverse("api-docs")).text
    assert page.count("Too many requests") == 1
    statuses = {row["status"] for operation in list_operations() for row in operation["responses"]}
    assert {"200", "409", "422"} <= statuses
    assert "429" not in statuses
