"""manage.py add_wiki NAME --api URL --as-of DATE"""

from __future__ import annotations

import datetime as dt
import json
from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.registry import provider_for
from wikipedia.snapshots import live
from wikipedia.snapshots.services import SnapshotRefused


class Command(BaseCommand):
    help = (
        "Make a snapshot of a live MediaWiki: its articles as they were on a day, found through "
        "its own search.\nNothing is downloaded or indexed. Public wikis want to know who asks: "
        "set WIKI_USER_AGENT.\n\n"
        "Example:\n  manage.py add_wiki enwiki-2017 --api https://en.wikipedia.org/w/api.php "
        "--as-of 2017-12-31"
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name of this Wikipedia in projects")
        parser.add_argument("--api", required=True, help="the wiki's api.php")
        parser.add_argument(
            "--as-of", required=True, type=_day, help="the day whose articles are shown: 2017-12-31"
        )
        parser.add_argument(
            "--title",
            default="",
            help="title shown to people (default: the wiki's name and the day)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            wiki = live.look_at(options["api"])
            snapshot = live.add_live_snapshot(
                name=options["name"],
                wiki=wiki,
                as_of=options["as_of"],
                title=options["title"],
                now=timezone.now(),
            )
        except SnapshotRefused as problem:
            raise CommandError(str(problem), returncode=2) from problem
        except (ProviderUnavailable, PageMissing) as problem:
            raise CommandError(str(problem), returncode=1) from problem
        searchable = _searches(snapshot)
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {
                        "name": snapshot.name,
                        "title": snapshot.title,
                        "api": snapshot.address,
                        "as_of": snapshot.as_of.isoformat(),
                        "language": snapshot.language,
                        "licence": snapshot.licence,
                        "search": searchable is None,
                    }
                )
            )
        else:
            self.stdout.write(
                f"{snapshot.title} can be read as “{snapshot.name}” ({snapshot.licence})."
            )
        if searchable is not None:
            self.stderr.write(f"Its search does not answer yet: {searchable}")


def _searches(snapshot: Snapshot) -> str | None:
    """Return why the wiki's search fails, or None; a wiki may be added while it is down."""
    try:
        provider_for(snapshot).search("a", limit=1)
    except ProviderUnavailable as problem:
        return str(problem)
    return None


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” is not a date; write it as 2017-12-31") from None
