"""manage.py wikidata_graph FILE… --name NAME"""

from __future__ import annotations

import json
import sys
import time
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wikipedia.corpora.pool import default_processes
from wikipedia.management.progress import ProgressBar
from wikipedia.search.index import IndexProblem
from wikipedia.wikidata.build import build_graph, find_unfinished
from wikipedia.wikidata.dump import DumpSource
from wikipedia.wikidata.entities import Selection
from wikipedia.wikidata.extracts import DumpProblem, GraphProblem
from wikipedia.wikidata.folders import graph_folder
from wikipedia.wikidata.graph import FILE, Graph
from wikipedia.wikidata.properties import ASKED, BadProperty, parse_properties
from wikipedia.wikidata.sparql import QueryResult
from wikipedia.wikidata.staging import GraphSource


class Command(BaseCommand):
    help = (
        "Make a graph of Wikidata, from which questions with many answers are made: one file of\n"
        "names, statements and types of items, read from the JSON dump in one pass.\n\n"
        "Takes the whole dump or any lines of it, packed with gzip or bzip2 or not; take the .gz,\n"
        "which is unpacked many times as fast. With --sparql the file is the result of a query\n"
        "for one relation instead (the query is docs/relation.rq). Nothing is downloaded.\n\n"
        "If interrupted, run it again with --resume. Exit status 2: a file or an option is at\n"
        "fault, and nothing was changed.\n\n"
        "Examples:\n"
        "  manage.py wikidata_graph latest-all.json.gz --name wikidata-2026\n"
        "  manage.py wikidata_graph crossings.json --sparql --name crossings"
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files", nargs="+", type=Path, metavar="FILE", help="the dump; several parts of it"
        )
        parser.add_argument("--name", required=True, help="name of the graph")
        parser.add_argument(
            "--language", default="en", help="of names, and of the Wikipedia whose titles are kept"
        )
        parser.add_argument(
            "--properties", help="those to keep, such as P177,P144 (default: a list for questions)"
        )
        parser.add_argument(
            "--articles-only", action="store_true",
            help="leave out items without an article: faster, but lists of answers become shorter",
        )  # fmt: skip
        parser.add_argument(
            "--sparql", action="store_true", help="the file is the result of a query, in JSON"
        )
        parser.add_argument(
            "--tolerate", type=int, metavar="N",
            help="lines that may be broken (default: one in a thousand)",
        )  # fmt: skip
        parser.add_argument(
            "--processes", type=int, default=default_processes(),
            help="processes that read entities (default: one a processor; 0: none)",
        )  # fmt: skip
        parser.add_argument(
            "--resume", action="store_true", help="continue a build that was interrupted"
        )
        parser.add_argument("--replace", action="store_true", help="rebuild a graph of this name")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        began, name = time.monotonic(), options["name"]
        try:
            folder = graph_folder(name)
            source = _open_source(options)
        except (GraphProblem, BadProperty) as problem:
            raise CommandError(str(problem), returncode=2) from problem
        about = _find_same(folder, name, source, options)
        made = about is None
        if about is None:
            about = self._build(folder, name, source, options)
        seconds = round(time.monotonic() - began, 2)
        if options["json"]:
            printed = {"name": name, "made": made, **about, "seconds": seconds}
            self.stdout.write(json.dumps(printed))
            return
        for note in about["notes"]:
            self.stderr.write(note)
        self.stdout.write(
            f"{about['items']:,} items, {about['statements']:,} statements and "
            f"{about['properties']:,} properties are in the graph “{name}” ({seconds} s)."
        )

    def _build(
        self, folder: Path, name: str, source: GraphSource, options: dict[str, Any]
    ) -> dict[str, Any]:
        try:
            with ProgressBar(sys.stderr, f"Reading for {name}", "B") as progress:
                return build_graph(
                    folder,
                    source,
                    tolerate=options["tolerate"],
                    anew=options["replace"],
                    progress=progress,
                )
        except DumpProblem as problem:
            raise CommandError(str(problem), returncode=2) from problem
        except (GraphProblem, IndexProblem, OSError) as problem:
            raise CommandError(str(problem), returncode=1) from problem


def _open_source(options: dict[str, Any]) -> GraphSource:
    files, language = options["files"], options["language"]
    if not 0 <= options["processes"] <= 256:
        raise GraphProblem("--processes must be from 0 to 256.")
    if options["tolerate"] is not None and options["tolerate"] < 0:
        raise GraphProblem("--tolerate must be 0 or more.")
    if not language.replace("-", "").isalnum() or not language.islower():
        raise GraphProblem(f"“{language[:40]}” is not the code of a language, such as en or pt-br.")
    if options["sparql"]:
        if len(files) > 1 or options["properties"] or options["articles_only"]:
            raise GraphProblem("--sparql takes one file, and no --properties or --articles-only.")
        return QueryResult(files[0], language)
    chosen = options["properties"]
    properties = frozenset(ASKED) if chosen is None else parse_properties(chosen)
    selection = Selection(language, properties, options["articles_only"])
    return DumpSource(files, selection, processes=options["processes"])


def _find_same(
    folder: Path, name: str, source: GraphSource, options: dict[str, Any]
) -> dict[str, Any] | None:
    """Return what the graph of this name says about itself, if it is the one that is asked for.

    Another content under a used name is refused: questions made from it must stay explicable.
    """
    if options["replace"]:
        return None
    unfinished = find_unfinished(folder)
    if unfinished is not None:
        if not options["resume"]:
            raise CommandError(
                f"“{name}” was begun and is not finished. Continue with --resume, or start again "
                "with --replace.",
                returncode=2,
            )
        if unfinished.recipe != source.recipe:
            raise CommandError(
                f"“{name}” was begun with other files or options. Use those, or start again with "
                "--replace.",
                returncode=2,
            )
        return None
    if not (folder / FILE).is_file():
        return None
    try:
        with Graph(folder / FILE) as graph:
            about: dict[str, Any] = graph.about
    except GraphProblem as problem:
        raise CommandError(str(problem), returncode=2) from problem
    if {key: about.get(key) for key in source.recipe} != source.recipe:
        raise CommandError(
            f"“{name}” was made of other files or with other options. Choose another name, or "
            "rebuild it with --replace.",
            returncode=2,
        )
    return about
