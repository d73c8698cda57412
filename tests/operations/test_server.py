"""The web server as a process of its own: what it refuses, how it ends, what it holds on to."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.serving import free_port, served

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
# Served in place of Ambit's own pages, in one process with two threads.
PROGRAM = """
import json, os, re, sys, threading, time
import config.wsgi
from django.db import connection
from pathlib import Path

folder = Path(sys.argv[2])

def blocks():
    try:
        while True:
            yield b"x" * 65536
    finally:
        (folder / "closed").write_text("")

def broken():
    yield b"half"
    raise ValueError("broken")

def application(environ, start_response):
    name, body = environ["PATH_INFO"].strip("/"), b"ok"
    if name.startswith("environ"):
        body = json.dumps({k: v for k, v in environ.items() if isinstance(v, str)}).encode()
    elif name == "sent":
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    elif name == "database":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            body = f"{threading.get_ident()} {cursor.fetchone()[0]}".encode()
    elif name == "slow":
        (folder / "begun").write_text("")
        time.sleep(1)
    elif name == "die":
        os._exit(9)
    elif name == "stuck":
        re.match("(a+)+b", "a" * 60)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return {"endless": blocks, "broken": broken}.get(name, lambda: [body])()

config.wsgi.application = application
from operations import server
server.run_server(port=int(sys.argv[1]), workers=1, threads=2, stuck_seconds=2)
"""


class Server:
    """A running server, and the lines it wrote."""

    def __init__(self, port, pid, folder):
        self.port, self.pid, self.folder = port, pid, folder

    @property
    def lines(self):
        return (self.folder / "lines").read_text()

    def send(self, request, timeout=20):
        """Return a connection on which the request was sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection.sendall(request)
        return connection

    def ask(self, path, *headers, method="GET", body=b""):
        """Return the status line and the body of the reply; nothing if the connection was cut."""
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, ""]
        try:
            with self.send("\r\n".join([*lines, ""]).encode() + body) as connection:
                head, _, rest = connection.makefile("rb").read().partition(b"\r\n\r\n")
        except ConnectionError:
            return "", b""
        return head.decode().split("\r\n")[0], rest

    def wait_for(self, name):
        """Wait until the application has written this file."""
        until(lambda: (self.folder / name).exists())


def until(condition):
    """Wait until the condition holds."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def run(folder):
    """Run a server until the generator is closed."""
    port = free_port()
    command = [sys.executable, "-c", PROGRAM, str(port), str(folder)]
    environment = os.environ | {"DEBUG": "True"}  # no files with hashed names are needed
    with (
        (folder / "lines").open("w") as lines,
        served(command, port, cwd=ROOT, env=environment, stdout=lines, stderr=lines) as pid,
    ):
        yield Server(port, pid, folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server for tests that leave it as it was."""
    yield from run(tmp_path_factory.mktemp("server"))


@pytest.fixture
def own_server(tmp_path):
    """A server that the test may end."""
    yield from run(tmp_path)


def test_a_forwarded_address_or_scheme_is_not_believed_by_the_server(server):
    """Whether a proxy is believed is decided by the settings."""
    reply = server.ask(
        "/environ/%C3%A9%FF?a=%20b",
        *("X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https", "X_Forwarded_For: 5.6.7.8"),
        *("Cookie: a=1", "Cookie: b=2", "X-Name: Zoë"),
    )

    assert json.loads(reply[1]) == {
        "HTTP_CONNECTION": "close",
        "HTTP_COOKIE": "a=1; b=2",
        "HTTP_HOST": "localhost",
        "HTTP_X_FORWARDED_FOR": "1.2.3.4",
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_X_NAME": "ZoÃ«",  # its bytes, as WSGI says
        "PATH_INFO": "/environ/Ã©ÿ",
        "QUERY_STRING": "a=%20b",
        "REMOTE_ADDR": "127.0.0.1",
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": str(server.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
    }


@pytest.mark.parametrize(
    ("path", "header", "status"),
    [
        ("/", f"Cookie: {'a' * 40_000}", "200 OK"),
        ("/", f"Cookie: {'a' * 200_000}", "431 Request Header Fields Too Large"),
        ("/" + "a" * 70_000, "Accept: */*", "414 URI Too Long"),
        ("/", "Content-Length: 1\r\nContent-Length: 2", "400 Bad Request"),
    ],
)
def test_a_head_that_is_too_large_or_ambiguous_is_refused(server, path, header, status):
    assert server.ask(path, header)[0] == f"HTTP/1.1 {status}"


def test_a_body_arrives_whole_and_head_sends_none(server):
    body = b"\n\xff" * 300_000

    sent = server.ask("/sent", f"Content-Length: {len(body)}", method="POST", body=body)

    assert sent == ("HTTP/1.1 200 OK", body)
    assert server.ask("/", method="HEAD") == ("HTTP/1.1 200 OK", b"")


def test_bodies_that_trickle_hold_no_thread(server):
    """Two threads, 200 short bodies and one long one that never end."""
    head = "POST /sent HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
    lengths = [5000] * 200 + [1_000_000]
    slow = [server.send(f"{head}{length}\r\n\r\na".encode()) for length in lengths]
    for _ in range(3):
        for connection in slow:
            connection.sendall(b"a")
        assert server.ask("/") == ("HTTP/1.1 200 OK", b"ok")
        sent = server.ask("/sent", "Content-Length: 5000", method="POST", body=b"b" * 5000)
        assert sent == ("HTTP/1.1 200 OK", b"b" * 5000)
    for connection, length in zip(slow[-2:], lengths[-2:], strict=True):  # they are whole at last
        connection.sendall(b"a" * (length - 4))
        assert connection.makefile("rb").read().count(b"a") >= length
    for connection in slow:
        connection.close()
    assert server.ask("/") == ("HTTP/1.1 200 OK", b"ok")


def test_a_reply_that_breaks_off_is_not_taken_for_a_whole_one(server):
    with server.send(b"GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection:
        reply = connection.makefile("rb").read()
    assert reply.endswith(b"half\r\n")  # and not with the end of a chunked body
    until(lambda: "ValueError: broken" in server.lines)


def test_a_thread_keeps_its_connection_to_the_database(server):
    pairs = [server.ask("/database")[1].split() for _ in range(20)]

    assert len({tuple(pair) for pair in pairs}) == len({thread for thread, _ in pairs}) <= 2


def test_a_download_that_no_one_reads_leaves_the_other_thread_and_ends_with_its_reader(server):
    reader = server.send(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
    reader.recv(1)

    assert [server.ask("/")[1] for _ in range(5)] == [b"ok"] * 5
    assert not (server.folder / "closed").exists()
    reader.close()
    server.wait_for("closed")


def test_a_stop_ends_what_runs_and_takes_nothing_new(own_server):
    with own_server.send(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n") as running:
        own_server.wait_for("begun")
        os.kill(own_server.pid, signal.SIGTERM)

        assert running.recv(17) == b"HTTP/1.1 200 OK\r\n"
    until(lambda: not listens(own_server.port))
    # What it says while all is well can be turned off.
    assert [line for line in own_server.lines.splitlines() if " INFO " not in line] == []


def listens(port):
    """Say whether somebody listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(("path", "line"), [("/die", ""), ("/stuck", "Timeout (0:00:02)!")])
def test_a_process_that_ends_or_hangs_is_replaced(own_server, path, line):
    assert own_server.ask(path) == ("", b"")

    until(lambda: own_server.ask("/") == ("HTTP/1.1 200 OK", b"ok"))
    assert "Unexpected exit from worker-1" in own_server.lines
    assert line in own_server.lines


def test_a_socket_serves_as_well(tmp_path):
    path = tmp_path / "ambit.sock"
    command = [sys.executable, "manage.py", "web", "--socket", str(path), "--workers", "1"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as server:
        until(lambda: status_at(path) == b"HTTP/1.0 ")
        server.terminate()
    assert server.returncode == 0


def status_at(path):
    """Return how the reply of the sign-in page begins, on a Unix socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        if connection.connect_ex(str(path)):
            return b""
        connection.sendall(b"GET /account/login/ HTTP/1.0\r\nHost: localhost\r\n\r\n")
        return connection.recv(9)
