"""Exports outside a test's transaction: one snapshot, and nothing left open behind a client."""

import csv
import json
import threading

import pytest
from django.db import connection
from django.urls import reverse

from annotation.exports import services as exports_services
from annotation.exports.format import CSV, JSON_LINES
from annotation.models import Question
from tests import factories
from tests.annotation.exports.submissions import opened, submit

pytestmark = pytest.mark.django_db(transaction=True)
WRITTEN = ("ambignq-light", "ambignq", "annotations", "annotations-light", "pages-read")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr("annotation.generation.export._ROWS", 2)
    monkeypatch.setattr("annotation.generation.export._QUESTIONS_AT_ONCE", 2)
    monkeypatch.setattr("annotation.generation.annotations_export.AnnotationRelations.at_once", 2)
    monkeypatch.setattr("annotation.reading.export._AT_ONCE", 2)
    monkeypatch.setattr("annotation.exports.dataset.BLOCK", 1)


@pytest.fixture
def download(client_as, rosa, project, ann):
    for _ in range(9):
        submit(factories.make_question(project), ann, pairs=[("", ["a"])], events=[opened("P")])

    def download(format):
        return client_as(rosa).get(reverse("export-download", args=[project.slug, format]))

    return download


def elsewhere(function, *args, **kwargs):
    """Do it on a connection of its own."""

    def run():
        function(*args, **kwargs)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.mark.parametrize("format", WRITTEN)
def test_what_is_written_meanwhile_stays_out(download, project, ben, format):
    response = download(format)
    blocks = iter(response)
    received = next(blocks) + next(blocks)
    for question in Question.objects.filter(project=project):
        elsewhere(submit, question, ben, pairs=[("", ["late"])], events=[opened("Late")])
    received += b"".join(blocks)
    assert b"late" not in received
    assert b"Late" not in received
    kind = exports_services.formats_by_key()[format].content_type
    if kind == CSV:
        records = list(csv.DictReader(received.decode().splitlines()))
    elif kind == JSON_LINES:
        records = [json.loads(line) for line in received.splitlines()]
    else:
        records = json.loads(received)
    assert len(records) == 9
    assert not connection.in_atomic_block
    # The next one has it.
    following = b"".join(download(format))
    assert b"late" in following or following.count(b"\n") == 19  # a line each, and the header


@pytest.mark.parametrize("format", WRITTEN)
def test_a_client_that_leaves_leaves_nothing_open(download, format):
    response = download(format)
    next(iter(response))
    assert connection.in_atomic_block
    response.close()
    assert not connection.in_atomic_block
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors")
        assert cursor.fetchone() == (0,)
