"""Large files are written to disk only for people who may upload one, where one is taken."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.test import Client
from django.urls import reverse

from accounts.services import create_participant
from annotation.uploads import requests as uploads

pytestmark = pytest.mark.django_db


@pytest.fixture
def stored(monkeypatch):
    """The names of the files that were taken in, where 5,000 bytes are a large one."""
    names = []
    new_file = MemoryFileUploadHandler.new_file

    def noted(self, field, name, *args, **kwargs):
        names.append(name)
        return new_file(self, field, name, *args, **kwargs)

    monkeypatch.setattr(MemoryFileUploadHandler, "new_file", noted)
    monkeypatch.setattr(uploads, "FORM_BYTES", 1_000)
    return names


def post(client, address):
    file = SimpleUploadedFile("large.jsonl", b"x" * 5_000)
    return client.post(address, {"file": file, "login": "a@example.org"})


@pytest.fixture
def page(project):
    return reverse("import-create", args=[project.slug])


def test_strangers_upload_nothing(stored, page):
    for address in (reverse("account_login"), page, "/nowhere/", "/api/v1/projects/"):
        for client in (Client(), Client(enforce_csrf_checks=True)):
            assert post(client, address).status_code < 500
    assert stored == []


def test_nor_do_participants(stored, page, client):
    client.force_login(create_participant())
    assert post(client, page).status_code == 404
    assert stored == []


def test_nor_anyone_where_no_file_is_taken(stored, client, rosa):
    client.force_login(rosa)
    assert post(client, reverse("account-settings")).status_code == 422
    assert stored == []


def test_staff_upload_where_one_is(stored, page, client, project, rosa):
    client.force_login(rosa)
    assert post(client, page).status_code in (302, 422)
    assert stored == ["large.jsonl"]


@pytest.mark.parametrize(
    "name",
    [
        *("import-create", "judgments-import", "system-add", "system-scores"),
        *("api-import", "api-outputs", "api-judgments"),
    ],
)
def test_pages_that_take_files_are_marked(name, client, project, ada, stored):
    client.force_login(ada)
    post(client, reverse(name, args=[project.slug]))
    assert stored == ["large.jsonl"]
