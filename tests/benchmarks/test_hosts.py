"""The rehearsal of several hosts, in short: one is killed, Redis starts anew, nothing is lost."""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import AuditEntry
from benchmarks import hosts
from benchmarks.crowd import Person, Reply, Visitor
from benchmarks.projects import make_people, make_project, new_project, submitted
from config import embedded

HIDDEN = (embedded.URL_VARIABLE, "DATABASE_URL", "REDIS_URL", "BROKER_URL", "STORAGE_URL")


@pytest.mark.redis
@pytest.mark.process
@pytest.mark.patience(5)
@pytest.mark.django_db(transaction=True)
def test_a_host_that_is_killed_takes_nothing_with_it(tmp_path):
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH; install Debian's redis-server")
    figures = tmp_path / "figures.json"
    database = urlsplit(os.environ.get("DATABASE_URL") or os.environ[embedded.URL_VARIABLE])
    database = database._replace(path=f"/{connection.settings_dict['NAME']}")
    words = ["--hosts", "3", "--people", "3", "--tasks", "1000", "--seconds", "8", "--kills", "1"]
    words += ["--database", urlunsplit(database)]
    rehearsal = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.hosts", *words, "--output", str(figures)],
        env={name: value for name, value in os.environ.items() if name not in HIDDEN}
        | {"DJANGO_SETTINGS_MODULE": "tests.benchmarks.hurried"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed, _ = rehearsal.communicate(timeout=1400)
    finally:
        rehearsal.terminate()  # it ends what it has started
        rehearsal.wait(timeout=15)
    assert rehearsal.returncode == 0, printed
    found = json.loads(figures.read_text())
    assert {name: found[name] for name in hosts.WRONG} == dict.fromkeys(hosts.WRONG, 0)
    assert sum(line.endswith("killed") for line in found["happened"]) == 2  # a host and Redis
    assert found["told"] >= 3
    assert found["stored"] >= found["told"]
    # An upload whose answer was lost is sent again: one more job, which finds every question there.
    assert found["jobs_done"] >= found["uploads"] >= 1
    assert found["questions"] == found["uploads"] * hosts.LINES


def test_each_file_has_questions_of_its_own():
    first, kind = hosts.build_upload(0)
    second, _ = hosts.build_upload(hosts.LINES)
    assert kind == "multipart/form-data; boundary=rehearsal"
    names = set()
    for body in (first, second):
        names |= {line for line in body.splitlines() if line.startswith(b"{")}
    assert len(names) == 2 * hosts.LINES


class Silent:
    """A host without processes."""

    def __init__(self, port):
        self.port = port


def test_a_browser_is_led_to_any_of_the_hosts():
    crowd = hosts.Balanced([Silent(1), Silent(2), Silent(3)], random.Random(1))
    assert {crowd.port for _ in range(50)} == {1, 2, 3}
    assert hosts.Patient(crowd, [Visitor({})]).crowd.asked_again == 0


def test_a_submission_whose_answer_was_lost_is_told_once_and_the_person_goes_on(monkeypatch):
    async def ask(person, *rest):
        return Reply(302, {"location": "/work/7/"}, b"")  # “submitted already”

    monkeypatch.setattr(Person, "ask", ask)
    crowd = hosts.Balanced([Silent(1)], random.Random(1))
    person = hosts.Patient(crowd, [Visitor({})])
    person.page = "/work/7/"
    reply = asyncio.run(person.ask("submission", "POST", "/work/7/submit/", b""))
    assert (crowd.told, reply.leads_to) == ([7], "/")


@pytest.mark.django_db
def test_what_is_lost_and_what_is_doubled_is_counted():
    now = timezone.now()
    policy, imported = make_project(5, people=2), new_project("files-1", "ambigqa", now=now)
    submitted(policy, make_people(policy, 1), count=2)  # by rows alone, without an answer
    first, second = policy.assignments.order_by("pk")
    crowd = hosts.Balanced([], random.Random(1))
    crowd.told = [first.pk, second.pk, second.pk + 1]  # the last one was never stored

    def verdict():
        found = hosts.verdict(crowd, policy, imported, [0], 0)
        return {name: found[name] for name in hosts.WRONG if found[name]}

    # One is not there, and two have no answers.
    assert verdict() == {"lost": 3, "questions_wrong": hosts.LINES}

    crowd.told = [first.pk]
    for _ in range(2):
        AuditEntry.objects.create(
            action="assignment_submitted", target=f"assignment:{first.pk}",
            project=policy.project_id, at=now,
        )  # fmt: skip
    assert verdict()["doubled"] == 1
    crowd.told = [first.pk, first.pk]
    assert verdict()["doubled"] == 2
