"""A release is of one moment, whatever is decided while it is read."""

import io
import json
import threading
import zipfile

import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.imports import services as imports_services
from annotation.models import Question
from annotation.work import seats
from tests.validation.release.conftest import AMBIGNQ, ambignq, record, single
from tests.validation.release.test_finished import decide
from validation.decisions import accepted_answers
from validation.release.services import start_release

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(accepted_answers, "AT_ONCE", 2)
    monkeypatch.setattr("annotation.exports.dataset.BLOCK", 1)


@pytest.fixture
def filled(project, bring_in):
    bring_in(ambignq(*[record(n, single("early")) for n in range(9)]))
    return project


def elsewhere(function):
    """Do it on a connection of its own."""

    def run():
        with transaction.atomic():
            function()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def rule_on_everything():
    """What a decision on a claim does, on every question."""
    now = timezone.now()
    for question in Question.objects.order_by("pk"):
        seats.lock_questions([question.pk])
        decide(question, now, text="late")
        Question.objects.filter(pk=question.pk).update(state="edited", text="late?")
        question.project.policies.update(people=7)
        question.project.snapshot.__class__.objects.update(title="late")


@pytest.mark.parametrize("format", AMBIGNQ)
def test_a_decision_during_a_release_changes_nothing_in_it(filled, format):
    release = start_release(project=filled, format=format, split=None, by=None, now=timezone.now())
    blocks = release.blocks()
    received = next(blocks) + next(blocks)
    elsewhere(rule_on_everything)
    received += b"".join(blocks)
    assert [each["annotations"] for each in json.loads(received)] == [[single("early")]] * 9
    manifest, card = release.build_manifest("data.json"), release.build_card("data.json")
    assert b"late" not in received + manifest + card
    assert json.loads(manifest)["counts"]["decided_by"]["staff"] == 0
    assert not connection.in_atomic_block
    later = start_release(project=filled, format=format, split=None, by=None, now=timezone.now())
    found = json.loads(b"".join(later.blocks()))
    assert [each["annotations"] for each in found] == [[single("late")]] * 9
    assert json.loads(later.build_manifest("data.json"))["counts"]["decided_by"]["staff"] == 9


def test_a_client_that_leaves_leaves_nothing_open(filled, client_as, rosa):
    response = client_as(rosa).get(reverse("release-download", args=[filled.slug, "ambignq"]))
    next(iter(response))
    response.close()
    assert not connection.in_atomic_block
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors")
        assert cursor.fetchone() == (0,)
    whole = client_as(rosa).get(reverse("release-download", args=[filled.slug, "ambignq"]))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(whole)))
    assert archive.testzip() is None
    assert not connection.in_atomic_block


def test_two_imports_of_the_same_finished_file_take_turns(project, monkeypatch):
    monkeypatch.setattr(imports_services, "BATCH", 3)
    results = []

    def bring_in():
        try:
            tally = imports_services.import_questions(
                project=project,
                file=ambignq(*[record(n, single("a")) for n in range(20)]),
                format="ambignq",
                split="dev",
                finished=True,
                by=None,
                now=timezone.now(),
            )
            results.append((tally.created + tally.unchanged, tally.created, tally.rejected))
        except Exception as error:  # shown by the assertion below
            results.append(error)
        connection.close()

    threads = [threading.Thread(target=bring_in) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [result[0] for result in results] == [20] * 3
    assert sum(result[1] for result in results) == 20
    assert Question.objects.count() == 20


def test_taking_and_finishing_a_question_at_once(project, ann, ask):
    """Whoever comes first has it: a question is never both taken and finished."""
    from annotation.work import assignments
    from validation.models import Decision

    for number in range(12):
        ask(f"r{number}", text=f"When was bridge {number} built?")
    ready = threading.Barrier(2)
    outcome = {}

    def work():
        ready.wait(10)
        for _ in range(6):
            turn = assignments.take_next(
                project=project, stage="generation", by=ann, now=timezone.now()
            )
            if turn is None:
                break
            assignments.skip_question(
                assignment=turn, reason="subjective", by=ann, now=timezone.now()
            )
        connection.close()

    def finish():
        ready.wait(10)
        outcome["tally"] = imports_services.import_questions(
            project=project,
            file=ambignq(*[record(n, single("a")) for n in range(12)]),
            format="ambignq",
            split="dev",
            finished=True,
            by=None,
            now=timezone.now(),
        )
        connection.close()

    threads = [threading.Thread(target=each) for each in (work, finish)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    tally = outcome["tally"]
    assert tally.updated + tally.rejected == 12
    decided = set(Decision.objects.values_list("question", flat=True))
    touched = set(assignments.Assignment.objects.values_list("task__question", flat=True))
    assert len(decided) == tally.updated
    assert not decided & touched
