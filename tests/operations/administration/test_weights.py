"""Weights on this host, and removing those that nothing runs on."""

import base64
import hashlib
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry, Job
from modeling.roles import ROLES
from modeling.weights import PACKAGES
from operations.administration.weights import queries, services

pytestmark = pytest.mark.django_db
PAGE, REMOVE = reverse("administration-models"), reverse("administration-model-remove")


@pytest.fixture
def cache(monkeypatch):
    """A hub's cache with a model that the reader runs on, and one that nothing names."""
    repos = [
        SimpleNamespace(repo_id=name, size_on_disk=size, repo_type="model", revisions=())
        for name, size in ((ROLES["reader"], 440_000_000), ("someone/old-reader", 90_000_000))
    ]
    for module in (queries, services):
        monkeypatch.setattr(module, "list_cached_models", lambda: iter(repos))
    deleted = []
    monkeypatch.setattr(services, "_delete", lambda repo: deleted.append(repo.repo_id))
    return deleted


def test_every_role_stands_by_its_weights_and_what_nothing_names_comes_last(client, cache):
    with CaptureQueriesContext(connection) as queries_made:
        page = client.get(PAGE)
    assert len(queries_made) <= 4
    rows = {row.name: row for row in page.context["rows"]}
    assert {role for row in rows.values() for role in row.roles} == set(ROLES)
    assert "reader" in rows[ROLES["reader"]].roles
    last = page.context["rows"][-1]
    assert (last.name, last.state, last.bytes) == ("someone/old-reader", "unused", 90_000_000)
    text = page.content.decode()
    assert "90 MB" in text
    assert text.count(">Remove</button>") == 1


def test_weights_that_are_set_for_a_role_are_named(client, cache, settings, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"x" * 3000)
    settings.MODELS = {"reader": str(tmp_path), "pig": "not a name", "qd": "trained:qd-1"}
    rows = {row.name: row for row in client.get(PAGE).context["rows"]}
    assert (rows[str(tmp_path)].state, rows[str(tmp_path)].bytes) == ("here", 3002)
    assert rows["not a name"].state == "missing"
    assert "is not the name of a model" in rows["not a name"].problem
    assert rows[ROLES["reader"]].state == "unused"
    assert (rows["trained:qd-1"].kind, rows["trained:qd-1"].state) == ("trained", "missing")


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A package with weights, installed with a list of the digests of its files."""
    folder = tmp_path / "tiny_weights"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "model.safetensors").write_bytes(b"weights")
    digest = hashlib.sha256(b"weights").digest()
    digits = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    info = tmp_path / "tiny_weights-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1\n")
    (info / "RECORD").write_text(f"tiny_weights/model.safetensors,sha256={digits},7\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PACKAGES, "tiny", ("tiny_weights", ""))
    return folder


def test_files_of_a_package_are_compared_with_its_pinned_release(client, settings, package):
    settings.MODELS = {"reader": "tiny"}
    assert "Checksum fits" in client.get(PAGE).text
    (package / "model.safetensors").write_bytes(b"others")
    text = client.get(PAGE).text
    assert "File differs" in text
    assert "1 file not of the release" in text
    (package / "model.safetensors").unlink()
    assert "File differs" in client.get(PAGE).text


def test_the_hub_s_checksum_is_told(client, cache, tmp_path, monkeypatch):
    blob = tmp_path / "blobs" / ("5e" * 32)
    blob.parent.mkdir()
    blob.write_bytes(b"x")
    folder = tmp_path / "snapshot"
    folder.mkdir()
    (folder / "model.safetensors").symlink_to(blob)
    monkeypatch.setattr(queries, "find_folder", lambda role, name: folder)
    rows = {row.name: row for row in client.get(PAGE).context["rows"]}
    assert rows[ROLES["reader"]].checksum == "5e" * 32
    assert "SHA-256 <code>5e5e5e5e5e5e…</code>" in client.get(PAGE).text


def test_unused_weights_are_removed_and_it_is_in_the_audit(
    client, root, cache, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(REMOVE, {"name": "someone/old-reader"}).status_code == 302
    assert cache == ["someone/old-reader"]
    entry = AuditEntry.objects.get(action="weights_removed")
    assert (entry.actor, entry.data) == (root.pk, {"name": "someone/old-reader"})
    page = client.get(reverse("administration-audit")).content.decode()
    assert "Removed the weights “someone/old-reader”." in page


@pytest.mark.parametrize("name", [ROLES["reader"], "someone/absent", "../../etc", "", "minilm"])
def test_nothing_else_is_removed(client, cache, name):
    assert client.post(REMOVE, {"name": name}).status_code == 409
    assert cache == []


def test_weights_that_a_job_asks_for_stay(project, root, ada, cache, now):
    Job.objects.create(
        project=project, kind="predict", options={"options": {"encoder": "someone/old-reader"}},
        created_by=ada, created_at=now, heartbeat_at=now,
    )  # fmt: skip
    with pytest.raises(Conflict, match="not finished"):
        services.remove_weights(name="someone/old-reader", by=root, now=now)
    with pytest.raises(Denied, match="Only administrators"):
        services.remove_weights(name="someone/old-reader", by=ada, now=now)
