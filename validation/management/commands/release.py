"""manage.py release PROJECT --format FORMAT --output FILE|-"""

from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.management.base import DatasetCommand
from annotation.models import Project
from annotation.services.exports.dataset import Dataset
from validation.services.release import Release, every, start_release


class Command(DatasetCommand):
    help = (
        "Release the accepted answers, in the official layout.\n\n"
        "  manage.py release crossings --format ambignq-light --split dev --output dev.json\n\n"
        "With dev.json come dev.json.manifest.json (counts, what is left out and why, SHA-256)\n"
        "and dev.json.card.md (a dataset card): all three or none. With - the data alone goes to\n"
        "standard output. The same rows give the same bytes. Exit status 2: bad input."
    )

    def formats(self) -> list[str]:
        return list(every())

    def start(self, project: Project, options: dict[str, Any]) -> Release:
        return start_release(
            project=project,
            format=options["format"],
            split=options["split"],
            by=None,
            now=timezone.now(),
        )

    def report(self, dataset: Dataset, size: int, target: Path | None) -> None:
        assert isinstance(dataset, Release)
        counts = dataset.counts
        left_out = ", ".join(
            f"{number:,} {reason.replace('_', ' ')}" for reason, number in counts.left_out.items()
        )
        self.stderr.write(
            f"Wrote {target or 'standard output'}: {counts.total:,} questions, {size:,} bytes. "
            f"Left out: {left_out or 'none'}."
        )
