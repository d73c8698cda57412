"""Releases of long answers by command, page and API; who may; and of one moment."""

import io
import json
import threading

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.urls import reverse
from knox.models import AuthToken

from annotation.core.refusals import Conflict, Denied
from annotation.models import LongAnswer, Question
from annotation.protocols import registry as protocols
from tests import factories
from tests.annotation.long_answers import helpers
from tests.validation.release.long_answers import finished, out, record
from validation.decisions import accepted_long_answers
from validation.release.services import start_release

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return helpers.make_project(people=1)


def test_only_this_protocol_and_only_staff(project, ann, now):
    assert [format.key for format in protocols.protocol_of(project).layouts] == ["asqa"]
    with pytest.raises(Conflict, match="This project is released as asqa"):
        start_release(project=project, format="ambignq", split=None, by=None, now=now)
    other = factories.make_project()
    with pytest.raises(Conflict, match="released as ambignq-light or ambignq"):
        start_release(project=other, format="asqa", split=None, by=None, now=now)
    with pytest.raises(Denied, match="Only researchers and admins"):
        start_release(project=project, format="asqa", split=None, by=ann, now=now)


def test_the_command_writes_all_files(project, now, tmp_path):
    finished(project, now, dev={"a": record()})
    path, err = tmp_path / "dev.json", io.StringIO()
    args = ["release", project.slug, "--format=asqa", "--split=dev", f"--output={path}"]
    call_command(*args, stderr=err)
    assert json.loads(path.read_bytes()) == {"dev": {"a": record()}}
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "dev.json",
        "dev.json.card.md",
        "dev.json.croissant.json",
        "dev.json.dev.table.json.gz",
        "dev.json.manifest.json",
    ]
    assert "1 questions" in err.getvalue()
    assert "Left out: none." in err.getvalue()


def test_the_panel_and_the_api_offer_the_layout(client_as, client, project, rosa, now):
    finished(project, now, dev={"a": record()})
    page = client_as(rosa).get(reverse("project-overview", args=[project.slug])).content.decode()
    assert reverse("release-download", args=[project.slug, "asqa"]) in page
    assert "ambignq-light" not in page
    assert "1 accepted" in page
    _, token = AuthToken.objects.create(rosa)
    response = client.get(
        reverse("api-release", args=[project.slug, "asqa"]),
        headers={"Authorization": f"Token {token}"},
    )
    assert json.loads(b"".join(response)) == {"dev": {"a": record()}}


@pytest.mark.django_db(transaction=True)
def test_a_release_is_of_one_moment(project, now, monkeypatch):
    monkeypatch.setattr(accepted_long_answers, "AT_ONCE", 2)
    monkeypatch.setattr("annotation.exports.dataset.BLOCK", 1)
    finished(project, now, dev={str(number): record() for number in range(9)})
    before = out(project)

    def change():
        with transaction.atomic():
            LongAnswer.objects.update(text="late")
            Question.objects.filter(external_id="8").update(state="excluded")
        connection.close()

    release = start_release(project=project, format="asqa", split=None, by=None, now=now)
    blocks = release.blocks()
    data = next(blocks) + next(blocks)
    thread = threading.Thread(target=change)
    thread.start()
    thread.join(20)
    data += b"".join(blocks)
    manifest = json.loads(release.build_manifest("data.json"))
    assert (data, manifest) == before[:2]
    assert json.loads(out(project)[0])["dev"]["0"]["annotations"][0]["long_answer"] == "late"
