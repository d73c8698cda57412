"""Imports that were slow, never ended, or took what nobody can read."""

import dataclasses
import datetime as dt
import gzip
import io
import itertools
import json

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.imports import formats, gzip_files
from annotation.imports import services as imports_services
from annotation.imports.formats import WrongFormat
from annotation.jobs import services as jobs_services
from annotation.models import Question
from annotation.work.tasks import open_tasks
from tests import factories
from tests.annotation.work.helpers import wait_for


def scans(plan, under=""):
    """Return (common table expression, rows read) of each scan of the questions in the plan."""
    under = plan.get("Subplan Name", under)
    found = [scan for each in plan.get("Plans", []) for scan in scans(each, under)]
    if plan.get("Relation Name") == "annotation_question":
        read = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        found.append((under, read * plan["Actual Loops"]))
    return found


def fill(project, number):
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO annotation_question
               (project_id, external_id, text, split, state, known_answers, context, created_at)
               SELECT %s, 'x' || n, 'who', 'dev', 'imported', '[]', '{}', now()
               FROM generate_series(1, %s) n""",
            [project.pk, number],
        )


@pytest.mark.django_db
def test_the_tasks_of_a_batch_do_not_cost_more_in_a_large_project(project):
    """With statistics from before the project was filled, as autovacuum leaves them."""
    fill(factories.make_project(), 2_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_question")
    # So many that reading all is dearer, also where earlier tests left the table in no order.
    fill(project, 40_000)
    batch = list(Question.objects.order_by("-pk").values_list("pk", flat=True)[:100])
    with CaptureQueriesContext(connection) as captured:
        assert open_tasks(question_ids=batch, now=timezone.now()) == 100
    (insert,) = [each["sql"] for each in captured if "INSERT INTO annotation_task" in each["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM annotation_task")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {insert}")
        (plan,) = cursor.fetchone()[0]
    # Picked by id before they meet the project and its policies, whatever is thought of these.
    assert scans(plan["Plan"]) == [("CTE chosen", 100)]


@pytest.mark.django_db(transaction=True)
def test_a_job_shows_that_it_lives_while_it_counts(project, rosa, now, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    assert jobs_services.BEAT_EVERY * 5 < jobs_services.STALE_AFTER
    beat = jobs_services.keep_heartbeat
    monkeypatch.setattr(jobs_services, "keep_heartbeat", lambda work: beat(work, 0.01))
    seen = []
    count = formats.count_records

    def slowly(file, format, on_step):
        before = jobs_services.Job.objects.get().heartbeat_at
        seen.append(
            wait_for(lambda: jobs_services.Job.objects.get().heartbeat_at > before, seconds=30)
        )
        return count(file, format, on_step)

    monkeypatch.setattr(formats, "count_records", slowly)
    job = imports_services.start_import(
        project=project,
        file=ContentFile(b'{"id": "a", "question": "who"}\n', name="a.jsonl"),
        file_name="a.jsonl",
        format="jsonl",
        split="dev",
        strict=False,
        by=rosa,
        now=now,
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    assert seen == [True]
    assert project.questions.count() == 1


@pytest.mark.django_db
def test_a_picture_fails_at_once_with_a_sentence_that_can_be_stored(
    project, rosa, now, monkeypatch
):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    job = imports_services.start_import(
        project=project,
        file=ContentFile(b"GIF89a\x01\x00\x01\x00\x80\x00\x00\n", name="a.gif"),
        file_name="a.gif",
        format="jsonl",
        split="dev",
        strict=False,
        by=rosa,
        now=now,
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "This file begins “GIF89a" in job.problem
    assert job.problem.isprintable()


def test_control_characters_are_not_quoted():
    with pytest.raises(WrongFormat) as raised:
        list(formats.read_records(io.BytesIO(b"a\x00\x07b\n"), "jsonl"))
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("text", ["\u200b", " \ufeff\u200d ", "\u2060\n"])
def test_a_question_that_nobody_can_see_is_refused(text):
    line = json.dumps({"id": "a", "question": text}).encode()
    (read,) = formats.read_records(io.BytesIO(line), "jsonl")
    assert read.found == formats.BadLine("The question is empty.")


def test_a_question_in_another_script_is_none_of_these():
    line = json.dumps({"id": "a", "question": "می\u200cخواهم"}).encode()
    (read,) = formats.read_records(io.BytesIO(line), "jsonl")
    assert read.found.text == "می\u200cخواهم"


# --- packed files that hold almost nothing --------------------------------------------------------


@pytest.fixture
def packed_format(monkeypatch):
    """The format of lines, also packed."""
    lines = dataclasses.replace(formats.all_formats()["jsonl"], packed=True)
    monkeypatch.setitem(formats.all_formats(), "jsonl", lines)


def pack(line, number):
    """Pack so many equal lines; a million take a kilobyte."""
    return io.BytesIO(gzip.compress(line * number))


@pytest.mark.parametrize(
    "read", [formats.count_records, lambda *file: list(formats.read_records(*file))]
)
def test_a_file_of_line_feeds_is_refused_before_it_is_read(packed_format, read):
    with pytest.raises(WrongFormat, match="more than 100,000 blank lines in a row, at line 100,0"):
        read(pack(b"\n", 30_000_000), "jsonl")


def test_a_file_that_grows_beyond_measure_is_refused(packed_format, monkeypatch):
    monkeypatch.setattr(gzip_files, "ALWAYS_READ", 200_000)
    with pytest.raises(WrongFormat, match="more than 100 times its size"):
        formats.count_records(pack(b'{"id": 1%s}\n' % (b" " * 1_000), 10_000), "jsonl")
    assert formats.count_records(pack(b'{"id": 1}\n', 10_000), "jsonl") == 10_000


@pytest.mark.django_db
@pytest.mark.parametrize("line", [b'{"id": "a"}\n\n\n', b'{"id": "a", "question": "who"}\n'])
def test_a_job_can_be_cancelled_while_it_counts(project, rosa, now, monkeypatch, line):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    job = imports_services.start_import(
        project=project,
        file=ContentFile(line * 50_000, name="a.jsonl"),
        file_name="a.jsonl",
        format="jsonl",
        split="dev",
        strict=False,
        by=rosa,
        now=now,
    )
    clock = itertools.count()
    asked = []

    def tick():
        """Give a later moment at each look; the job is cancelled at the tenth."""
        if next(clock) == 10:
            asked.append(jobs_services.cancel_job(job=job, by=rosa, now=now))
        return now + dt.timedelta(seconds=3 * next(clock))

    jobs_services.claim_and_run(job_id=job.pk, clock=tick)
    job.refresh_from_db()
    assert asked
    assert (job.state, job.total) == ("cancelled", None)
    assert not project.questions.exists()
