"""What a receiver, or whoever owns its name, may try with the machine that sends to it."""

import datetime as dt
import logging
import socket
import threading
import time

import pytest

from annotation.models import AuditEntry, Delivery
from annotation.webhooks import posting
from annotation.webhooks import services as webhooks_services
from tests.annotation.webhooks.test_webhooks import receiver, send, sent, webhook

pytestmark = pytest.mark.django_db
assert all((receiver, sent, webhook))  # fixtures


@pytest.fixture
def dripping():
    """A server that sends a byte of its headers every 20 ms for 6 s; its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(10_000)
                try:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 3)
                    for piece in [b"HTTP/1.1 200 OK\r\nX-Slow: ", *[b"a"] * 300]:
                        connection.sendall(piece)
                        time.sleep(0.02)
                except OSError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join()


@pytest.fixture
def leads_to(monkeypatch):
    """leads_to(address): every name leads there, as its owner may have it at any moment."""

    def lead(address):
        def look_up(host, port, *_, **__):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)

    return lead


def test_headers_that_drip_hold_a_worker_no_longer_than_its_time(
    dripping, project, ada, now, settings, sent, monkeypatch
):
    monkeypatch.setattr(webhooks_services, "SECONDS", 0.5)
    settings.WEBHOOK_HOSTS = [dripping]
    slow = webhooks_services.add_webhook(
        project=project, url=f"http://{dripping}/", by=ada, now=now
    )
    webhooks_services.send_test_message(webhook=slow, by=ada, now=now)
    began = time.monotonic()
    assert send(now) == 0
    assert time.monotonic() - began < 4
    assert "could not be reached" in Delivery.objects.get().problem


def test_a_name_that_leads_to_this_machine_gets_nothing(
    webhook, receiver, project, ada, now, settings, leads_to
):
    port = receiver.server_port
    settings.WEBHOOK_HOSTS.append(f"lab.example:{port}")
    hook = webhooks_services.add_webhook(
        project=project, url=f"http://lab.example:{port}/", by=ada, now=now
    )
    leads_to("127.0.0.1")
    webhooks_services.send_test_message(webhook=hook, by=ada, now=now)
    assert send(now) == 0
    assert receiver.got == []
    assert "never told" in Delivery.objects.get().problem


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("93.184.216.34", True),
        ("10.0.0.5", True),  # the laboratory's own network: the setting names its hosts
        ("fd12::5", True),
        ("64:ff9b::5db8:d822", True),  # NAT64
        ("127.0.0.1", False),
        ("::1", False),
        ("0.0.0.0", False),  # noqa: S104 - where nothing listens
        ("::", False),
        ("169.254.169.254", False),
        ("fe80::1", False),
        ("100.100.100.200", False),
        ("fd00:ec2::254", False),
        ("224.0.0.1", False),
    ],
)
def test_where_a_name_may_lead(address, told):
    assert posting._elsewhere(posting.ipaddress.ip_address(address)) is told


def test_an_address_of_this_machine_leads_nowhere_else():
    address = posting.ipaddress.ip_address
    assert posting._on_this_machine(address("127.0.0.1"))
    assert not posting._on_this_machine(address("169.254.169.254"))


def test_a_silent_address_with_much_to_tell_holds_up_nobody(
    webhook, receiver, project, ada, now, settings
):
    settings.WEBHOOK_HOSTS.append("127.0.0.1:9")
    silent = webhooks_services.add_webhook(
        project=project, url="http://127.0.0.1:9/", by=ada, now=now
    )
    earlier = now - dt.timedelta(hours=1)
    for _ in range(webhooks_services.AT_ONCE + 1):
        webhooks_services.send_test_message(webhook=silent, by=ada, now=earlier)
    webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
    assert send(now) == 1
    assert len(receiver.got) == 1


def test_a_key_in_the_address_is_neither_in_the_log_nor_in_the_list(
    webhook, project, ada, now, settings, caplog
):
    settings.WEBHOOK_HOSTS.append("127.0.0.1:9")
    url = "http://127.0.0.1:9/hooks/s3cret?key=s3cret"
    hook = webhooks_services.add_webhook(project=project, url=url, by=ada, now=now)
    webhooks_services.send_test_message(webhook=hook, by=ada, now=now)
    with caplog.at_level(logging.DEBUG):
        send(now)
    assert "127.0.0.1 cannot be reached" in caplog.text
    assert "s3cret" not in caplog.text
    assert "s3cret" not in Delivery.objects.get().problem
    webhooks_services.stop_webhook(webhook=hook, by=ada, now=now)
    rows = [row.data["url"] for row in AuditEntry.objects.filter(target=f"webhook:{hook.pk}")]
    assert rows == ["http://127.0.0.1:9"] * 2


def test_a_reply_that_is_no_http_is_a_reply_that_failed(project, ada, now, settings, sent):
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}"

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(b"\0\xff\r\n" * 100)

        thread = threading.Thread(target=serve)
        thread.start()
        settings.WEBHOOK_HOSTS = [place]
        hook = webhooks_services.add_webhook(
            project=project, url=f"http://{place}/", by=ada, now=now
        )
        webhooks_services.send_test_message(webhook=hook, by=ada, now=now)
        assert send(now) == 0
        thread.join()
    row = Delivery.objects.get()
    assert "could not be reached" in row.problem
    assert row.due_at > now
