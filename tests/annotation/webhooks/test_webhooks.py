"""Webhooks: noted with what they tell, signed, sent again until they are taken."""

import datetime as dt
import doctest
import hashlib
import hmac
import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import queue
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Delivery, Job, Webhook
from annotation.webhooks import services as webhooks_services
from config.env import env_hosts
from tests import factories
from tests.stages.scene import make_scene, taken

pytestmark = pytest.mark.django_db


class Receiver(BaseHTTPRequestHandler):
    """Keeps what it gets, and answers with `status`."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver(settings):
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    server.got, server.status = [], 200
    server.url = f"http://127.0.0.1:{server.server_port}/ambit"
    settings.WEBHOOK_HOSTS = [f"127.0.0.1:{server.server_port}"]
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def sent(monkeypatch):
    """The tasks sent to workers."""
    names = []
    monkeypatch.setattr(queue, "send_task", lambda task, **arguments: names.append(task))
    return names


@pytest.fixture
def webhook(receiver, project, ada, now, sent):
    return webhooks_services.add_webhook(project=project, url=receiver.url, by=ada, now=now)


def told(receiver):
    return [json.loads(body) for _, body in receiver.got]


def send(now):
    return webhooks_services.send_due(clock=lambda: now)


class TestWhatIsTold:
    def test_a_question_once_it_is_accepted(self, receiver, now, sent):
        scene = make_scene("generation", now)
        webhooks_services.add_webhook(
            project=scene.project, url=receiver.url, by=scene.staff, now=now
        )
        work = taken(scene.worker, scene.project, "generation")
        later = now + dt.timedelta(hours=1)
        send(later)
        assert told(receiver) == []
        work.post("submit", scene.example.write(work.fields, "walkers"))
        scene.question.refresh_from_db()
        assert scene.question.state == "accepted"
        assert send(later) == 1
        [message] = told(receiver)
        assert message["event"] == "question.accepted"
        assert message["data"] == {
            "project": scene.project.slug,
            "question": scene.question.external_id,
            "state": "accepted",
        }
        assert scene.worker.name not in json.dumps(message)

    def test_a_job_that_is_done_and_none_that_failed(self, webhook, receiver, project, rosa, now):
        fields = {"project": project, "kind": "import", "created_by": rosa, "created_at": now}
        running = {"state": "running", "attempts": 1, "heartbeat_at": now}
        for state in ("done", "failed"):
            job = Job.objects.create(**fields, **running)
            assert jobs_services.end_job(job=job, state=state, now=now)
        send(now)
        [message] = told(receiver)
        assert message["event"] == "job.done"
        assert message["data"]["kind"] == "import"
        assert message["data"]["project"] == project.slug

    def test_nothing_of_other_projects(self, webhook, receiver, now):
        other = factories.make_project(slug="other")
        by = factories.make_member(other, "researcher")
        job = Job.objects.create(
            project=other, kind="import", state="running", created_by=by, created_at=now
        )
        jobs_services.end_job(job=job, state="done", now=now)
        send(now)
        assert told(receiver) == []


class TestSending:
    def test_it_is_signed(self, webhook, receiver, ada, now):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        assert send(now) == 1
        [(headers, body)] = receiver.got
        at, given = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["Ambit-Signature"]).groups()
        made = hmac.new(webhook.secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
        assert given == made.hexdigest()
        assert int(at) == int(now.timestamp())

    def test_it_is_sent_once_when_it_is_taken(self, webhook, receiver, ada, now):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        assert [send(now), send(now + dt.timedelta(days=2))] == [1, 0]
        assert len(receiver.got) == 1
        assert Delivery.objects.get().outcome == "taken"

    @pytest.mark.parametrize("status", [302, 400, 500])
    def test_it_is_sent_again_with_the_same_id_and_given_up_in_the_end(
        self, webhook, receiver, ada, now, status
    ):
        receiver.status = status
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        at = now
        for pause in (*webhooks_services.PAUSES, None):
            assert send(at) == 0
            row = Delivery.objects.get()
            assert row.problem == f"It answered {status}."
            assert row.due_at == (at + pause if pause else None)
            send(at)  # not before its time
            at += pause or dt.timedelta(days=9)
        assert row.outcome == "given up"
        assert send(at) == 0
        assert len(receiver.got) == len(webhooks_services.PAUSES) + 1
        assert len({message["id"] for message in told(receiver)}) == 1

    def test_an_address_that_is_silent_is_asked_once_and_holds_up_nobody(
        self, webhook, receiver, project, ada, now, settings
    ):
        settings.WEBHOOK_HOSTS += ["127.0.0.1:9"]
        silent = webhooks_services.add_webhook(
            project=project, url="http://127.0.0.1:9/", by=ada, now=now
        )
        for _ in range(2):
            webhooks_services.send_test_message(webhook=silent, by=ada, now=now)
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        assert send(now) == 1
        rows = Delivery.objects.filter(webhook=silent).order_by("pk")
        assert [row.attempts for row in rows] == [1, 0]
        assert rows[0].problem == "It could not be reached (ConnectionError)."

    def test_two_workers_do_not_send_the_same(self, webhook, receiver, ada, now):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        one, other = Delivery.objects.get(), Delivery.objects.get()
        assert webhooks_services._claim(one, now=now)
        assert not webhooks_services._claim(other, now=now)

    def test_a_worker_that_dies_is_followed_by_another(self, webhook, receiver, ada, now):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        assert webhooks_services._claim(Delivery.objects.get(), now=now)
        assert send(now) == 0
        assert send(now + dt.timedelta(minutes=6)) == 1

    def test_a_host_that_is_no_longer_allowed_gets_nothing(
        self, webhook, receiver, ada, now, settings
    ):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        settings.WEBHOOK_HOSTS = []
        assert send(now) == 0
        assert receiver.got == []

    def test_what_is_long_over_is_deleted(self, webhook, receiver, ada, now):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        send(now)
        send(now + dt.timedelta(days=31))
        assert not Delivery.objects.exists()


class TestAddresses:
    @pytest.mark.parametrize(
        ("url", "words"),
        [
            ("lab", "not an address"),
            ("ftp://lab.example/", "not an address"),
            ("javascript:alert(1)", "not an address"),
            ("http://169.254.169.254/latest/", "may not send to 169.254.169.254"),
            ("https://lab.example:9999/", "may not send to lab.example:9999"),
            ("https://lab.example.evil.example/", "may not send"),
            ("https://lab.example@evil.example/", "no name and password"),
            ("https://me:secret@lab.example/", "no name and password"),
            ("https://lab.example\\@evil.example/", "no name and password"),
        ],
    )
    def test_others_than_those_allowed_are_refused(self, project, ada, now, settings, url, words):
        settings.WEBHOOK_HOSTS = ["lab.example"]
        with pytest.raises(Conflict, match=re.escape(words)):
            webhooks_services.add_webhook(project=project, url=url, by=ada, now=now)
        assert not Webhook.objects.exists()

    def test_the_same_address_is_told_once(self, webhook, project, ada, now):
        with pytest.raises(Conflict, match="already"):
            webhooks_services.add_webhook(project=project, url=webhook.url, by=ada, now=now)

    def test_only_admins_decide(self, webhook, project, rosa, now):
        for act in (
            lambda: webhooks_services.add_webhook(
                project=project, url=webhook.url, by=rosa, now=now
            ),
            lambda: webhooks_services.stop_webhook(webhook=webhook, by=rosa, now=now),
            lambda: webhooks_services.send_test_message(webhook=webhook, by=rosa, now=now),
        ):
            with pytest.raises(Denied):
                act()

    def test_one_that_was_removed_gets_nothing_more(self, webhook, receiver, project, ada, now):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
        for _ in range(2):
            webhooks_services.stop_webhook(webhook=webhook, by=ada, now=now)
        assert send(now) == 0
        assert receiver.got == []
        actions = AuditEntry.objects.filter(target=f"webhook:{webhook.pk}").order_by("pk")
        assert [row.action for row in actions] == ["webhook_added", "webhook_stopped"]

    def test_not_even_what_was_noted_while_it_was_being_removed(
        self, webhook, receiver, project, ada, now
    ):
        """By a transaction that had read the address before, or in a backup made before."""
        webhooks_services.stop_webhook(webhook=webhook, by=ada, now=now)
        webhooks_services._note([webhook.pk], Delivery.Event.TEST, [{}], now=now)
        assert send(now) == 0
        assert receiver.got == []
        send(now + webhooks_services.KEEP * 2)
        assert not Delivery.objects.exists()

    def test_settings_are_refused_by_name(self, monkeypatch):
        monkeypatch.setenv("WEBHOOK_HOSTS", "Lab.example, lab.example:8443")
        assert env_hosts("WEBHOOK_HOSTS") == ["lab.example", "lab.example:8443"]
        monkeypatch.setenv("WEBHOOK_HOSTS", "https://lab.example")
        with pytest.raises(Exception, match="WEBHOOK_HOSTS has"):
            env_hosts("WEBHOOK_HOSTS")


class TestThePage:
    def test_the_secret_is_shown_once(self, client, receiver, project, ada, sent):
        client.force_login(ada)
        page = reverse("webhook-list", args=[project.slug])
        answer = client.post(page, {"url": receiver.url})
        assert answer.status_code == 201
        webhook = Webhook.objects.get()
        assert webhook.secret in answer.text
        again = client.get(page).text
        assert webhook.url in again
        assert webhook.secret not in again

    def test_what_was_told_is_listed_with_its_outcome(self, client, webhook, receiver, ada, now):
        client.force_login(ada)
        receiver.status = 500
        test = reverse("webhook-test", args=[webhook.project.slug, webhook.pk])
        assert client.post(test).status_code == 302
        send(now + dt.timedelta(minutes=1))
        page = client.get(reverse("webhook-list", args=[webhook.project.slug])).text
        assert "It answered 500." in page
        assert "Waiting" in page

    def test_a_wrong_address_is_explained(self, client, project, ada):
        client.force_login(ada)
        page = reverse("webhook-list", args=[project.slug])
        answer = client.post(page, {"url": "https://lab.example/"})
        assert answer.status_code == 422
        assert "WEBHOOK_HOSTS" in answer.text


def test_the_example_for_receivers_checks_a_signature():
    page = Path(__file__).resolve().parents[3] / "docs" / "api.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried) == (0, 5)
