"""manage.py search_wikipedia NAME QUERY…"""

from __future__ import annotations

import json
import time
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from wikipedia.providers.zim import index_dir
from wikipedia.search.index import IndexProblem, is_outdated, read_info
from wikipedia.search.results import Snippet
from wikipedia.search.searching import MAX_LIMIT, check_index, search_articles, search_passages


class Command(BaseCommand):
    help = (
        "Search a snapshot, or a corpus of passages, by question.\n\n"
        "Examples:\n  manage.py search_wikipedia demo when did the tunnel open --json\n"
        "  manage.py search_wikipedia wiki-2018 --passages --top 3 when did the tunnel open\n"
        "  manage.py search_wikipedia wiki-2018 --passages --top 100 --queries dev.txt --json"
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )
        # The words of a question may come before, between and after the options.
        setattr(parser, "parse_args", parser.parse_intermixed_args)  # noqa: B010
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the snapshot or corpus")
        parser.add_argument("query", nargs="*", help="the question, quoted or not")
        parser.add_argument("--passages", action="store_true", help="passages, not articles")
        parser.add_argument("--top", type=int, default=10, help="how many hits (default 10)")
        parser.add_argument("--queries", type=Path, help="a file with one question a line")
        parser.add_argument("--json", action="store_true", help="one JSON object a question")

    def handle(self, *args: Any, **options: Any) -> None:
        name, queries = options["name"], options["queries"]
        if not 1 <= options["top"] <= MAX_LIMIT:
            raise CommandError(f"--top must be from 1 to {MAX_LIMIT}.", returncode=2)
        if bool(queries) == bool(options["query"]):
            raise CommandError("Give a question, or --queries FILE, not both.", returncode=2)
        folder = index_dir(slugify(name))
        info = read_info(folder)
        if slugify(name) == name and info is None and is_outdated(folder):
            raise CommandError(check_index(folder) or "", returncode=1)
        if slugify(name) != name or info is None:
            known = ", ".join(sorted(_names())) or "none yet"
            raise CommandError(f"There is no index “{name}”. Known: {known}.", returncode=2)
        passages = options["passages"] or info.kind == "passages"
        for query in _lines(queries) if queries else [" ".join(options["query"])]:
            try:
                found = _search(folder, query, passages=passages, top=options["top"])
            except IndexProblem as problem:
                raise CommandError(str(problem), returncode=1) from problem
            meant = found.pop("suggestion")
            if options["json"]:
                self.stdout.write(json.dumps(found, ensure_ascii=False))
                continue
            self.stdout.write(_as_text(found))
            if meant:
                self.stdout.write(f"Did you mean “{meant}”?")


def _search(folder: Path, query: str, *, passages: bool, top: int) -> dict[str, Any]:
    """Return one object per query; scores are sums of BM25, `ms` is the time of the search."""
    began = time.perf_counter()
    rows: list[tuple[str, str, str, float, Snippet]]
    meant = ""
    if passages:
        rows = [
            (hit.id, hit.title, hit.path, hit.score, hit.snippet)
            for hit in search_passages(folder, query, top)
        ]
    else:
        page = search_articles(folder, query, top)
        meant = page.suggestion
        rows = [(hit.path, hit.title, hit.path, hit.score, hit.snippet) for hit in page.hits]
    milliseconds = round((time.perf_counter() - began) * 1000, 2)
    hits = [
        {
            "rank": rank,
            "id": key,
            "title": title,
            "path": path,
            "score": round(score, 4),
            "snippet": "".join(text for text, _ in snippet),
        }
        for rank, (key, title, path, score, snippet) in enumerate(rows, start=1)
    ]
    return {"query": query, "ms": milliseconds, "hits": hits, "suggestion": meant}


def _as_text(found: dict[str, Any]) -> str:
    lines = [f"{found['query']}  ({len(found['hits'])} hits, {found['ms']} ms)"]
    for hit in found["hits"]:
        lines += [f"{hit['rank']:>4}. {hit['title']}  [{hit['id']}]", f"      {hit['snippet']}"]
    return "\n".join(lines)


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as file:
            for line in file:
                if line.strip():
                    yield line.strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}.", returncode=2) from error


def _names() -> list[str]:
    folder = index_dir(".")
    return [item.name for item in folder.iterdir() if read_info(item)] if folder.is_dir() else []
