"""manage.py demo: what `make demo` runs."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config import embedded
from config.env import env_int
from demo import llm_server
from demo.introduction import introduce_demo
from demo.management.commands.load_demo import add_reset_arguments
from demo.people import PEOPLE, get_demo_password
from operations import server
from operations.management.commands import worker
from operations.processes import Supervisor, port_is_free

START_SECONDS = 60


def build_worker_jobs(model_port: int = 0) -> dict[str, Callable[[], object]]:
    """Return the workers. Jobs with models have their own, one at a time, where there can be any.

    model_port: of the language model that they wait for, 0 for none.
    """
    start = partial(call_command, "worker", loglevel="WARNING")
    if not (settings.LLM_URL or find_spec("torch")):  # then such jobs only say what is missing
        return {"The worker": partial(start, queues="default,models")}

    def start_models() -> None:
        os.nice(5)
        if model_port:
            llm_server.wait_until_ready(model_port)
        start(queues="models", concurrency=1, no_clock=True)

    return {
        "The worker": partial(start, queues="default"),
        "The worker for models": start_models,
    }


class Command(BaseCommand):
    help = (
        "Load the demo, then serve it with a worker until Ctrl-C. Port: AMBIT_PORT (8000). "
        "--models also runs baselines with weights (docs/models.md). "
        "Example: AMBIT_PORT=8080 manage.py demo"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--models", action="store_true", help="with baselines that have weights"
        )
        add_reset_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        port = env_int("AMBIT_PORT", 8000, least=1, most=65535)
        if not port_is_free(port):
            raise CommandError(
                f"Port {port} is taken. Stop what uses it, or choose another: "
                f"AMBIT_PORT={port + 1} make demo",
                returncode=2,
            )
        introduce_demo()
        model_port = self._model_port() if options["models"] else 0
        manage = str(settings.BASE_DIR / "manage.py")
        # In a process of its own, so that the memory for loading (archives, indexes) is freed.
        chosen = [f"--{name}" for name in ("models", "reset", "everything") if options[name]]
        connections.close_all()  # what it opened would look like an Ambit that runs
        load = [sys.executable, manage, "load_demo", "--quiet"]
        loaded = subprocess.run(load + chosen)  # noqa: S603 - ours
        if loaded.returncode:
            raise CommandError("The demo could not be loaded. The lines above say why.")
        self._collect_static(manage)
        if "LOG_LEVEL" not in os.environ:
            root: Any = settings.LOGGING["root"]  # each part sets logging up from this again
            root["level"] = "WARNING"
        server.preload_app()
        worker.preload_worker()
        jobs: dict[str, Callable[[], object]]
        jobs = {
            "The web server": partial(server.run_server, port=port),
            **build_worker_jobs(model_port),
        }
        if model_port:
            jobs[llm_server.LABEL] = partial(llm_server.run_server, model_port)
        supervisor = Supervisor(jobs)
        ended = supervisor.run(
            lambda: self._announce(port, supervisor, options["models"]),
            watch=embedded.restart_if_dead if settings.EMBEDDED else lambda: None,
        )
        if ended:
            own = ended.startswith(llm_server.LABEL)
            where = f"in {llm_server.log_file()}" if own else "above"
            raise CommandError(f"{ended}. Its last lines {where} say why.")
        self.stdout.write("Stopped. Your data is kept.")

    def _model_port(self) -> int:
        """Return on which port a language model is to be served, 0 where there is one already."""
        if missing := llm_server.list_missing_packages():
            raise CommandError(
                f"Packages are missing: {', '.join(missing)}. Start it with make demo MODELS=1, "
                "which installs them.",
                returncode=2,
            )
        if settings.LLM_URL:
            return 0
        port = llm_server.free_port()
        llm_server.announce_server(port)
        return port

    def _collect_static(self, manage: str) -> None:
        """Collect only if a file changed, since hashing and compressing takes seconds."""
        stamp = Path(settings.STATIC_ROOT) / ".stamp"
        newest = max(path.stat().st_mtime for path in (settings.BASE_DIR / "static").rglob("*"))
        if stamp.exists() and stamp.stat().st_mtime >= newest:
            return
        collect = [sys.executable, manage, "collectstatic", "--no-input", "--clear", "-v", "0"]
        subprocess.run(collect, check=True)  # noqa: S603 - our own command
        stamp.touch()

    def _announce(self, port: int, supervisor: Supervisor, models: bool) -> None:
        url = f"http://127.0.0.1:{port}/"
        deadline = time.monotonic() + START_SECONDS
        while supervisor.is_alive() and not self._ready(url):
            if time.monotonic() > deadline:
                raise CommandError(f"The server did not become ready; see {url}healthz.")
            time.sleep(0.2)
        if not supervisor.is_alive():
            return
        lines = [
            "",
            f"  Ambit runs at {url}",
            "",
            *(f"    {person.email:28} {person.name}" for person in PEOPLE),
            "",
            f"    Password for all of them: {get_demo_password()}",
            "",
            *([f"  Models answer meanwhile: {url}projects/demo-long/systems/scores/", ""] * models),
            "  Ctrl-C stops everything; your data is kept.",
            "",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()

    def _ready(self, url: str) -> bool:
        try:
            with urllib.request.urlopen(f"{url}readyz", timeout=2) as reply:  # noqa: S310 - ours
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False
