"""manage.py fetch_pages PROJECT [TITLE…]"""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.core.models.questions import Split
from annotation.management.base import ProjectCommand
from annotation.reading.visits import pages_named
from wikipedia.articles.services import fetch_page
from wikipedia.html.page import PageMissing
from wikipedia.management.progress import ProgressBar
from wikipedia.models import ShownPage, Snapshot
from wikipedia.providers.base import ProviderUnavailable


class Command(ProjectCommand):
    help = (
        "Fetch and keep pages before anyone reads them. People who are reading have priority.\n\n"
        "  manage.py fetch_pages crossings --split dev\n"
        '  manage.py fetch_pages crossings "Thames Tunnel" "Marc Brunel"\n'
        "  manage.py fetch_pages crossings --revision 817632041\n\n"
        "Without titles: the pages that the imported questions name (viewed_doc_titles,\n"
        "nq_doc_title). What was kept before is not fetched again, so an interrupted run "
        "continues\n"
        "where it stopped. A kept page can be read when the wiki does not answer."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("titles", nargs="*", metavar="title")
        parser.add_argument("--split", choices=Split.values, help="questions of this split only")
        parser.add_argument(
            "--revision",
            type=int,
            action="append",
            default=[],
            metavar="N",
            help="a revision of a live wiki by its number; may be repeated",
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        wanted: list[tuple[str, int | None]] = [(title, None) for title in options["titles"]]
        wanted += [("", number) for number in options["revision"]]
        if not wanted:
            wanted = [(title, None) for title in pages_named(project, split=options["split"])]
        counts = {"fetched": 0, "kept_before": 0, "missing": 0}
        with ProgressBar(sys.stderr, "Pages", "pages") as progress:
            for number, (title, revision) in enumerate(wanted):
                progress(number, len(wanted))
                try:
                    counts[self._fetch(project.snapshot, title, revision)] += 1
                except ProviderUnavailable as problem:
                    raise CommandError(
                        f"Stopped after {number:,} of {len(wanted):,} pages: {problem} "
                        "Run the same command again to continue from there.",
                        returncode=1,
                    ) from problem
        if options["json"]:
            self.stdout.write(json.dumps(counts))
        else:
            self.stdout.write(
                f"{counts['fetched']:,} pages fetched, {counts['kept_before']:,} already kept, "
                f"{counts['missing']:,} not found."
            )

    def _fetch(self, snapshot: Snapshot, title: str, revision: int | None) -> str:
        """Fetch one page and return the outcome as a line."""
        path = "_".join(title.split())
        fetched = ShownPage.objects.filter(snapshot=snapshot, html__isnull=False)
        fetched = fetched.filter(path=path) if revision is None else fetched.filter(rev_id=revision)
        if fetched.exists():
            return "kept_before"
        try:
            fetch_page(snapshot=snapshot, path=path, revision=revision)
        except PageMissing as missing:
            self.stderr.write(str(missing))
            return "missing"
        return "fetched"
