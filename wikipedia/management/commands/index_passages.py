"""manage.py index_passages FILE… --format wiki-xml|dpr-tsv|jsonl|zim --name NAME"""

from __future__ import annotations

import json
import sys
import time
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from wikipedia.corpora.corpus import FORMATS, DumpSource, open_corpus
from wikipedia.corpora.pool import default_processes
from wikipedia.management.progress import ProgressBar
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import (
    IndexInfo,
    IndexProblem,
    Source,
    build_index,
    find_unfinished_build,
    read_info,
)

_BATCH: Final = {"wiki-xml": 10_000, "dpr-tsv": 50_000, "jsonl": 50_000, "zim": 10_000}
_UNIT: Final = {"wiki-xml": "pages", "zim": "entries"}
_OURS: Final = ("passages", DumpSource.kind)


class Command(BaseCommand):
    help = (
        "Index passages of at most 100 words for the models (search_wikipedia --passages).\n\n"
        "wiki-xml: a MediaWiki dump, pages-articles*.xml.bz2, in one file or several parts.\n"
        "dpr-tsv:  id, text, title, as in DPR's psgs_w100.tsv.\n"
        "jsonl:    one object a line with id, title, text.\n"
        "zim:      the articles of a ZIM archive.\n\n"
        "Dumps may be packed with bzip2 or gzip, passages with gzip. If interrupted, the\n"
        "command continues where it stopped; running it again changes nothing.\n\n"
        "Examples:\n"
        "  manage.py index_passages enwiki-20181220-pages-articles.xml.bz2 --format wiki-xml "
        "--name wiki-2018\n"
        "  manage.py index_passages psgs_w100.tsv.gz --format dpr-tsv --name dpr"
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help="the file; the parts of a dump in order"
        )
        parser.add_argument("--format", required=True, choices=FORMATS)
        parser.add_argument("--name", required=True, help="name of the corpus")
        parser.add_argument(
            "--keep-lists", action="store_true",
            help="keep list articles, disambiguation pages and list items (wiki-xml, zim)",
        )  # fmt: skip
        parser.add_argument(
            "--processes", type=int, default=default_processes(),
            help="processes that read wikitext or HTML (default: one a processor; 0: none)",
        )  # fmt: skip
        parser.add_argument("--replace", action="store_true", help="rebuild a corpus of this name")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        began, name = time.monotonic(), options["name"]
        folder = _checked_folder(name, options["processes"])
        try:
            with ProgressBar(sys.stderr, "Checking the files", "B") as checking:
                source = open_corpus(
                    options["files"],
                    options["format"],
                    lists=options["keep_lists"],
                    processes=options["processes"],
                    checking=checking,
                )
        except IndexProblem as problem:
            raise CommandError(str(problem), returncode=2) from problem
        if not options["replace"]:
            _check_same(folder, name, source)
        try:
            info = _build(folder, name, source, options["format"])
        except (IndexProblem, OSError) as problem:
            raise CommandError(str(problem), returncode=1) from problem
        self._report(name, info, source, round(time.monotonic() - began, 2), options["json"])

    def _report(
        self, name: str, info: IndexInfo, source: Source, seconds: float, as_json: bool
    ) -> None:
        left_out = getattr(source, "left_out", 0)
        if as_json:
            made = {
                "name": name, "articles": info.articles, "passages": info.passages,
                "left_out": left_out, "seconds": seconds,
            }  # fmt: skip
            self.stdout.write(json.dumps(made))
            return
        self.stdout.write(f"{info.passages:,} passages can be searched as “{name}” ({seconds} s).")
        if left_out:
            self.stderr.write(f"{left_out:,} pages are too long to be articles and were left out.")


def _checked_folder(name: str, processes: int) -> Path:
    if not name or slugify(name) != name:
        raise CommandError(
            f"“{name}” is not a valid name for a corpus. Use small letters, digits and hyphens.",
            returncode=2,
        )
    if not 0 <= processes <= 256:
        raise CommandError("--processes must be from 0 to 256.", returncode=2)
    folder = index_dir(name)
    existing, stopped = read_info(folder), find_unfinished_build(folder)
    kinds = [existing.kind] if existing else []
    if any(kind not in _OURS for kind in [*kinds, *(stopped or ())[:1]]):
        raise CommandError(
            f"“{name}” is the name of a Wikipedia snapshot. Choose another.", returncode=2
        )
    return folder


def _check_same(folder: Path, name: str, source: Source) -> None:
    """Refuse another content under a used name: results made with it must stay explicable."""
    wanted = (source.kind, source.fingerprint)
    existing, stopped = read_info(folder), find_unfinished_build(folder)
    if existing and (existing.kind, existing.fingerprint) != wanted:
        raise CommandError(
            f"“{name}” was made of other files or with other options. Choose another name, or "
            f"rebuild it with --replace.",
            returncode=2,
        )
    if stopped and stopped != wanted:
        raise CommandError(
            f"“{name}” was begun with other files or options and is not finished. Use those, or "
            f"start again with --replace.",
            returncode=2,
        )


def _build(folder: Path, name: str, source: Source, file_format: str) -> IndexInfo:
    with (
        ProgressBar(sys.stderr, f"Reading {name} for redirects", "B") as preparing,
        ProgressBar(sys.stderr, f"Indexing {name}", _UNIT.get(file_format, "passages")) as progress,
    ):
        info = build_index(
            folder, source, progress=progress, preparing=preparing, batch=_BATCH[file_format]
        )
    if not info.passages:
        raise IndexProblem(f"“{name}” holds no passages: the files hold no articles with text.")
    return info
