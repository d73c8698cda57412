"""The page on which a file is looked at before it is imported: by a researcher, without scripts."""

import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from annotation.imports import checks, uploads
from annotation.imports.detection import HEAD
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question, RememberedColumns

pytestmark = pytest.mark.django_db
FILES = Path(__file__).parent / "files"


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


@pytest.fixture
def send(staff, project):
    """Send a file or lines; return the address of the page that shows what it is."""

    def post(content=None, name="a.csv", **fields):
        if content is not None:
            fields["file"] = SimpleUploadedFile(name, content)
        answer = staff.post(reverse("import-create", args=[project.slug]), fields)
        assert answer.status_code == 302, answer.content.decode()
        return answer["Location"]

    return post


def choices_in(page):
    """The fields of the form on a page as a browser sends them."""
    fields = dict(re.findall(r'<input[^>]*name="(value-\d+)" value="([^"]*)"', page))
    for name, inner in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', page, re.S):
        options = re.findall(r"<option([^>]*)>([^<]*)", inner)
        chosen = next((each for each in options if "selected" in each[0]), options[0])
        value = re.search(r'value="([^"]*)"', chosen[0])
        fields[name] = value[1] if value else chosen[1]
    boxes = re.findall(r'<input type="checkbox" id="(\w+)" name="\w+" checked', page)
    return fields | dict.fromkeys(boxes, "on")


def run_job():
    job = Job.objects.filter(kind="import").latest("pk")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def test_a_first_file_of_questions_alone_is_imported(staff, project, send):
    address = send((FILES / "first.jsonl").read_bytes(), "first.jsonl")
    page = staff.get(address).content.decode()
    assert "2 questions to import" in page
    assert "Recognised as Plain JSONL" in page
    assert "Ids are made from each question’s words" in page
    assert not Question.objects.exists()
    answer = staff.post(address, choices_in(page))
    job = run_job()
    assert answer["Location"] == reverse("job-detail", args=[project.slug, job.pk])
    assert (job.state, job.result["created"], job.file_name) == ("done", 2, "first.jsonl")
    assert staff.get(address)["Location"] == answer["Location"]
    again = staff.get(send((FILES / "first.jsonl").read_bytes())).content.decode()
    assert "all of it is here already" in again
    assert 'id="import-button"' not in again


def test_pasted_lines_are_questions(staff, send):
    address = send(lines="Who built it?\nWhen was that\n\nWho built it?\n")
    page = staff.get(address).content.decode()
    assert "Recognised as Plain lines" in page
    assert "1 line asks what is in the file already" in re.sub(r"lines? ask", "line ask", page)
    assert "line 4 is line 1 again" in page
    assert "No question mark." in page
    staff.post(address, choices_in(page))
    assert run_job().result["created"] == 2


def test_columns_are_chosen_shown_and_remembered(staff, project, send):
    content = b"alpha;beta;gamma\nwho built it;x-1;first\nwhen was it;x-2;last\n"
    address = send(content)
    page = staff.get(address).content.decode()
    assert "Which column is what?" in page
    assert "Say which column holds the question." in page
    assert staff.post(address, choices_in(page)).status_code == 422
    chosen = choices_in(page) | {"use-0": "question", "use-1": "id", "use-2": "split"}
    page = staff.post(address, chosen | {"show": "1"}).content.decode()
    assert "2 of 2 rows cannot be imported" in page
    assert "should be train, dev or test, or be mapped" in page
    chosen = choices_in(page) | {"split-0": "test", "split-1": "train"}
    page = staff.post(address, chosen | {"show": "1"}).content.decode()
    assert "2 questions to import" in page
    assert not Job.objects.filter(kind="import").exists()
    staff.post(address, choices_in(page))
    assert run_job().result["created"] == 2
    found = Question.objects.order_by("pk").values_list("external_id", "text", "split")
    assert list(found) == [("x-1", "who built it", "test"), ("x-2", "when was it", "train")]
    page = staff.get(send(content)).content.decode()
    assert "The columns are used as last time." in page
    staff.post(send(content.replace(b"x-", b"y-")), choices_in(page) | {"remember": ""})
    assert RememberedColumns.objects.get().mapping["splits"] == {"first": "test", "last": "train"}


def test_bad_lines_are_shown_and_downloaded_and_the_rest_follows(staff, send):
    content = b'{"question": "Who?"}\n{"question": "=1+1\n{"question": ""}\n'
    address = send(content, "q.jsonl")
    page = staff.get(address).content.decode()
    assert "2 of 3 lines cannot be imported" in page
    assert "Line 3: The question is empty." in page
    assert "Import the other one" in page
    link = re.search(r'href="([^"]*/problems/[^"]*)"', page)[1].replace("&amp;", "&")
    rows = staff.get(link).content.decode().splitlines()
    assert rows[0] == "line,reason,text"
    assert rows[1].startswith("2,It is not JSON")
    staff.post(address, choices_in(page))
    job = run_job()
    assert (job.result["created"], job.result["rejected"]) == (1, 2)
    file = staff.get(reverse("job-problems", args=[job.project.slug, job.pk]))
    assert file["Content-Disposition"] == 'attachment; filename="refused-lines.csv"'
    assert b"3,The question is empty.," in file.content


def test_cells_of_the_download_are_no_formulas(staff, send):
    link = send(b"id,question,split\n1,Who?,=2+3\n") + "problems/"
    row = staff.get(link).content.decode().splitlines()[1]
    assert row.startswith("2,")
    assert ",=" not in row


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"PK\x03\x04[Content_Types].xml", "x.xlsx", "x.xlsx is an Excel workbook"),
        (b"\n\n", "x.csv", "x.csv cannot be read"),
        (b"<html><script>alert(1)</script>", "<b>.csv", "&lt;b&gt;.csv is a web page"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(staff, send, content, name, said):
    answer = staff.get(send(content, name))
    assert (answer.status_code, said in answer.content.decode()) == (422, True)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a file, or paste lines."),
        ({"lines": " \n"}, "Choose a file, or paste lines."),
        ({"file": b""}, "The file is empty."),
        ({"file": b"a", "lines": "b"}, "Choose a file or paste lines, not both."),
    ],
)
def test_what_was_sent_is_a_file_or_lines(staff, project, fields, said):
    if "file" in fields:
        fields = fields | {"file": SimpleUploadedFile("a.txt", fields["file"])}
    answer = staff.post(reverse("import-create", args=[project.slug]), fields)
    assert (answer.status_code, said in answer.content.decode()) == (422, True)
    assert not Job.objects.exists()


@override_settings(IMPORT_MAX_BYTES=10)
def test_a_file_over_the_limit_is_refused(staff, project):
    file = SimpleUploadedFile("a.txt", b"a" * 11)
    answer = staff.post(reverse("import-create", args=[project.slug]), {"file": file})
    assert answer.status_code == 422
    assert "The maximum is" in answer.content.decode()


def test_a_large_file_is_shown_by_its_head_and_read_when_it_is_imported(staff, send, monkeypatch):
    monkeypatch.setattr(checks, "CHECKED_BYTES", 1_000)
    address = send(b'{"question": "Who built bridge %d?"}\n' * 1 + b'{"question": "a?"}\n' * HEAD)
    page = staff.get(address).content.decode()
    assert "Is this what you meant?" in page
    assert "The first 5 lines were read; the rest is checked while it is imported." in page
    assert "Import the file" in page


def test_a_released_file_is_read_by_its_format_or_by_its_columns(staff, send):
    address = send((FILES / "ambignq.json").read_bytes(), "a.json")
    page = staff.get(address).content.decode()
    assert "Recognised as AmbigNQ, light or full" in page
    assert "Treat the file’s answers as accepted" in page
    page = staff.post(address, choices_in(page) | {"as": "mapped", "show": "1"}).content.decode()
    assert "Use the column annotations as" in page
    page = staff.post(address, choices_in(page) | {"as": "nq-open", "show": "1"}).content.decode()
    assert "It cannot be imported like this" in page
    staff.post(address, {"as": "ambignq", "finished": "on", "split": "test"})
    assert run_job().result["created"] == 3
    assert set(Question.objects.values_list("state", "split")) == {("accepted", "test")}


def test_an_upload_is_bounded_and_forgotten(staff, project, send, rosa):
    addresses = [send(b"Who?", f"{number}.txt") for number in range(uploads.MOST_WAITING + 1)]
    kept = Job.objects.filter(kind=uploads.UPLOAD_KIND).exclude(file="")
    assert kept.count() == uploads.MOST_WAITING
    gone = staff.get(addresses[0])
    assert (gone.status_code, "no longer here" in gone.content.decode()) == (409, True)
    jobs_services.requeue_stale_jobs(now=timezone.now() + jobs_services.KEEP_FILES * 1.01)
    assert not kept.exists()
    assert staff.get(addresses[-1]).status_code == 409


def test_an_upload_of_another_project_is_not_there(client_as, send, ann):
    address = send(b"Who?")
    assert client_as(ann).get(address).status_code == 403


def test_what_is_shown_costs_a_bounded_number_of_queries(
    staff, send, django_assert_max_num_queries
):
    address = send(b"question\n" + b"".join(b"Who is %d?\n" % number for number in range(400)))
    with django_assert_max_num_queries(32):
        staff.get(address)
