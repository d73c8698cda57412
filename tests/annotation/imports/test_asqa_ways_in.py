"""Questions for long answers by command, upload and API."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from tests.annotation.imports.asqa_files import ambig, answer, pairs, record
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return helpers.make_project()


class TestCommand:
    def run(self, *args):
        out = io.StringIO()
        call_command("import_questions", *args, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    @pytest.fixture
    def write(self, tmp_path):
        def write(data):
            path = tmp_path / "in.json"
            path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
            return str(path)

        return write

    def test_asqa_needs_no_split(self, project, write):
        path = write({"dev": {"a": record("W?", answer())}})
        out = self.run(project.slug, path, "--format=asqa", "--finished", "--json")
        assert json.loads(out) == {
            "created": 1,
            "updated": 0,
            "unchanged": 0,
            "rejected": 0,
            "errors": [],
        }

    def test_what_is_left_out_is_said(self, project, write):
        path = write([ambig("a", pairs("x")), ambig("b"), ambig("c", pairs(*"1234567"))])
        args = [project.slug, path, "--format=ambignq", "--split=dev"]
        assert self.run(*args).startswith(
            "in.json: 1 created, 0 updated, 0 unchanged, 0 rejected.\n"
            "Left out: 1 not ambiguous, 1 with more than 6 disambiguations.\n"
        )
        assert json.loads(self.run(*args, "--json"))["left_out"] == {
            "not_ambiguous": 1,
            "too_many_disambiguations": 1,
        }

    @pytest.mark.parametrize("format", ["nq-open", "ambignq"])
    def test_what_does_not_fit_is_refused_with_status_2(self, project, write, format):
        with pytest.raises(CommandError) as refusal:
            self.run(project.slug, write(b"[]"), f"--format={format}", "--split=dev", "--finished")
        assert refusal.value.returncode == 2


class TestWeb:
    @pytest.fixture(autouse=True)
    def woken(self, monkeypatch):
        monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)

    def test_the_form_offers_what_fits(self, client_as, rosa, project):
        page = client_as(rosa).get(reverse("import-create", args=[project.slug]))
        body = page.content.decode()
        assert body.index('value="asqa"') < body.index('value="ambignq"') < body.index("nq-open")
        assert "ASQA files only. No one will be asked" in body

    def test_an_upload_shows_what_was_left_out(self, client_as, rosa, project):
        data = json.dumps([ambig("a", pairs("x")), ambig("b")]).encode()
        address = reverse("import-create", args=[project.slug])
        upload = {"split": "dev", "file": SimpleUploadedFile("f.json", data)}
        assert client_as(rosa).post(address, {"format": "ambignq", **upload}).status_code == 302
        job = Job.objects.get()
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        page = client_as(rosa).get(reverse("job-detail", args=[project.slug, job.pk]))
        assert "1 not ambiguous" in page.content.decode()
        assert "0 with more than 6 disambiguations" in page.content.decode()

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"format": "nq-open"}, "has no disambiguations, and writers of this project"),
            ({"format": "ambignq", "finished": "on"}, "Only ASQA files hold answers. Choose ASQA"),
        ],
    )
    def test_what_does_not_fit_is_said_on_the_form(
        self, client_as, rosa, project, fields, sentence
    ):
        file = SimpleUploadedFile("f.json", b"[]")
        response = client_as(rosa).post(
            reverse("import-create", args=[project.slug]), {"split": "dev", "file": file, **fields}
        )
        assert (response.status_code, sentence in response.content.decode()) == (422, True)

    def test_the_api_takes_asqa_without_a_split(self, client, rosa, project):
        _, token = AuthToken.objects.create(rosa)

        def post(data, **fields):
            file = SimpleUploadedFile("f.json", json.dumps(data).encode())
            return client.post(
                reverse("api-import", args=[project.slug]),
                {"file": file, **fields},
                headers={"Authorization": f"Token {token}"},
            )

        refused = post([], format="ambignq")
        assert refused.json() == {
            "split": ["Records of ambignq may name no split. Give the split they go into."]
        }
        refused = post([], format="ambignq", split="dev", finished="true")
        assert refused.json() == {"finished": ["Only the format asqa holds annotations."]}
        assert post([], format="nq-open", split="dev").status_code == 409
        taken = post({"dev": {"a": record("W?", answer())}}, format="asqa", finished="true")
        assert taken.status_code == 202
        jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
        assert Question.objects.get().state == "accepted"
        taken = post([ambig("b")], format="ambignq", split="dev")
        jobs_services.claim_and_run(job_id=taken.json()["id"], clock=timezone.now)
        found = client.get(
            reverse("api-job", args=[project.slug, taken.json()["id"]]),
            headers={"Authorization": f"Token {token}"},
        )
        assert found.json()["result"]["left_out"] == {
            "not_ambiguous": 1,
            "too_many_disambiguations": 0,
        }
