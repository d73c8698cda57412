"""manage.py index_passages FILE --format jsonl|dpr-tsv --name NAME"""

from __future__ import annotations

import json
import sys
import time
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from wikipedia.index import IndexProblem, build_index, read_info
from wikipedia.progress import Progress
from wikipedia.providers.zim import index_dir
from wikipedia.sources import FORMATS, passage_file


class Command(BaseCommand):
    help = (
        "Index a file of passages for the models (search it with search_wikipedia --passages).\n"
        "jsonl: one object a line with id, title, text. dpr-tsv: id, text, title, as DPR gives\n"
        "them. Either may be packed with gzip. Interrupted, it goes on where it stopped.\n\n"
        "Example:\n  manage.py index_passages psgs_w100.tsv.gz --format dpr-tsv --name wiki-2018"
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", required=True, choices=FORMATS)
        parser.add_argument("--name", required=True, help="how the corpus is called")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        began, name = time.monotonic(), options["name"]
        if not name or slugify(name) != name:
            raise CommandError(
                f"“{name}” cannot name a corpus. Use small letters, digits and hyphens.",
                returncode=2,
            )
        folder = index_dir(name)
        existing = read_info(folder)
        if existing and existing.kind != "passages":
            raise CommandError(
                f"“{name}” is the name of a Wikipedia snapshot. Choose another.", returncode=2
            )
        try:
            source = passage_file(options["file"], options["format"])
        except IndexProblem as problem:
            raise CommandError(str(problem), returncode=2) from problem
        try:
            with Progress(sys.stderr, f"Indexing {name}", "passages") as progress:
                info = build_index(folder, source, progress=progress, batch=50_000)
        except (IndexProblem, OSError) as problem:
            raise CommandError(str(problem), returncode=1) from problem
        seconds = round(time.monotonic() - began, 2)
        if options["json"]:
            self.stdout.write(
                json.dumps({"name": name, "passages": info.passages, "seconds": seconds})
            )
        else:
            self.stdout.write(
                f"{info.passages:,} passages can be searched as “{name}” ({seconds} s)."
            )
