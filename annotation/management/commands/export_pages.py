"""manage.py export_pages PROJECT --output FILE"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.base import ProjectCommand, clean_up_when_told_to_end
from wikipedia.management.progress import ProgressBar
from wikipedia.models import Snapshot


class Command(ProjectCommand):
    help = (
        "Write the project's Wikipedia as a store of pages: one SQLite file, as DrQA reads.\n\n"
        "  manage.py export_pages crossings --output pages.db\n\n"
        "The table documents(id, text) has the text of each article by its title in Unicode's\n"
        "form NFD, as DrQA's tools look it up. The same archive gives the same\n"
        "pages. A live wiki has no such file. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--output", required=True, metavar="FILE", type=Path)
        parser.add_argument(
            "--processes", type=int, default=0, metavar="N", help="read with N more processes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot, target = self.get_project(options).snapshot, options["output"]
        if snapshot.kind == Snapshot.Kind.LIVE:
            raise CommandError(
                f"“{snapshot.name}” is a live wiki. Only an archive can be written as a store.",
                returncode=2,
            )
        # They load the parsers of archives and of HTML.
        from wikipedia.archives.zim import ArchiveError, open_archive
        from wikipedia.corpora.page_store import write_page_store

        clean_up_when_told_to_end()
        try:
            archive = open_archive(snapshot.archive)
            with ProgressBar(sys.stderr, "Pages", "entries") as progress:
                written = write_page_store(
                    archive, target, processes=options["processes"], on_step=progress
                )
        except ArchiveError as problem:
            raise CommandError(str(problem), returncode=2) from None
        except OSError as error:
            raise CommandError(
                f"{target} could not be written: {error.strerror}.", returncode=2
            ) from None
        self.stderr.write(f"Wrote {target}: {written:,} pages of “{snapshot.name}”.")
