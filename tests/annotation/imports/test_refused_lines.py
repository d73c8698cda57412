"""Refused lines come back as they are in their file, so that they can be corrected and imported."""

import gzip
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.imports import checks, refused_lines
from annotation.imports.detection import FileReading, detect_file
from annotation.imports.refused_lines import copy_refused, find_layout
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question

JSONL = b'{"question": "Who built it?"}\n\n{"question": "=1+1\n{"question": ""}\n'
TABLE = 'id;question;note\n1;Who;a\n2;;"=1\n+1"\n3;When;c;more\n4;Wh"at";"d\n'


def copy(content, lines, reading=None):
    file = io.BytesIO(content)
    reading = reading or detect_file(file).mapped
    file.seek(0)
    return copy_refused(file, reading, lines)


@pytest.mark.parametrize(
    ("content", "lines", "copied", "suffix"),
    [
        (JSONL, {3, 4}, b'{"question": "=1+1\n{"question": ""}\n', "jsonl"),
        (gzip.compress(JSONL), {4}, b'{"question": ""}\n', "jsonl"),
        (b"Who is it?\r\n\r\nWhen?\r\nWhere?\n", {3}, b"When?\n", "txt"),
        (
            b'[\n{"question": "Who?"},\n{"question": ""},\n{"question": 1}\n]\n',
            {3, 4},
            b'[\n{"question": ""},\n{"question": 1}\n]\n',
            "json",
        ),
        (
            "\ufeff".encode() + TABLE.encode(),
            {3, 5},
            '\ufeffid;question;note\r\n2;;"\'=1\n+1"\r\n3;When;c;more\r\n'.encode(),
            "csv",
        ),
        (
            TABLE.replace(";", "\t").encode("utf-16"),
            {2},
            "\ufeffid\tquestion\tnote\r\n1\tWho\ta\r\n".encode(),
            "tsv",
        ),
    ],
    ids=["jsonl", "packed", "text", "array", "table", "utf-16"],
)
def test_lines_are_given_as_they_are(content, lines, copied, suffix):
    found = copy(content, lines)
    assert (found.content, found.suffix) == (copied, suffix)


def test_a_row_that_cannot_be_read_is_cut_at_its_separators():
    assert copy(TABLE.encode(), {6}).content.endswith(b'4;"Wh""at""";"""d"\r\n')


def test_what_comes_back_is_read_again():
    content = JSONL.replace(b"\n\n", b"\n")
    again = copy(content, {1, 3})
    assert [record["question"] for record in detect_file(io.BytesIO(again.content)).sample] == [
        "Who built it?",
        "",
    ]


def test_records_on_one_line_cannot_be_told():
    with pytest.raises(ValueError, match="on one line"):
        copy(b'[{"question": "Who?"}, {"question": ""}]', {1})


def test_they_are_bounded(monkeypatch):
    monkeypatch.setattr(refused_lines, "MOST_BYTES", 30)
    for content in (JSONL, TABLE.encode()):
        with pytest.raises(ValueError, match="20 MB"):
            copy(content, {1, 2, 3, 4, 5})


def test_files_in_parts_and_nested_ones_have_no_lines_of_their_own():
    assert find_layout(FileReading("asqa", "ASQA")) == ""
    assert find_layout(FileReading("nq-open", "NQ-open")) == "lines"
    nested = json.dumps({"data": [{"question": "Who?"}]}).encode()
    assert find_layout(detect_file(io.BytesIO(nested)).mapped) == ""


# --- on the pages ---------------------------------------------------------------------------------


@pytest.fixture
def staff(client_as, rosa, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    return client_as(rosa)


def send(staff, project, content, name="q.jsonl"):
    data = {"file": SimpleUploadedFile(name, content)}
    return staff.post(reverse("import-create", args=[project.slug]), data)["Location"]


def run_import():
    job = Job.objects.filter(kind="import").latest("pk")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


@pytest.mark.django_db
def test_a_large_file_says_what_was_read_and_names_its_lines_afterwards(
    staff, project, monkeypatch
):
    monkeypatch.setattr(checks, "CHECKED_BYTES", 10)
    good = b"".join(b'{"question": "Which is %d?"}\n' % number for number in range(7))
    address = send(staff, project, good + b'{"question": "=1+1\n')
    page = staff.get(address).text
    assert "The first 5 lines were read; the rest is checked while it is imported." in page
    assert "named on the page of the import" in page
    staff.post(address, {"split": "dev"})
    job = run_import()
    assert (job.state, job.result["created"], job.result["rejected"]) == ("done", 7, 1)
    page = staff.get(reverse("job-detail", args=[project.slug, job.pk])).text
    assert "7 questions are in Crossings pilot" in page
    assert "Line 8: It is not JSON" in page
    assert "<dt>Refused</dt><dd>1</dd>" in page
    problems = reverse("job-problems", args=[project.slug, job.pk])
    copied = staff.get(problems, {"shape": "file"})
    assert copied.content == b'{"question": "=1+1\n'
    assert copied["Content-Disposition"] == 'attachment; filename="refused-lines.jsonl"'
    mended = copied.content.replace(b"=1+1", b'What is 1+1?"}')
    staff.post(send(staff, project, mended), {"split": "dev"})
    assert run_import().result["created"] == 1
    assert Question.objects.filter(text="What is 1+1?").exists()
    jobs_services.forget_file(Job.objects.get(pk=job.pk))
    assert staff.get(problems, {"shape": "file"}).status_code == 409
    assert staff.get(problems).content.startswith(b"line,reason,text\r\n8,It is not JSON")
    assert "shape=file" not in staff.get(reverse("job-detail", args=[project.slug, job.pk])).text


@pytest.mark.django_db
def test_the_check_gives_them_too_and_defuses_cells(staff, project):
    address = send(staff, project, TABLE.encode(), "q.csv")
    page = staff.get(address).text
    assert "Download to correct" in page
    problems = reverse("import-problems", args=[project.slug, int(address.split("/")[-2])])
    copied = staff.get(problems, {"shape": "file"})
    assert copied["Content-Type"] == "text/csv; charset=utf-8"
    assert b';"\'=1\n+1"\r\n' in copied.content
    assert b"1;Who;a" not in copied.content


@pytest.mark.django_db
def test_an_import_without_refusals_keeps_no_file(staff, project):
    address = send(staff, project, b'{"question": "Who?"}\n')
    staff.post(address, {"split": "dev"})
    job = run_import()
    assert not job.file
    page = staff.get(reverse("job-detail", args=[project.slug, job.pk])).text
    assert "1 question is in Crossings pilot" in page
    assert "Generation on dev: 2 people a question" in page
    assert "1 new in dev, which now has 1" in page
    assert "were refused" not in page


@pytest.mark.django_db
def test_the_watched_page_shows_what_came_once_it_is_done(staff, project):
    staff.post(send(staff, project, b'{"question": "Who?"}\n'), {"split": "dev"})
    job = Job.objects.filter(kind="import").latest("pk")
    page = reverse("job-detail", args=[project.slug, job.pk])
    watched = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{page}"}
    assert "HX-Refresh" not in staff.get(page, headers=watched)
    run_import()
    assert staff.get(page, headers=watched)["HX-Refresh"] == "true"
    assert "HX-Refresh" not in staff.get(page, headers={"HX-Request": "true"})
