"""manage.py release PROJECT --format FORMAT --output FILE|-"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.exports.dataset import Dataset
from annotation.management.base import DatasetCommand
from annotation.models import Project
from validation.release.services import Release, layouts_by_key, start_release
from validation.release.tables import JSON, PARQUET


class Command(DatasetCommand):
    help = (
        "Release the accepted answers, in the official layout.\n\n"
        "  manage.py release crossings --format ambignq-light --split dev --output dev.json\n\n"
        "With dev.json come dev.json.manifest.json (counts, what is left out and why, SHA-256),\n"
        "dev.json.card.md (a dataset card), dev.json.croissant.json (a description for programs)\n"
        "and a table for each split: all of them or none. With - the data alone goes to standard\n"
        "output, with dev.zip all is one ZIP, which a hub takes as it is when unpacked. The same\n"
        "rows give the same bytes. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--parquet", action="store_true", help="tables as Parquet (extra parquet), not JSON"
        )

    def list_formats(self) -> list[str]:
        return list(layouts_by_key())

    def start(self, project: Project, options: dict[str, Any]) -> Release:
        return start_release(
            project=project,
            format=options["format"],
            split=options["split"],
            by=None,
            now=timezone.now(),
            tables=_tables(options),
        )

    def report_dataset(self, dataset: Dataset, size: int, target: Path | None) -> None:
        assert isinstance(dataset, Release)
        counts = dataset.counts
        left_out = ", ".join(
            f"{number:,} {reason.replace('_', ' ')}" for reason, number in counts.left_out.items()
        )
        self.stderr.write(
            f"Wrote {target or 'standard output'}: {counts.total:,} questions, {size:,} bytes. "
            f"Left out: {left_out or 'none'}."
        )


def _tables(options: dict[str, Any]) -> str | None:
    """Return the kind of the tables; none go to standard output. Raises Conflict."""
    if options["output"] != "-":
        return PARQUET if options["parquet"] else JSON
    if options["parquet"]:
        raise Conflict("Standard output gets the data alone. Name a file to have Parquet, too.")
    return None
