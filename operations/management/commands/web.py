"""manage.py web: the web server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.management import base
from operations import server


class Command(base.Command):
    help = (
        "Serve Ambit's pages and API, until stopped.\n\n"
        "  manage.py web --port 8000 --workers 4\n\n"
        "Behind a proxy on the same machine a socket does as well: --socket /run/ambit.sock."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port (default 8000)")
        parser.add_argument("--socket", type=Path, help="a Unix socket instead of address and port")
        parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
        parser.add_argument(
            "--threads",
            type=int,
            default=server.THREADS,
            help=f"requests at once in a process (default {server.THREADS})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("host", "port", "socket", "workers", "threads")
        server.run_server(**{name: options[name] for name in names})
