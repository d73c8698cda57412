"""The client in docs/api_client.py does whole questions over HTTP, and nothing but the API."""

import importlib.util
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from knox.models import AuthToken

from annotation.jobs import services as jobs_services
from annotation.models import Annotation, Event, Job, Question
from annotation.work import tasks
from tests import archives, factories
from validation.models import Validation

pytestmark = pytest.mark.django_db(transaction=True)
WALKERS = "When did the Thames Tunnel open to people on foot?"
PAIRS = [
    {"question": "When did it open to walkers?", "short_answers": ["25 March 1843"]},
    {"question": "When was it filled in?", "short_answers": ["31 May 2031"]},
]
TRAINS = "When did the first train run through the Thames Tunnel?"


def load():
    path = Path(django_settings.BASE_DIR, "docs/api_client.py")
    spec = importlib.util.spec_from_file_location("api_client", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = load()


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def folder_of_static_files():
    """The server looks for it when it starts."""
    django_settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def project(db, settings, demo_folder, now):
    snapshot = archives.use(settings, demo_folder, demo_folder / "demo.zim", "demo")
    project = factories.make_project(snapshot=snapshot, slug="crossings")
    project.policies.update(minimum_seconds=0)
    project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    question = factories.make_question(
        project, split="dev", text="When did the Thames Tunnel open?"
    )
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return project


@pytest.fixture
def client_of(project, live_server):
    def client_of(role, name):
        user = factories.make_member(project, role, name=name)
        return example.Ambit(live_server.url, AuthToken.objects.create(user)[1])

    return client_of


def test_a_question_is_answered_and_validated(project, client_of):
    first, second = client_of("annotator", "Ann Ash"), client_of("annotator", "Ben Birch")
    both = {WALKERS: "25 March 1843", TRAINS: "7 December 1869"}
    done = example.annotate(first, "crossings", query="thames tunnel", pairs=both)
    assert done["state"] == "submitted"
    other = {WALKERS: "25 March 1843", "When was it closed?": "1865"}
    assert example.annotate(second, "crossings", query="thames tunnel", pairs=other)
    assert example.annotate(second, "crossings", query="thames tunnel", pairs=other) is None

    annotation = Annotation.objects.order_by("pk").first()
    answers = [answer for pair in annotation.pairs.all() for answer in pair.answers.all()]
    assert [(answer.text, answer.quote.exact) for answer in answers] == [
        ("25 March 1843", "25 March 1843"),
        ("7 December 1869", "7 December 1869"),
    ]
    log = Event.objects.filter(assignment=done["id"]).order_by("pk")
    search, visit = [log.get(kind=kind) for kind in ("search", "page_open")]
    assert (visit.data["search_event"], visit.data["rank"]) == (search.pk, 1)

    validator = client_of("validator", "Vera Vale")
    seen = []
    done = example.validate(validator, "crossings", is_correct=lambda row: seen.append(row) or True)
    assert done["state"] == "submitted"
    assert [quote["exact"] for quote in seen[0]["pairs"][0]["quotes"]] == ["25 March 1843"]
    assert seen[0]["pages"]
    assert "Ash" not in str(seen)
    assert Question.objects.get().state == "accepted"
    assert Validation.objects.get().verdicts.filter(correct=True).count() == 2


def test_what_is_refused_says_why(client_of):
    ambit = client_of("annotator", "Ann Ash")
    with pytest.raises(example.Refused, match="404"):
        ambit.get("projects/elsewhere/")
    with pytest.raises(example.Refused, match="403: Only people with the role validator"):
        example.validate(ambit, "crossings", is_correct=bool)


def test_lists_are_followed_to_their_end(client_of, project):
    for number in range(5):
        factories.make_question(project, external_id=f"q{number}")
    ambit = client_of("researcher", "Rosa Roe")
    rows = list(ambit.every("projects/crossings/questions/?page_size=2"))
    assert len(rows) == 6
    assert [row["slug"] for row in ambit.every("projects/")] == ["crossings"]


def test_baselines_are_run_scored_and_put_before_people(project, client_of, monkeypatch):
    def work(seconds):
        for job in Job.objects.filter(state="queued"):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)

    monkeypatch.setattr(example.time, "sleep", work)
    Question.objects.update(context={"qa_pairs": PAIRS})
    factories.make_member(project, "judge", name="Jan Judge")
    ambit = client_of("researcher", "Rosa Roe")
    offered = ambit.get("projects/crossings/baselines/")["baselines"]
    assert {"question-x8", "bm25"} <= {row["key"] for row in offered if not row["problem"]}
    rows = example.score_baselines(
        ambit, "crossings", "dev", {"question-x8": {}, "bm25": {"top": "3"}}
    )
    scored = {row["system"]["text"].split()[0]: row for row in rows}
    assert scored["bm25"]["str_em"]["value"] == 50.0
    assert scored["question-x8"]["str_em"]["value"] == 0.0
    study = example.compare_by_people(
        ambit, "crossings", "dev", ["bm25", "question-x8"], size=1, raters=1
    )
    assert (study["state"], study["size"]) == ("running", 1)
    systems = list(ambit.every("projects/crossings/systems/"))
    texts = ambit.get(f"projects/crossings/systems/{systems[0]['id']}/outputs/")["results"]
    assert len(texts[0]["details"]["passages"]) == 3
    with pytest.raises(example.Refused, match="409"):
        ambit.delete(f"projects/crossings/systems/{systems[0]['id']}/")


def test_a_job_that_fails_is_said(project, client_of, monkeypatch):
    ambit = client_of("researcher", "Rosa Roe")
    now = timezone.now()
    job = Job.objects.create(
        project=project, kind="predict", state="failed", problem="The model is gone.",
        created_by=factories.make_user(), created_at=now, started_at=now, ended_at=now,
    )  # fmt: skip
    told = ambit.get(f"projects/crossings/jobs/{job.pk}/")
    with pytest.raises(example.Refused, match="The model is gone"):
        ambit.await_job("crossings", told)
