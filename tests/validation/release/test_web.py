"""The card on the project's page, the ZIP, the API, and the box on the upload form."""

import io
import json
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question
from tests import factories
from tests.validation.release.conftest import ambignq, record, single

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


@pytest.fixture
def filled(project, bring_in):
    bring_in(ambignq(record(1, single("a"))))
    bring_in(ambignq(record(2, single("b"))), split="train")
    return project


def overview(client, project):
    return client.get(reverse("project-overview", args=[project.slug])).content.decode()


def test_the_card_is_for_staff(client_as, rosa, ann, project, bring_in):
    page = overview(client_as(rosa), project)
    assert 'id="release"' in page
    assert "nothing accepted yet" in page
    bring_in(ambignq(record(1, single("a"))))
    page = overview(client_as(rosa), project)
    assert "1 accepted" in page
    assert "1 question was imported with accepted answers." in page
    assert "No questions yet" not in page
    assert reverse("release-download", args=[project.slug, "ambignq"]) in page
    assert 'id="release"' not in overview(client_as(ann), project)


def test_the_zip_holds_data_and_companions(client_as, rosa, filled, released):
    address = reverse("release-download", args=[filled.slug, "ambignq-light"])
    response = client_as(rosa).get(address, {"split": "dev"})
    assert response["Content-Type"] == "application/zip"
    name = f"{filled.slug}-dev-ambignq-light"
    assert response["Content-Disposition"] == f'attachment; filename="{name}.zip"'
    body = b"".join(response)
    archive = zipfile.ZipFile(io.BytesIO(body))
    assert archive.testzip() is None
    assert archive.namelist() == [
        f"{name}.json",
        f"{name}.json.manifest.json",
        "README.md",
        f"{name}.json.croissant.json",
        f"{name}.json.dev.table.json.gz",
    ]
    data, manifest = released(filled, split="dev")
    assert archive.read(f"{name}.json") == data
    found = json.loads(archive.read(f"{name}.json.manifest.json"))
    assert found == manifest | {"file": f"{name}.json"}
    assert b"".join(client_as(rosa).get(address, {"split": "dev"})) == body
    assert AuditEntry.objects.filter(action="released", actor=rosa.pk).count() == 2


@pytest.mark.parametrize("query", ["ambignq-light/?split=all", "squad/"])
def test_what_does_not_exist_is_not_found(client_as, rosa, project, query):
    assert client_as(rosa).get(f"/projects/{project.slug}/release/{query}").status_code == 404


class TestApi:
    @pytest.fixture
    def get(self, client, rosa, filled):
        _, token = AuthToken.objects.create(rosa)

        def get(name, format="ambignq-light", **query):
            address = reverse(name, args=[filled.slug, format])
            return client.get(address, query, headers={"Authorization": f"Token {token}"})

        return get

    def test_data_alone_and_with_its_companions(self, get, filled, released):
        response = get("api-release", split="dev")
        data = b"".join(response)
        assert (data, response["Content-Type"]) == (
            released(filled, split="dev")[0],
            "application/json",
        )
        archive = zipfile.ZipFile(io.BytesIO(b"".join(get("api-release-zip"))))
        assert len(json.loads(archive.read(archive.namelist()[0]))) == 2

    def test_lines_are_announced_as_lines(self, get, filled, released):
        response = get("api-release", format="nq-open")
        data = b"".join(response)
        assert (data, response["Content-Type"]) == (
            released(filled, "nq-open")[0],
            "application/x-ndjson",
        )
        assert [list(json.loads(line)) for line in data.splitlines()] == [
            ["id", "question", "answer"]
        ] * 2

    def test_refusals_are_json(self, get):
        assert get("api-release", split="x").json() == {"split": "The split is train, dev or test."}
        assert get("api-release", format="squad").status_code == 404
        refusal = get("api-release-zip", tables="xlsx")
        assert (refusal.status_code, refusal.json()) == (
            400,
            {"tables": "The tables are json or parquet."},
        )
        assert get("api-release-zip", tables="").status_code == 400

    def test_tables_are_parquet_where_asked_for(self, get):
        archive = zipfile.ZipFile(io.BytesIO(b"".join(get("api-release-zip", tables="parquet"))))
        endings = [name.rpartition(".json.")[2] for name in archive.namelist()]
        assert endings[-2:] == ["train.parquet", "dev.parquet"]

    def test_an_upload_may_be_finished(self, client, rosa, project):
        _, token = AuthToken.objects.create(rosa)

        def post(**fields):
            content = ambignq(record(7, single("g"))).getvalue()
            file = SimpleUploadedFile("f.json", content)
            return client.post(
                reverse("api-import", args=[project.slug]),
                {"file": file, "split": "dev", "finished": "true"} | fields,
                headers={"Authorization": f"Token {token}"},
            )

        refused = post(format="jsonl")
        assert refused.json() == {"finished": ["Only the format ambignq holds annotations."]}
        assert post(format="ambignq").status_code == 202
        jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
        assert Question.objects.get(external_id="r7").state == "accepted"


def test_the_box_on_the_upload_form(client_as, rosa, project):
    def post(**fields):
        content = ambignq(record(7, single("g"))).getvalue()
        return client_as(rosa).post(
            reverse("import-create", args=[project.slug]),
            {"split": "dev", "finished": "on", "file": SimpleUploadedFile("f.json", content)}
            | fields,
        )

    refused = post(format="nq-open")
    assert refused.status_code == 422
    assert "Only AmbigNQ or Label Studio or doccano files hold" in refused.content.decode()
    assert post(format="ambignq").status_code == 302
    job = Job.objects.get()
    assert job.options["finished"] is True
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    assert Question.objects.get(external_id="r7").state == "accepted"
    assert "1 accepted" in overview(client_as(rosa), project)


def first_button(client, project):
    html = client.get(reverse("project-overview", args=[project.slug])).text
    found = re.search(r'class="button[^"]* primary".*?>(.*?)</(?:a|button)>', html, flags=re.S)
    return re.sub(r"<[^>]*>", "", found[1]), html


def test_the_first_button_of_a_finished_round_is_its_release(client_as, rosa, project, bring_in):
    assert first_button(client_as(rosa), project)[0] == "Choose a file or paste lines"
    bring_in(ambignq(record(1, single("1843"))))
    words, html = first_button(client_as(rosa), project)
    assert words == "1 accepted"
    assert len(re.findall(r'class="button[^"]* primary"', html)) == 1
    assert html.index('id="release"') < html.index('id="import"')
    # With a question that is still to be answered, the import comes first again.
    factories.make_task(project)
    words, html = first_button(client_as(rosa), project)
    assert html.index('id="import"') < html.index('id="release"')
