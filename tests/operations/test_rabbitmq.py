"""A real RabbitMQ as broker: it can be reached, its queues are counted, jobs come through it."""

import time

import pytest
from celery import Celery
from django.utils import timezone

from annotation.models import Question
from operations import health, prometheus
from tests.annotation.jobs.test_worker import over, upload, use_broker, worker  # noqa: F401
from tests.operations import rabbitmq

pytestmark = [
    pytest.mark.skipif(
        not rabbitmq.installed(), reason="install Debian's rabbitmq-server to test it as broker"
    ),
    pytest.mark.xdist_group("worker"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with rabbitmq.rabbitmq(tmp_path_factory.mktemp("rabbitmq") / "server") as address:
        yield address


@pytest.fixture
def app(address, monkeypatch):
    """What the pages use to reach the broker."""
    app = Celery("test", broker=address, set_as_current=False)
    app.conf.task_default_queue = "default"
    for module in (health, prometheus):
        monkeypatch.setattr(module, "app", app)
    yield app
    with app.connection_for_write() as connection, connection.channel() as channel:
        channel.queue_delete("default")
    app.close()


def broker():
    [check] = [check for check in health.CHECKS if check.name == "broker"]
    return health.run_check(check)


def lengths():
    [family] = prometheus._queues(timezone.now())
    return {sample.labels["queue"]: sample.value for sample in family.samples}


def test_messages_that_wait_are_counted(app):
    assert broker().sentence == "ok"
    assert lengths() == {"default": 0, "models": 0}  # neither queue is there yet
    for number in range(3):
        app.send_task("annotation.tasks.run_job", kwargs={"job_id": number})
    patience = time.monotonic() + 30
    while lengths() != {"default": 3, "models": 0}:  # RabbitMQ counts a message once it is stored
        assert time.monotonic() < patience, lengths()
        time.sleep(0.1)


@pytest.mark.django_db(transaction=True)
def test_an_import_over_rabbitmq(worker, address, use_broker):  # noqa: F811
    use_broker(broker_url=address)
    job = upload(1_000)
    worker(BROKER_URL=address)
    over(job)
    assert (job.state, job.result["created"]) == ("done", 1_000)
    assert Question.objects.count() == 1_000


def test_one_that_cannot_be_reached_is_down(monkeypatch):
    app = Celery("test", broker="amqp://guest:guest@127.0.0.1:1//", set_as_current=False)
    monkeypatch.setattr(health, "app", app)
    part = broker()
    assert part.state == "down"
    assert "127.0.0.1" not in part.sentence
