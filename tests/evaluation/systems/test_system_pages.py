"""The pages of systems: what they show, bad input with a sentence, counts of queries."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Job
from evaluation.models import System
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies


@pytest.fixture
def project(db):
    project = asqa.make_project()
    studies.make_questions(project, 3)
    return project


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "researcher"))


def upload(content):
    return SimpleUploadedFile("answers.json", content)


def run(reply):
    """Run the job that an upload led to; returns it."""
    job = Job.objects.get(pk=reply.headers["Location"].rstrip("/").rpartition("/")[2])
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def post(staff, project, content, **fields):
    """Upload a file of answers; returns the reply."""
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    data = {"name": "Reader", "kind": "model", "file": upload(raw)} | fields
    return staff.post(reverse("system-add", args=[project.slug]), data)


def test_a_file_becomes_a_system_and_its_mismatches_are_named(staff, project):
    content = {"key-1": "One two.", "key-2": "", "key-9": "Nine."}

    job = run(post(staff, project, content, version="2", options='{"passages": 5}'))

    system = System.objects.get()
    assert (job.state, job.result["system_id"]) == ("done", system.pk)
    page = staff.get(reverse("system-view", args=[project.slug, system.pk])).content.decode()
    for words in (
        "Reader 2",
        "Score it now",
        "1: not the id of a question in this project (key-9)",
        "1: no text (key-2)",
        "2: in the project, without an answer (key-2, key-3)",
        "passages",
        "One two.",
        "2 words",
    ):
        assert words in page
    listed = staff.get(reverse("system-list", args=[project.slug])).content.decode()
    assert "1 of 3" in listed


BAD = {
    "no file": ({"file": ""}, "Choose a file."),
    "no name": ({"name": " "}, "Fill this in."),
    "kind": ({"kind": "robot"}, "“robot” is not in the list."),
    "options": ({"options": "[5]"}, "The settings cannot be read. It should be an object"),
    "annotation": ({"annotation": "0"}, "Write a number that is at least 1."),
    "another format": ({"file": upload(b"<html>")}, "This looks like a web page or XML"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence_and_changes_nothing(staff, project, case):
    fields, sentence = BAD[case]
    reply = post(staff, project, {"other": "One."}, **fields)
    assert reply.status_code == 422
    assert sentence in reply.content.decode()
    assert not System.objects.exists()
    assert not project.jobs.exists()


def test_what_only_the_project_shows_is_a_sentence_on_the_page_of_the_job(staff, project):
    run(post(staff, project, {"key-1": "One."}))
    studies.make_study(project, [System.objects.get()], title="First study")
    for content, sentence in (
        ({"key-1": "Other."}, "which the study “First study” uses"),
        ({"other": "One."}, "not the id of a question in this project. Nothing was imported."),
    ):
        reply = post(staff, project, content)
        assert run(reply).state == "failed"
        assert sentence in staff.get(reply.headers["Location"]).content.decode()
    assert System.objects.get().outputs.get().text == "One."


def test_long_answers_are_offered_where_there_are_some(staff, project):
    address, now = reverse("system-add", args=[project.slug]), timezone.now()
    assert "From this project’s long answers" not in staff.get(address).content.decode()
    asqa.open_question(project, now)
    asqa.answer(project, factories.make_member(project, "annotator", name="Ann Ash"), now)
    assert "From this project’s long answers" in staff.get(address).content.decode()

    data = {"source": "own", "name": "Human", "inputs": "any", "nth": "2"}
    assert staff.post(address, data).status_code == 422
    reply = staff.post(address, data | {"nth": "1"})

    page = staff.get(reply.headers["Location"]).content.decode()
    assert "Human reference" in page
    assert "by Ann Ash" in page


def test_a_system_is_deleted_unless_a_study_uses_it(staff, project):
    system = studies.make_system(project, "Reader")
    study = studies.make_study(project, [system], "draft")
    address = reverse("system-delete", args=[project.slug, system.pk])
    refused = staff.post(address, follow=True).content.decode()
    assert "Systems in a study cannot be deleted." in refused
    assert "Delete the system" not in refused
    study.delete()
    assert "Deleted Reader" in staff.post(address, follow=True).content.decode()
    assert not System.objects.exists()


def test_a_system_of_another_project_is_not_found(staff, project):
    other = studies.make_system(asqa.make_project(), "Reader")
    assert staff.get(reverse("system-view", args=[project.slug, other.pk])).status_code == 404


def test_answers_come_page_by_page(staff, project, monkeypatch):
    monkeypatch.setattr("evaluation.systems.views.PAGE", 2)
    run(post(staff, project, {"key-1": "One.", "key-2": "Two.", "key-3": "Three."}))
    address = reverse("system-view", args=[project.slug, System.objects.get().pk])
    first = staff.get(address).content.decode()
    second = address + f"?after={System.objects.get().outputs.get(text='Two.').pk}"
    assert ("Two." in first, "Three." in first, "?after=" in first) == (True, False, True)
    assert "Three." in staff.get(second).content.decode()
    assert staff.get(address + "?after=x").status_code == 200


@pytest.mark.parametrize("name", ["system-list", "system-view"])
def test_queries_do_not_grow(staff, project, name):
    system = studies.make_system(project, "Reader")
    address = reverse(name, args=[project.slug, *([system.pk] if name == "system-view" else [])])

    def count():
        with CaptureQueriesContext(connection) as captured:
            assert staff.get(address).status_code == 200
        return len(captured)

    studies.make_output(system, asqa.make_question(project))
    before = count()
    for number in range(5):
        studies.make_output(system, asqa.make_question(project))
        other = studies.make_system(project, f"Other {number}")
        studies.make_study(project, [system, other])
    assert count() == before
