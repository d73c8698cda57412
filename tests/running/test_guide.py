"""The running guide, followed as it stands: from an empty folder to a project with questions.

The blocks run in order, each as a test; whatever comes after them needs all of them.
"""

import json
import re
import shutil
import socket
import ssl
import subprocess
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests
from requests.adapters import HTTPAdapter

from tests.running.machine import HOST, Machine, blocks, skip_unless_possible
from wikipedia.demo.build import build_demo_zim

pytestmark = [pytest.mark.guide, pytest.mark.patience(4), pytest.mark.xdist_group("guide")]
EMAIL = "you@ambit.example"
PASSWORD = "a river without boats"
LARGE = 40_000  # questions; their file is far larger than the megabyte that nginx allows by itself
COLLEAGUE, ATTACKER = "127.0.0.2", "127.0.0.3"


class Followed:
    """A machine on which the first blocks of the guide have been run, each once."""

    def __init__(self, machine):
        self.machine, self.printed = machine, []

    def to(self, count):
        """Run what is left of the first `count` blocks; return what the last one printed."""
        for block in blocks()[len(self.printed) : count]:
            if "index_wikipedia" in block:  # the download
                archive = self.machine.root / "archive.zim"
                build_demo_zim(archive)
                archive.chmod(0o644)
                self.machine.run("cp archive.zim var/lib/ambit/wikipedia.zim")
            if "git -C" in block:  # a new version
                self.machine.run(
                    "cd source && touch deploy/new-file && git add --all && "
                    "git -c user.name=x -c user.email=x@x commit --quiet --message second"
                )
            self.printed.append(self.machine.follow(block))
        return self.printed[count - 1]


@pytest.fixture(scope="module")
def followed():
    skip_unless_possible()
    machine = Machine()
    yield Followed(machine)
    machine.close()


@pytest.fixture
def machine(followed):
    """The machine at the end of the guide."""
    followed.to(len(blocks()))
    return followed.machine


@pytest.mark.parametrize("number", range(len(blocks())))
def test_the_block_can_be_run_as_it_stands(followed, number):
    assert followed.to(number + 1) is not None


class From(HTTPAdapter):
    """Sends requests to nginx from an address of this machine, under the name of the site."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *args, **kwargs):
        named = {"server_hostname": HOST, "assert_hostname": HOST}
        super().init_poolmanager(*args, source_address=(self.address, 0), **named, **kwargs)


class Browser:
    """Somebody's browser, at one address."""

    def __init__(self, machine, address=COLLEAGUE):
        self.site = f"https://127.0.0.1:{machine.ports['443']}"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.mount(self.site, From(address))
        self.session.verify = str(machine.root / "etc/ssl/ambit/fullchain.pem")
        self.session.headers.update({"Host": HOST, "Referer": f"https://{HOST}/"})

    def get(self, path, **options):
        return self.session.get(self.site + path, allow_redirects=False, timeout=60, **options)

    def post(self, path, data, page=None, **options):
        """Send a form with the token of the page that it is on."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(page or path).text)
        return self.session.post(
            self.site + path,
            data | {"csrfmiddlewaretoken": token[1]},
            allow_redirects=False,
            timeout=120,
            **options,
        )

    def sign_in(self, password=PASSWORD, email=EMAIL, **options):
        data = {"login": email, "password": password}
        return self.post("/account/login/", data, **options).status_code


@pytest.fixture
def browser(machine):
    return Browser(machine)


def choose_password(followed, browser):
    """Follow the link that the guide's command printed; return the status of the last page."""
    printed = next(text for text in followed.printed if "choose a password" in text)
    (path,) = re.findall(rf"^https://{re.escape(HOST)}(/\S+)$", printed, re.MULTILINE)
    page = browser.get(path)
    if page.status_code != 302:
        return page.status_code
    form = {"password1": PASSWORD, "password2": PASSWORD}
    return browser.post(page.headers["Location"], form).status_code


@pytest.fixture
def signed_in(followed, browser):
    """The browser of the first administrator, who chose a password in another one."""
    choose_password(followed, Browser(followed.machine))
    assert browser.sign_in() == 302
    return browser


def test_nothing_is_unsafe_about_the_settings(followed, machine):
    prepared = next(text for text in followed.printed if "Applying" in text)
    assert "System check identified no issues" in prepared


def test_the_units_are_what_systemd_understands(machine):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not on PATH")
    folder = machine.root / "units"
    folder.mkdir(exist_ok=True)
    for path in (machine.root / "etc/systemd/system").glob("*.service"):
        (folder / path.name).write_text(machine.moved(path.read_text()))
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["ambit-clock.service", "ambit-web.service", "ambit-worker.service"]
    command = ["systemd-analyze", "verify", "--man=no", *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)

    assert [line for line in done.stderr.splitlines() if "ambit-" in line] == []


def test_http_leads_to_https_which_is_promised_for_this_name_only(machine, browser):
    plain = requests.get(
        f"http://127.0.0.1:{machine.ports['80']}/projects/?x=1",
        headers={"Host": HOST},
        allow_redirects=False,
        timeout=10,
    )
    assert plain.headers["Location"] == f"https://{HOST}/projects/?x=1"

    page = browser.get("/account/login/")
    assert page.status_code == 200
    assert page.headers["Strict-Transport-Security"] == f"max-age={365 * 24 * 3600}"


def test_static_files_have_names_for_ever(browser):
    style = re.search(r'href="(/static/[^"]+\.css)"', browser.get("/account/login/").text)[1]
    assert re.search(r"\.[0-9a-f]{12}\.css$", style)
    assert "immutable" in browser.get(style).headers["Cache-Control"]


def test_the_administrator_has_a_password_and_the_project(followed, signed_in):
    assert choose_password(followed, signed_in) == 410
    people = signed_in.get("/projects/first/people/")
    assert people.status_code == 200
    assert EMAIL in people.text
    assert signed_in.get("/admin/").status_code == 200


def test_wrong_passwords_lock_out_only_the_address_they_come_from(followed, machine):
    """At once, since the limit is for a minute; its number is tested elsewhere."""
    choose_password(followed, Browser(machine))

    def attempt(number):
        # An address that the attacker invents changes nothing.
        invented = {"X-Forwarded-For": f"198.51.100.{number}"}
        attacker = Browser(machine, ATTACKER)
        return attacker.sign_in("wrong", f"x{number}@example.org", headers=invented)

    with ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(attempt, range(24)))

    assert statuses == {422, 429}
    assert Browser(machine, COLLEAGUE).sign_in() == 302


def test_a_large_file_is_imported_by_the_worker(machine, signed_in):
    lines = [{"id": f"q{n}", "question": f"who built bridge number {n}"} for n in range(LARGE)]
    content = "\n".join(json.dumps(line) for line in lines).encode()
    assert len(content) > 2 * 1024**2
    form = {"format": "jsonl", "split": "dev"}

    sent = signed_in.post(
        "/projects/first/import/",
        form,
        page="/projects/first/",
        files={"file": ("many.jsonl", content)},
    )

    assert sent.status_code == 302, sent.text[:2000]
    deadline = time.monotonic() + 240
    while f"{LARGE:,}" not in (page := signed_in.get(sent.headers["Location"]).text):
        assert time.monotonic() < deadline, machine.log("ambit-worker")[-3000:]
        time.sleep(1)
    assert "Failed" not in page


@contextmanager
def begun(machine, size):
    """A request of this size of which only the head has been sent."""
    trusted = ssl.create_default_context(cafile=machine.root / "etc/ssl/ambit/fullchain.pem")
    with (
        socket.create_connection(("127.0.0.1", machine.ports["443"]), timeout=30) as plain,
        trusted.wrap_socket(plain, server_hostname=HOST) as connection,
    ):
        head = f"POST /account/login/ HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {size}\r\n\r\n"
        connection.sendall(head.encode())
        yield connection


def test_a_body_beyond_the_limit_is_refused_by_the_proxy_at_once(machine):
    with begun(machine, 600 * 1024**2) as connection:
        assert connection.recv(12) == b"HTTP/1.1 413"


def test_slow_uploads_leave_the_web_server_free(machine, browser):
    """Of two processes with eight threads each."""
    with ExitStack() as uploads:
        for _ in range(40):
            uploads.enter_context(begun(machine, 1_000_000)).sendall(b"x" * 20_000)
        assert browser.get("/account/login/").status_code == 200


def test_the_proxy_passes_no_figures_on(browser):
    answer = browser.get("/metrics")
    assert (answer.status_code, "<center>nginx" in answer.text) == (404, True)


def test_everything_is_usable_at_the_end(signed_in):
    health = signed_in.get("/healthz")
    assert health.json()["status"] == "ok", health.text


def test_the_new_version_runs_and_the_clock_ticks(machine):
    assert (machine.root / "srv/ambit/deploy/new-file").exists()
    deadline = time.monotonic() + 120
    while "Sending due task" not in machine.log("ambit-clock"):
        assert time.monotonic() < deadline, machine.log("ambit-clock")
        time.sleep(1)
    for name in ("ambit-web", "ambit-worker", "ambit-clock"):
        assert "Traceback" not in machine.log(name)


def test_the_backup_holds_the_project(machine):
    (path,) = (machine.root / "var/backups/ambit").glob("*.zip")
    assert {"manifest.json", "database.dump"} <= set(zipfile.ZipFile(path).namelist())


def test_what_others_on_the_machine_may_not_read(machine):
    for name in (
        *("etc/ambit/secret_key", "etc/ambit/pseudonym_key", "etc/ambit/redis_password"),
        "etc/ssl/ambit/privkey.pem",
    ):
        assert (machine.root / name).stat().st_mode & 0o007 == 0, name
    for name in ("etc/ambit", "var/lib/ambit"):
        assert (machine.root / name).stat().st_mode & 0o777 == 0o750, name


def test_others_on_the_machine_can_neither_read_nor_write_in_redis(machine):
    with socket.create_connection(("127.0.0.1", machine.ports["6379"]), timeout=10) as connection:
        connection.sendall(b"SET key value\r\n")
        assert connection.recv(100).startswith(b"-NOAUTH")


def test_only_this_machine_can_reach_what_listens(machine):
    """nginx listens for everyone outside of tests, and PostgreSQL on a socket only."""
    tables = "".join(Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6"))
    for port in machine.ports.values():
        listening = re.findall(rf"(\S+):{port:04X} \S+ 0A ", tables)
        assert set(listening) == {"0100007F"}
