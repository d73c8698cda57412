"""The demo with models: what it loads and starts, what it says where it cannot."""

import itertools
import json
import os
import socket
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Job, Project, StagePolicy
from demo import baselines, llm_server
from demo import loading as demo
from demo.management.commands import demo as command
from tests.conftest import REALDATA
from wikipedia.demo.build import build_demo_zim
from wikipedia.providers.registry import provider_for

ROOT = Path(__file__).resolve().parents[2]
SONGS = REALDATA / "wikipedia" / "wikipedia_en_ray_charles_2015-06.zim"


@pytest.fixture
def loaded(demo_folder, db, settings, monkeypatch):
    """The demo without models, and a language model that nobody asks."""
    settings.AMBIT_DATA = demo_folder
    settings.LLM_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "tiny-1"
    monkeypatch.delenv("AMBIT_SNAPSHOT", raising=False)
    # Vectors have tests of their own, and need seconds.
    monkeypatch.setattr(baselines, "_index", lambda name, say: None)
    monkeypatch.setattr(baselines, "DENSE", {})
    monkeypatch.setattr(baselines, "READER", ("llm-plain", {}))


def started():
    rows = Job.objects.filter(kind__in=("suggest", "predict")).order_by("pk")
    return [(job.project.slug, job.kind, job.options["baseline"]) for job in rows]


def test_suggestions_and_answers_are_jobs_and_people_see_the_suggestions(loaded):
    said = []
    for _ in range(2):  # loading it again starts nothing twice
        baselines.load_baselines(said.append)
    assert [row for row in started() if row[0] == "demo"] == [("demo", "suggest", "llm-plain")]
    assert {row[2] for row in started() if row[:2] == ("demo-long", "predict")} >= {
        "question-x8",
        "bm25",
        "llm-plain",
    }
    assert len(started()) == len(set(started()))
    policies = StagePolicy.objects.filter(project__slug="demo", stage="generation")
    assert set(policies.values_list("suggestions", "suggestions_held_out")) == {
        ("Small language model with passages", baselines.HELD_OUT)
    }
    # What staff choose stays.
    policies.update(suggestions="Another", suggestions_held_out=50)
    baselines.load_baselines(said.append)
    assert set(policies.values_list("suggestions", "suggestions_held_out")) == {("Another", 50)}


def test_what_cannot_run_is_said_and_stops_nothing(loaded, settings):
    settings.LLM_URL = ""
    said = []
    baselines.load_baselines(said.append)
    assert any("“llm-plain” cannot run: No language model is set up" in line for line in said)
    assert ("demo-long", "predict", "bm25") in started()


@pytest.mark.realdata
@pytest.mark.skipif(not SONGS.exists(), reason="the archive of songs is not here")
def test_an_archive_of_songs_brings_two_projects_whose_answers_it_has(loaded, monkeypatch):
    monkeypatch.setenv("AMBIT_SNAPSHOT", str(SONGS))
    baselines.load_baselines(lambda said: None)
    protocols = {"demo-songs": "ambigqa", "demo-songs-long": "asqa"}
    found = Project.objects.filter(slug__startswith="demo-songs")
    assert dict(found.values_list("slug", "protocol")) == protocols
    assert ("demo-songs", "suggest", "llm-plain") in started()
    snapshot = found.first().snapshot
    assert (snapshot.name, found.count()) == ("demo-songs", 2)
    asked = json.loads((demo.FILES / "songs.json").read_bytes())["dev"]
    provider = provider_for(snapshot)
    for key, record in asked.items():
        (page,) = record["wikipages"]
        (hit, *_) = provider.search(page["title"]).hits
        assert hit.title == page["title"], key
        text = provider.load_page(hit.path).html
        for pair in record["qa_pairs"]:
            assert any(answer in text for answer in pair["short_answers"]), pair


def test_an_archive_that_will_not_do_is_refused_before_anything_is_made_of_it(tmp_path):
    for name, make, sentence in (
        ("nowhere.zim", None, "where there is no file"),
        ("text.zim", lambda path: path.write_text("no archive"), "which is no ZIM archive"),
        ("tunnels.zim", build_demo_zim, "which has no article “Ray Charles”"),
    ):
        if make:
            make(tmp_path / name)
        with pytest.raises(CommandError, match=sentence):
            baselines._snapshot(tmp_path / name, lambda said: None)


def test_jobs_with_models_have_a_worker_of_their_own_where_there_can_be_any(settings, monkeypatch):
    settings.LLM_URL = ""
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert list(command.build_worker_jobs()) == ["The worker"]
    assert command.build_worker_jobs()["The worker"].keywords["queues"] == "default,models"
    settings.LLM_URL = "http://127.0.0.1:9/v1"
    both = command.build_worker_jobs()
    assert list(both) == ["The worker", "The worker for models"]
    assert both["The worker"].keywords["queues"] == "default"


def test_packages_that_are_missing_are_named(monkeypatch):
    monkeypatch.setattr(llm_server, "list_missing_packages", lambda: ["llama_cpp"])
    monkeypatch.setattr(command, "port_is_free", lambda port: True)
    with pytest.raises(CommandError, match=r"missing: llama_cpp\. Start it with make demo"):
        call_command("demo", models=True)


def test_everything_here_is_told_where_the_language_model_is(settings, monkeypatch):
    for name in ("AMBIT_LLM_URL", "AMBIT_LLM_MODEL", "AMBIT_LLM_SECONDS"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    settings.LLM_URL, settings.LLM_SECONDS = "", 120
    port = llm_server.free_port()
    llm_server.announce_server(port)
    assert settings.LLM_URL == os.environ["AMBIT_LLM_URL"] == f"http://127.0.0.1:{port}/v1"
    assert settings.LLM_SECONDS == int(os.environ["AMBIT_LLM_SECONDS"]) == llm_server.SECONDS


def test_it_is_waited_for_until_it_listens(monkeypatch):
    began = timezone.now()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        llm_server.wait_until_ready(listening.getsockname()[1])
    monkeypatch.setattr(llm_server, "START_SECONDS", 0.3)
    llm_server.wait_until_ready(llm_server.free_port())
    assert 0.2 < (timezone.now() - began).total_seconds() < 10


def test_it_listens_on_loopback_alone_whatever_the_environment_says(
    settings, tmp_path, monkeypatch
):
    settings.AMBIT_DATA = tmp_path
    for name in ("HOST", "PORT", "CONFIG_FILE"):
        monkeypatch.setenv(name, "0.0.0.0")  # noqa: S104 - what must not be used
    monkeypatch.setattr(llm_server, "weights_path", lambda: tmp_path / "small.gguf")
    monkeypatch.setattr(os, "nice", lambda by: by)
    monkeypatch.setattr(os, "dup2", lambda log, stream: log)
    ran = []
    monkeypatch.setattr(os, "execve", lambda *args: ran.append(args))
    llm_server.run_server(8123)
    ((program, command, environment),) = ran
    given = dict(itertools.pairwise(command))
    assert program == command[0] == sys.executable
    assert (given["--host"], given["--port"]) == ("127.0.0.1", "8123")
    assert (given["--model"], given["--model_alias"]) == (str(tmp_path / "small.gguf"), "smollm2")
    assert not {"HOST", "PORT", "CONFIG_FILE"} & environment.keys()
    assert llm_server.log_file().stat().st_mode & 0o777 == 0o600


def test_the_packages_of_the_demo_are_pinned_with_those_of_models():
    def pins(name):
        return set((ROOT / name).read_text().split())

    assert pins("requirements-models.txt") <= pins("requirements-llm.txt")
    assert {row.split("==")[0] for row in pins("requirements-llm.txt")} >= {
        *("fastapi", "uvicorn", "pydantic-settings", "sse-starlette", "starlette-context"),
        "diskcache",
    }
