"""Upload, the job that watches itself, downloads: for each role, with and without htmx."""

import hashlib
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from accounts.pseudonyms import derive_pseudonym
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question
from tests import factories
from tests.annotation.exports.submissions import submit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
GOOD = b'{"id": "a", "question": "who built the thames tunnel"}\n'


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    ids = []
    monkeypatch.setattr(jobs_services, "wake_workers", ids.append)
    return ids


def post(client, project, content=GOOD, name="q.jsonl", headers=None, **fields):
    data = {"format": "jsonl", "split": "dev", "file": SimpleUploadedFile(name, content)} | fields
    return client.post(
        reverse("import-create", args=[project.slug]),
        {key: value for key, value in data.items() if value is not None},
        headers=headers or {},
    )


def address(job, name="job-detail"):
    return reverse(name, args=[job.project.slug, job.pk])


@pytest.fixture
def finished(client_as, rosa, project):
    """A job that Rosa uploaded and a worker finished."""

    def finish(content=GOOD, **fields):
        post(client_as(rosa), project, content, **fields)
        job = Job.objects.latest("pk")
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        return job

    return finish


def test_the_project_page_has_both_cards(client_as, rosa, project):
    page = client_as(rosa).get(reverse("project-overview", args=[project.slug])).content.decode()
    assert 'id="import"' in page
    assert "none yet" in page
    assert 'id="job"' not in page


def test_an_upload_makes_a_job_and_shows_its_page(client_as, rosa, project):
    response = post(client_as(rosa), project, strict="on")
    job = Job.objects.get()
    assert response.status_code == 302
    assert response["Location"] == address(job)
    assert job.options == {
        "format": "jsonl",
        "split": "dev",
        "strict": True,
        "finished": False,
    }
    assert (job.file_name, job.created_by) == ("q.jsonl", rosa)
    with job.file.open() as stored:
        assert stored.read() == GOOD
    page = client_as(rosa).get(address(job)).content.decode()
    assert "Waiting for a worker" in page
    assert 'hx-trigger="every 1s"' in page
    assert "Refresh" in page


def test_a_name_with_more_bytes_than_a_disk_takes(client_as, rosa, project):
    name = "質問" * 100 + ".jsonl"
    assert post(client_as(rosa), project, name=name).status_code == 302
    job = Job.objects.get()
    assert job.file_name == name
    with job.file.open("rb") as stored:
        assert stored.read() == GOOD


def test_an_upload_by_htmx_shows_the_job_in_place(client_as, rosa, project):
    response = post(client_as(rosa), project, headers=HTMX)
    page = response.content.decode()
    assert response.status_code == 200
    assert page.lstrip().startswith('<section class="card" id="import"')
    assert f'hx-get="{address(Job.objects.get())}"' in page


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"content": b""}, "The file is empty."),
        ({"file": None}, "Choose a file."),
        ({"format": "pdf"}, "is not in the list"),
        ({"split": "nope"}, "is not in the list"),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_bad_form_is_explained(client_as, rosa, project, fields, sentence, headers):
    response = post(client_as(rosa), project, headers=headers, **fields)
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not Job.objects.exists()


def test_a_file_over_the_limit_is_refused(client_as, rosa, project, settings):
    settings.IMPORT_MAX_BYTES = 10
    response = post(client_as(rosa), project)
    assert response.status_code == 422
    assert "Cut it into several files." in response.content.decode()


def test_watching_a_job(client_as, rosa, project):
    post(client_as(rosa), project, GOOD * 1)
    job = Job.objects.get()
    Job.objects.update(
        state="running", done=1500, total=3000, result={"created": 1499, "rejected": 1}
    )
    response = client_as(rosa).get(address(job), headers=HTMX)
    page = response.content.decode()
    assert page.lstrip().startswith('<div class="stack" id="job"')
    assert 'hx-trigger="every 1s"' in page
    assert "Running, 50 %" in page
    assert "1,500 of 3,000 lines" in page
    assert "1,499 new" in page
    assert 'id="job-cancel"' in page
    assert "HX-Request" in response["Vary"]
    assert "no-store" in response["Cache-Control"]
    assert "HX-Trigger" not in response


def test_a_finished_job_stops_watching_and_is_announced(client_as, rosa, finished):
    job = finished()
    response = client_as(rosa).get(address(job), headers=HTMX)
    page = response.content.decode()
    assert "hx-trigger" not in page
    assert "Done" in page
    assert json.loads(response["HX-Trigger"]) == {
        "announce": "q.jsonl imported: 1 new, 0 updated, 0 unchanged, 0 rejected."
    }


def test_bad_lines_are_listed_and_the_rest_can_be_imported(client_as, rosa, finished):
    job = finished(GOOD + b"<script>\n" + b"{\n" * 25, strict="on")
    page = client_as(rosa).get(address(job)).content.decode()
    assert "26 of 27 lines were rejected, so nothing was imported." in page
    assert "Line 2: It is not JSON" in page
    assert "Line 21: " in page
    assert "Line 22: " not in page
    assert "And 6 more." in page
    assert "Import the other line<" in page
    response = client_as(rosa).post(address(job, "import-rest"), headers=HTMX)
    rest = Job.objects.latest("pk")
    assert rest.options["strict"] is False
    assert f'hx-get="{address(rest)}"' in response.content.decode()
    # A second press finds the file taken.
    response = client_as(rosa).post(address(job, "import-rest"))
    assert response.status_code == 409
    assert "no longer here" in response.content.decode()


def test_html_in_a_file_is_shown_as_text(client_as, rosa, finished):
    evil = '<img src=x onerror="alert(1)">'
    line = json.dumps({"id": "a", "question": "q", "split": evil}).encode()
    job = finished(GOOD + line, name="a<b>.jsonl")
    page = client_as(rosa).get(address(job)).content.decode()
    assert "<img src=x" not in page
    assert "a<b>" not in page
    assert "&lt;img src=x" in page


def test_stopping_a_job(client_as, rosa, project):
    post(client_as(rosa), project)
    job = Job.objects.get()
    page = client_as(rosa).post(address(job, "job-cancel"), headers=HTMX).content.decode()
    assert "Stopped" in page
    response = client_as(rosa).post(address(job, "job-cancel"))
    assert response.status_code == 409
    assert "This job is over" in response.content.decode()


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_after_stopping_without_htmx_the_page_is_shown(client_as, rosa, project, headers):
    post(client_as(rosa), project)
    job = Job.objects.get()
    response = client_as(rosa).post(address(job, "job-cancel"), headers=headers)
    assert response.status_code == (200 if headers else 302)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("post", "import-create"),
        ("get", "job-detail"),
        ("post", "job-cancel"),
        ("post", "import-rest"),
        ("get", "export-download"),
    ],
)
def test_who_may(client, client_as, rosa, ann, stan, finished, method, name, project):
    """Strangers get 404, annotators 403, the signed-out the sign-in page, other methods 405."""
    job = finished()
    args = {"import-create": [], "export-download": ["annotations"]}.get(name, [job.pk])
    path = reverse(name, args=[project.slug, *args])
    assert getattr(client_as(stan), method)(path).status_code == 404
    assert getattr(client_as(ann), method)(path).status_code == 403
    client.logout()
    assert getattr(client, method)(path).status_code == 302
    other = {"get": "post", "post": "get"}[method] if name != "import-create" else "put"
    assert getattr(client_as(rosa), other)(path).status_code == 405


def test_a_job_of_another_project_is_not_found(client_as, rosa, finished):
    from tests import factories

    other = factories.make_project()
    factories.make_member(other, "researcher", user=rosa)
    path = reverse("job-detail", args=[other.slug, finished().pk])
    assert client_as(rosa).get(path).status_code == 404


def test_a_download_is_streamed_and_logged(client_as, rosa, project):
    response = client_as(rosa).get(
        reverse("export-download", args=[project.slug, "ambignq-light"]) + "?split=dev"
    )
    assert response.streaming
    assert b"".join(response.streaming_content) == b"[]\n"
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == (
        f'attachment; filename="{project.slug}-dev-ambignq-light.json"'
    )
    entry = AuditEntry.objects.get(action="exported")
    assert (entry.actor, entry.data) == (rosa.pk, {"format": "ambignq-light", "split": "dev"})
    response = client_as(rosa).get(reverse("export-download", args=[project.slug, "annotations"]))
    assert response["Content-Type"] == "application/x-ndjson"
    assert b"".join(response.streaming_content) == b""


@pytest.mark.parametrize("path", ["pdf/", "pdf/zip/"])
def test_an_unknown_export_is_not_found(client_as, rosa, project, path):
    base = reverse("project-overview", args=[project.slug])
    assert client_as(rosa).get(f"{base}export/{path}").status_code == 404


@pytest.mark.parametrize("path", ["annotations/", "annotations/zip/", "?format=annotations"])
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("split=nope", "The split is train, dev or test."),
        ("state=nope", "A question’s state is one of imported, "),
        ("person=Ann", "No one who worked in this project has this pseudonym."),
        ("since=yesterday", "Write a day as 2026-03-01: year, month, day."),
        ("since=2026-03-02&until=2026-03-01", "The last day is before the first."),
    ],
)
def test_a_filter_that_means_nothing_is_explained(client_as, rosa, project, path, query, sentence):
    path = f"{reverse('export-page', args=[project.slug])}{path}"
    response = client_as(rosa).get(f"{path}{'&' if '?' in path else '?'}{query}")
    assert response.status_code == 422
    page = response.content.decode()
    assert sentence in page
    assert '<option value="annotations" selected>' in page
    assert not AuditEntry.objects.filter(action="exported").exists()


@pytest.mark.parametrize("path", ["annotations/zip/?split=dev", "?format=annotations&split=dev"])
def test_an_export_with_its_manifest_is_one_zip(client_as, rosa, ann, project, path):
    submit(factories.make_question(project, split="dev"), ann, pairs=[("", ["1843"])])
    client, base = client_as(rosa), reverse("export-page", args=[project.slug])
    response = client.get(f"{base}{path}")
    name = f"{project.slug}-dev-annotations"
    assert response["Content-Disposition"] == f'attachment; filename="{name}.zip"'
    assert response["Cache-Control"] == "private, no-store"
    held = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert held.namelist() == [f"{name}.jsonl", f"{name}.jsonl.manifest.json"]
    plain = b"".join(client.get(f"{base}annotations/?split=dev").streaming_content)
    assert held.read(f"{name}.jsonl") == plain
    manifest = json.loads(held.read(f"{name}.jsonl.manifest.json"))
    assert manifest["sha256"] == hashlib.sha256(plain).hexdigest()
    assert (manifest["counts"], manifest["filters"]["split"]) == ({"records": 1}, "dev")


def test_the_form_of_exports_offers_what_fits(client_as, rosa, ann, project):
    page = client_as(rosa).get(reverse("export-page", args=[project.slug])).content.decode()
    assert f"Ann Archer ({derive_pseudonym(ann, scope=project.slug)})" in page
    assert '<option value="validations">' in page
    assert '<option value="concerns">' not in page


def test_the_page_of_a_job_costs_the_same_however_many_lines(
    client_as, rosa, finished, django_assert_max_num_queries
):
    job = finished(b"{\n" * 900)
    assert not Question.objects.exists()
    client = client_as(rosa)
    with django_assert_max_num_queries(11):
        client.get(address(job), headers=HTMX)


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_request_over_the_limit_is_never_written(
    client_as, rosa, project, settings, monkeypatch, headers
):
    settings.IMPORT_MAX_BYTES = 1000
    monkeypatch.setattr("annotation.uploads.requests.FORM_BYTES", 1000)

    def refuse(*args, **kwargs):
        raise AssertionError("the file was kept")

    monkeypatch.setattr("django.core.files.uploadhandler.MemoryFileUploadHandler.new_file", refuse)
    monkeypatch.setattr(
        "django.core.files.uploadhandler.TemporaryFileUploadHandler.new_file", refuse
    )
    response = post(client_as(rosa), project, GOOD * 100, headers=headers)
    assert response.status_code == 422
    page = response.content.decode()
    assert "The maximum is 0 MB. Cut it into several files." in page
    assert "Choose a file." not in page


def test_an_import_that_is_done_leads_to_the_next_step(
    client_as, rosa, ada, ann, project, finished
):
    job = finished()
    page = client_as(rosa).get(address(job)).content.decode()
    assert "1 question in this project" in page
    assert reverse("project-questions", args=[project.slug]) in page
    assert "Check the policies" in page
    assert "Start working" not in page
    project.memberships.filter(user=ann).delete()
    page = client_as(rosa).get(address(job)).content.decode()
    assert "A project admin has to invite people." in page
    assert "Invite people</a>" not in page
    assert "Invite people</a>" in client_as(ada).get(address(job)).content.decode()


def test_the_overview_stops_saying_that_there_are_no_questions(client_as, rosa, project, finished):
    overview = reverse("project-overview", args=[project.slug])
    assert "No questions yet" in client_as(rosa).get(overview).content.decode()
    job = finished()
    watched = HTMX | {"HX-Current-URL": f"http://testserver{overview}"}
    fragment = client_as(rosa).get(address(job), headers=watched).content.decode()
    assert 'id="progress"' in fragment
    assert 'hx-swap-oob="true"' in fragment
    assert "1 question:" in fragment
    # The page of the job has no such card.
    assert 'id="progress"' not in client_as(rosa).get(address(job), headers=HTMX).content.decode()


def test_the_form_remembers_the_last_format_and_split(client_as, rosa, project, finished):
    page = reverse("import-create", args=[project.slug])
    first = client_as(rosa).get(page).context["import_form"]
    assert first["format"].value() is None
    finished(b"id,question\na,who\n", name="a.csv", format="table", split="test")
    form = client_as(rosa).get(page).context["import_form"]
    assert (form["format"].value(), form["split"].value()) == ("table", "test")


def test_each_format_is_explained_with_an_example(client_as, rosa, project):
    client = client_as(rosa)
    page = client.get(reverse("import-create", args=[project.slug])).content.decode()
    assert "What Ambit reads" in page
    link = reverse("import-example", args=[project.slug, "jsonl"])
    assert link in page
    file = client.get(link)
    assert file["Content-Disposition"] == 'attachment; filename="example-jsonl.jsonl"'
    assert b'"question"' in file.content
    assert client.get(link.replace("jsonl", "nothing")).status_code == 404
