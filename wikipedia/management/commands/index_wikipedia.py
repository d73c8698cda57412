"""manage.py index_wikipedia FILE.zim --name NAME"""

from __future__ import annotations

import json
import sys
import time
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from wikipedia.archives.zim import ArchiveError
from wikipedia.corpora.pool import default_processes
from wikipedia.management.progress import ProgressBar
from wikipedia.search.index import IndexProblem
from wikipedia.snapshots import services as snapshots_services


class Command(BaseCommand):
    help = (
        "Make a snapshot of a ZIM archive: register it and build its search index of articles and "
        "passages.\nIf interrupted, it continues where it stopped; running it again changes "
        "nothing.\n\n"
        "Example:\n  manage.py index_wikipedia wikipedia_en_all_2020-01.zim --name enwiki-2020-01"
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the .zim archive; it stays where it is")
        parser.add_argument("--name", required=True, help="name of this Wikipedia in projects")
        parser.add_argument(
            "--title", default="", help="title shown to people (default: from the archive)"
        )
        parser.add_argument(
            "--address", default="", help="where its articles live on the web, ending in a slash"
        )
        parser.add_argument(
            "--processes", type=int, default=default_processes(),
            help="processes that read articles (default: one a processor; 0: none)",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        if not 0 <= options["processes"] <= 256:
            raise CommandError("--processes must be from 0 to 256.", returncode=2)
        try:
            snapshot = snapshots_services.create_snapshot(
                name=options["name"],
                archive=options["file"],
                title=options["title"],
                address=options["address"],
                now=timezone.now(),
            )
        except (ArchiveError, snapshots_services.SnapshotRefused) as problem:
            raise CommandError(str(problem), returncode=2) from problem
        try:
            with ProgressBar(sys.stderr, f"Indexing {snapshot.name}", "entries") as progress:
                snapshot = snapshots_services.index_snapshot(
                    snapshot=snapshot, progress=progress, processes=options["processes"]
                )
        except (ArchiveError, IndexProblem, OSError) as problem:
            raise CommandError(str(problem), returncode=1) from problem
        seconds = round(time.monotonic() - began, 2)
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {
                        "name": snapshot.name,
                        "title": snapshot.title,
                        "as_of": snapshot.as_of.isoformat(),
                        "language": snapshot.language,
                        "articles": snapshot.articles,
                        "passages": snapshot.passages,
                        "seconds": seconds,
                    }
                )
            )
        else:
            self.stdout.write(
                f"{snapshot.title}: {snapshot.articles:,} articles and {snapshot.passages:,} "
                f"passages can be searched as “{snapshot.name}” ({seconds} s)."
            )
