"""doccano under the driver of `benchmarks.cycle`, as one of the sides of a run.

    python -m venv DIR
    DIR/bin/pip install doccano==1.8.4 psycopg2-binary "marshmallow<4" "setuptools<81" "numpy<2"
    python -m benchmarks.cycle --doccano DIR --stages generation --people 50

A sequence-to-sequence project of 10,000 examples with 50 annotators, on the embedded PostgreSQL,
served by gunicorn with two workers of 8 threads and doccano's production settings. A cycle is what
its page asks of the server for one example, and cannot do without: GET the example, GET its texts,
POST two texts, POST that it is confirmed. Its page asks for more (the texts again after each, the
progress after confirming); its HTML and scripts are loaded once and count for nothing.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.crowd import TOKEN, Person, Visitor, run_crowd
from benchmarks.databases import make
from benchmarks.serving import free_port, postmaster, served

DATABASE = "cycle_doccano"
GUNICORN = (
    *("-m", "gunicorn", "config.wsgi", "--preload", "--workers", "2"),
    *("--worker-class", "gthread", "--threads", "8", "--log-level", "warning"),
)
MEMBERS = 50
JSON = (
    "Accept: application/json, text/plain, */*\r\nContent-Type: application/json\r\n"
    f"X-CSRFToken: {TOKEN}\r\n"
)
# Run by doccano's own Django; prints the project and a session for each member.
MAKE = f"""
import json
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from examples.models import Example
from projects.models import Member, ProjectType, Seq2seqProject
from roles.models import Role
admin = User.objects.create_superuser("admin", "admin@example.org", "password")
project = Seq2seqProject.objects.create(name="Bench", description="Bench", created_by=admin,
    project_type=ProjectType.SEQ2SEQ)
Example.objects.bulk_create([
    Example(project=project, text=f"when did the {{n}}th crossing open") for n in range(10_000)
])
role = Role.objects.get(name=settings.ROLE_ANNOTATOR)
sessions = []
for n in range({MEMBERS}):
    user = User.objects.create_user(f"p{{n}}", f"p{{n}}@example.org")
    Member.objects.create(user=user, project=project, role=role)
    client = Client()
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
    sessions.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
print("MADE", json.dumps([project.pk, sessions]))
"""


class Doccano:
    """An installation of doccano with a fresh database."""

    def __init__(self, venv: Path, data: Path) -> None:
        from config import embedded

        self.python = str(venv.resolve() / "bin" / "python")
        [self.backend] = venv.resolve().glob("lib/python*/site-packages/backend")
        os.environ["AMBIT_DATA"] = str(data)
        os.environ.pop(embedded.URL_VARIABLE, None)
        embedded.start_if_wanted()
        address = make(os.environ[embedded.URL_VARIABLE], DATABASE)
        self.postmaster = postmaster(embedded.data_dir())
        self.environment = os.environ | {
            "DATABASE_URL": f"{address}&sslmode=disable",
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "DEBUG": "False",
        }
        for command in (["migrate", "--verbosity", "0"], ["create_roles"]):
            self._manage(*command)
        made = self._manage("shell", "--command", MAKE)
        self.project, sessions = json.loads(made.partition("MADE ")[2])
        self.visitors = [
            Visitor({"sessionid": session, "csrftoken": TOKEN}) for session in sessions
        ]
        self.done: dict[str, int] = {}  # how many examples each member has confirmed

    def _manage(self, *command: str) -> str:
        return subprocess.run(
            [self.python, "manage.py", *command],
            cwd=self.backend,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    async def cycle(self, person: Person) -> bool:
        """Read one example, write two texts, confirm."""
        project, member = f"/v1/projects/{self.project}", person.visitor.cookies["sessionid"]
        offset = self.done.get(member, 0)
        query = f"{project}/examples?limit=1&offset={offset}&q=&confirmed=&ordering="
        examples = await person.ask("example", "GET", query, headers=JSON)
        example = f"{project}/examples/{json.loads(examples.body)['results'][0]['id']}"
        await person.ask("texts", "GET", f"{example}/texts", headers=JSON)
        for words in ("on foot: 25 March 1843", "by train: 7 December 1869"):
            text = json.dumps({"text": f"When did the crossing open {words}"}).encode()
            await self._post(person, "text", f"{example}/texts", text)
        await self._post(person, "confirm", f"{example}/states", b"{}")
        person.crowd.submitted += 1
        self.done[member] = offset + 1
        return True

    async def _post(self, person: Person, kind: str, path: str, body: bytes) -> None:
        reply = await person.ask(kind, "POST", path, body, headers=JSON)
        if reply.status != 201:
            sys.exit(f"doccano answered {reply.status}: {reply.body.decode()[:500]}")

    def run(self, people: int, seconds: float) -> dict[str, Any]:
        """Measure this many people."""
        port = free_port()
        command = [self.python, *GUNICORN, "--bind", f"127.0.0.1:{port}"]
        with served(command, port, cwd=self.backend, env=self.environment) as web:
            return run_crowd(
                port,
                [[visitor] for visitor in self.visitors[:people]],
                self.cycle,
                seconds=seconds,
                warm_up=20 if people == 1 else 4,
                processes={"web": web, "database": self.postmaster},
            )
