"""manage.py index_vectors SNAPSHOT --encoder minilm"""

from __future__ import annotations

import json
import sys
import time
from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from modeling.base import BadOption, MissingModel
from wikipedia.management.progress import ProgressBar
from wikipedia.search.index import IndexProblem


class Command(BaseCommand):
    help = (
        "Make vectors of all passages of a snapshot or a corpus, for baselines that search by\n"
        "meaning (dense, dpr, and any baseline with --option retriever=dense).\n\n"
        "minilm: a small sentence encoder, installed by “make models”.\n"
        "dpr:    the encoders of DPR (docs/models.md says where they come from).\n"
        "Any other name is a model of the hub that is on this machine, or a folder.\n\n"
        "If interrupted, the command continues where it stopped; running it again changes\n"
        "nothing. Vectors of older passages or of other weights are replaced at the end.\n\n"
        "Example:\n  manage.py index_vectors enwiki-2020-01 --encoder minilm\n\n"
        "Exit status 1: it could not be finished; 2: bad input, or it cannot run here."
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", help="name of the snapshot or corpus")
        parser.add_argument("--encoder", required=True, metavar="NAME", help="minilm, dpr, …")
        parser.add_argument(
            "--index", default="auto", choices=("auto", "flat", "hnsw", "ivf"),
            help="how they are searched (default: what suits their number)",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        from modeling.vectors.building import build_vectors

        began, name, encoder = time.monotonic(), options["snapshot"], options["encoder"]
        if slugify(name) != name:
            raise CommandError(f"There is no snapshot “{name[:60]}”.", returncode=2)
        try:
            with ProgressBar(sys.stderr, f"Reading {name}", "passages") as progress:
                info = build_vectors(name, encoder, kind=options["index"], progress=progress)
        except (BadOption, MissingModel) as problem:
            raise CommandError(str(problem), returncode=2) from None
        except (IndexProblem, OSError) as problem:
            raise CommandError(str(problem), returncode=1) from problem
        seconds = round(time.monotonic() - began, 2)
        if options["json"]:
            facts = {"name": name, "encoder": encoder, "index": info.kind, "passages": info.count}
            self.stdout.write(json.dumps(facts | {"size": info.size, "seconds": seconds}))
            return
        self.stdout.write(
            f"{info.count:,} passages of “{name}” can be searched by their vectors ({encoder}, "
            f"{info.kind}, {seconds} s)."
        )
