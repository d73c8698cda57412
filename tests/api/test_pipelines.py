"""The scripts of docs/pipelines.md do what the page says, over HTTP and by a webhook."""

import hashlib
import hmac
import json
import re
import sys
import zipfile
from http.server import HTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from knox.models import AuthToken

from annotation.jobs import services as jobs_services
from annotation.models import Job, Question, Task
from annotation.webhooks import services as webhooks_services
from annotation.work import tasks
from evaluation.models import Output, System
from tests import factories
from tests.api.test_client import example

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = Path(django_settings.BASE_DIR, "docs/pipelines.md")
ANSWER = {"type": "singleAnswer", "answer": ["1843"]}


@pytest.fixture(scope="session", autouse=True)
def folder_of_static_files():
    """The server looks for it when it starts."""
    django_settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def scripts(monkeypatch):
    """What each script of the page defines, by its name."""
    monkeypatch.setitem(sys.modules, "api_client", example)
    found = {}
    for name, code in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE.read_text(), re.DOTALL):
        found[name] = {"__name__": name}
        exec(compile(code, f"docs/pipelines.md:{name}", "exec"), found[name])  # noqa: S102
    assert set(found) == {"nightly.py", "choose.py", "scores.py"}
    return found


@pytest.fixture
def project(db):
    return factories.make_project(slug="crossings")


@pytest.fixture
def ambit(project, live_server):
    user = factories.make_member(project, "admin", name="Rosa Roe")
    return example.Ambit(live_server.url, AuthToken.objects.create(user)[1])


@pytest.fixture
def work(monkeypatch):
    """Run what waits for a worker whenever a client waits for a job."""

    def work(seconds=0):
        for job in Job.objects.filter(state="queued"):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)

    monkeypatch.setattr(example.time, "sleep", work)
    return work


def bring(ambit, project, work, tmp_path, *numbers):
    """Import questions as finished work, by the API, with a file that is sent."""
    rows = [{"id": f"q{n}", "question": f"When was {n} built?", "annotations": [ANSWER]}
            for n in numbers]  # fmt: skip
    file = tmp_path / "questions.json"
    file.write_bytes(ambit_json(rows))
    where = f"projects/{project.slug}/imports/"
    job = ambit.upload(where, file, format="ambignq", split="dev", finished="true")
    assert ambit.await_job(project.slug, job)["result"]["created"] >= 1


def ambit_json(rows):
    return json.dumps(rows).encode()


def test_each_night_keeps_the_release_once(project, ambit, work, scripts, tmp_path):
    export = scripts["nightly.py"]["export_release"]
    bring(ambit, project, work, tmp_path, 1)
    first = export(ambit, "crossings", "ambignq-light", tmp_path)
    with zipfile.ZipFile(first) as packed:
        assert "README.md" in packed.namelist()
        assert b'"q1"' in packed.read("crossings-ambignq-light.json")
    assert export(ambit, "crossings", "ambignq-light", tmp_path) is None
    bring(ambit, project, work, tmp_path, 1, 2)
    second = export(ambit, "crossings", "ambignq-light", tmp_path)
    assert sorted(tmp_path.glob("*.zip")) == sorted([first, second])
    assert not list(tmp_path.glob("*.part"))


def answer(project, name, **texts):
    """A system with a text for each question."""
    now = timezone.now()
    system = System.objects.create(
        project=project, name=name, version="1", kind=System.Kind.MODEL, created_at=now
    )
    for key, found in texts.items():
        question = Question.objects.get(project=project, external_id=key)
        details = {"answers": found} if isinstance(found, list) else {}
        text = "; ".join(found) if details else found
        Output.objects.create(system=system, question=question, text=text, details=details)


def test_what_systems_disagree_on_is_handed_out_first(project, ambit, scripts):
    now = timezone.now()
    for key in ("same", "half", "none", "unasked"):
        question = factories.make_question(project, external_id=key, split="dev")
        tasks.open_tasks(question_ids=[question.pk], now=now)
    answer(project, "one", same=["A"], half=["a", "b"], none="a")
    answer(project, "two", same=["a "], half=["b"], none="c")
    choose = scripts["choose.py"]["choose_next"]
    assert choose(ambit, "crossings", "dev", ("one", "two"), 2) == ["none", "half"]
    order = Task.objects.filter(question__project=project).order_by("position", "pk")
    assert list(order.values_list("question__external_id", flat=True)) == [
        *("half", "none", "same", "unasked")
    ]
    # One that is no longer chosen goes back, and a second time changes nothing.
    assert choose(ambit, "crossings", "dev", ("one", "two"), 1) == ["none"]
    assert choose(ambit, "crossings", "dev", ("one", "two"), 1) == ["none"]
    assert list(order.values_list("question__external_id", flat=True)) == [
        *("none", "same", "half", "unasked")
    ]
    with pytest.raises(SystemExit, match="no system three"):
        choose(ambit, "crossings", "dev", ("one", "three"), 1)


def test_priorities_are_set_for_all_of_the_questions_or_none(project, ambit):
    factories.make_question(project, external_id="here", split="dev")
    where = "projects/crossings/question-priorities/"
    with pytest.raises(example.Refused, match="no question “gone”") as refused:
        ambit.post(where, priority="first", questions=["here", "gone"])
    assert refused.value.status == 400
    assert Question.objects.get().priority == 0
    assert ambit.post(where, priority="last", questions=["here", "here"]) == {"changed": 1}
    assert ambit.post(where, priority="last", questions=["here"]) == {"changed": 0}
    for bad in ({"priority": "soon", "questions": ["here"]}, {"priority": "last"},
                {"priority": "last", "questions": []}):  # fmt: skip
        with pytest.raises(example.Refused, match="400"):
            ambit.post(where, **bad)
    assert Question.objects.get().priority == 1


def test_an_import_of_answers_is_scored_when_the_webhook_tells(
    project, ambit, work, scripts, settings, tmp_path, capsys
):
    script = scripts["scores.py"]
    bring(ambit, project, work, tmp_path, 1)
    server = HTTPServer(("127.0.0.1", 0), script["Receiver"])
    server.messages = Queue()
    settings.WEBHOOK_HOSTS = [f"127.0.0.1:{server.server_port}"]
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        admin = project.memberships.get(role="admin").user
        address = f"http://127.0.0.1:{server.server_port}/"
        now = timezone.now()
        webhook = webhooks_services.add_webhook(project=project, url=address, by=admin, now=now)
        server.secret = webhook.secret
        file = tmp_path / "answers.json"
        file.write_bytes(ambit_json({"q1": "It was built in 1843."}))
        sent = {"name": "mine", "kind": "model", "version": "1"}
        job = ambit.upload("projects/crossings/outputs/", file, **sent)
        ambit.await_job("crossings", job)
        assert webhooks_services.send_due(clock=timezone.now) == 1
    finally:
        server.shutdown()
        server.server_close()
    message = server.messages.get_nowait()
    for each in (message, message, None):  # a message may come twice
        server.messages.put(each)
    script["work"](ambit, server.messages, "dev")
    [row] = capsys.readouterr().out.splitlines()
    assert json.loads(row)["system"]["text"].startswith("mine")
    other = {"event": "question.accepted", "data": {}}
    assert script["score_after_import"](ambit, other, "dev") is None


def test_messages_of_others_are_not_taken(scripts):
    is_ours = scripts["scores.py"]["is_ours"]
    at, body = 1_795_032_900, b'{"event": "test"}'
    # Made by hand, and written out: what Ambit signs and what the page checks have to agree.
    made = hmac.new(b"s3cret", f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    assert made == "5aae18bc43a065853bfa164475f480b22a5f3e995c0de52bc9243a922d2ddd18"
    known = f"t={at},v1={made}"
    assert is_ours("s3cret", known, body, at + 3)
    assert not is_ours("another", known, body, at + 3)
    assert not is_ours("s3cret", known, body, at + 301)
    assert not is_ours("s3cret", known, b"{}", at + 3)
    assert not is_ours("s3cret", "", body, at + 3)
    assert not is_ours("s3cret", "t,v1=é", body, at + 3)
