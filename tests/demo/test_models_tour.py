"""From two baselines to scores, tables, a study and a release, in each kind of project.

By commands as the docs name them, and by the API alone, from the demo as it is loaded.
"""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from tests import factories

pytestmark = pytest.mark.django_db
# Slug, split, baselines with their options, figure, key of a table of the papers, layout.
TOURS = [
    (
        *("demo-round", "dev", {"bm25": {"top": "5"}, "closest-question": {"train": "dev"}}),
        *("f1_answer", "ambigqa-table-2", "ambignq-light"),
    ),
    (
        *("demo-long", "dev", {"question-x8": {}, "bm25": {}}),
        *("str_em", "asqa-table-3", "asqa"),
    ),
    (
        *("demo-nq", "dev", {"first-paragraph": {}, "closest-question": {"train": "dev"}}),
        *("long.f1", "nq-figure-2", "nq-simplified"),
    ),
    (
        *("demo-lists", "dev", {"bm25": {"top": "20"}, "closest-question": {"train": "test"}}),
        *("f1", "qampari-table-4", "qampari"),
    ),
]
EACH = pytest.mark.parametrize(
    ("slug", "split", "baselines", "figure", "table", "layout"),
    TOURS,
    ids=[row[0] for row in TOURS],
)


@pytest.fixture
def loaded(demo_folder, db, settings, monkeypatch):
    settings.AMBIT_DATA = demo_folder
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


def command(name, *arguments):
    out = io.StringIO()
    call_command(name, *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@EACH
def test_by_commands(loaded, slug, split, baselines, figure, table, layout, tmp_path):
    for key, options in baselines.items():
        given = [f"--option={name}={value}" for name, value in options.items()]
        report = json.loads(
            command("predict", slug, "--system", key, "--split", split, *given, "--json")
        )
        assert report["created"] > 0, report
    scores = {
        row["system"]: row
        for row in json.loads(command("system_scores", slug, "--split", split, "--json"))
    }
    assert set(baselines) <= set(scores)
    having = [name for name in baselines if figure in scores[name]["figures"]]
    assert having
    for name in having:
        found = scores[name]["figures"][figure]
        assert 0 <= found["value"] <= 100
        assert found["low"] is not None or found["note"]
        assert found["signature"]
    panels = json.loads(command("figures", slug, "systems", "--split", split, "--json"))
    board = panels["systems"]["leaderboard"]
    assert {row["system"]["text"].split()[0] for row in board["rows"]} >= set(baselines)
    papers = json.loads(command("figures", slug, "tables", "--json"))["tables"]
    assert papers[table]["rows"]
    target = tmp_path / "released.json"
    command("release", slug, "--format", layout, "--output", str(target))
    assert target.stat().st_size > 100


@EACH
def test_by_the_api(loaded, client_as, slug, split, baselines, figure, table, layout):
    project = Project.objects.get(slug=slug)
    client = client_as(User.objects.get(email="researcher@demo.localhost"))

    def ask(name, *args, body=None, **query):
        address = reverse(name, args=[slug, *args])
        if body is None:
            return client.get(address, query)
        return client.post(address, body, content_type="application/json")

    def work(reply):
        assert reply.status_code == 202, reply.content
        job = Job.objects.get(pk=reply.json()["id"])
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        told = ask("api-job", job.pk).json()
        assert told["state"] == "done", told["problem"]
        return told

    for key, options in baselines.items():
        body = {"baseline": key, "split": split, "options": options}
        assert work(ask("api-predictions", body=body))["result"]["created"] > 0
    work(ask("api-scores", body={"split": split}))
    board = ask("api-report-panel", "systems", "leaderboard", split=split).json()
    assert any(figure in row and row[figure] for row in board["rows"])
    systems = {row["name"]: row["id"] for row in ask("api-systems").json()["results"]}
    assert set(baselines) <= set(systems)
    outputs = ask("api-system-outputs", systems[next(iter(baselines))]).json()["results"]
    assert all(row["text"] for row in outputs)
    made = ask(
        "api-studies",
        body={
            "systems": [systems[name] for name in baselines],
            "split": split,
            "size": 1,
            "raters": 1,
            "repeats": 0,
            "accuracy": False,
        },
    )
    assert made.status_code == 201, made.content
    if not project.memberships.filter(role="judge").exists():
        factories.make_member(project, "judge")
    started = ask("api-study-start", made.json()["id"], body={})
    assert (started.status_code, started.json().get("state")) == (200, "running"), started.content
    assert ask("api-study-close", made.json()["id"], body={}).json()["state"] == "closed"
    released = ask("api-release", layout)
    assert len(b"".join(released.streaming_content)) > 100
