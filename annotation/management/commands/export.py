"""manage.py export PROJECT --format FORMAT --output FILE|-"""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.management.base import DatasetCommand

if TYPE_CHECKING:  # loaded once there is a project to export
    from annotation.exports.services import Export


class Command(DatasetCommand["Export"]):
    help = (
        "Export what was submitted, or the part of it that you choose.\n\n"
        "  manage.py export crossings --format annotations --split dev --output dev.jsonl\n\n"
        "ambignq-light and ambignq (of AmbigQA projects) are JSON arrays with a record per\n"
        "question, judgments-asqa is one with a record per comparison; pages-read is CSV with a\n"
        "line per submission; all others are one JSON object per line. FILE.manifest.json is\n"
        "written next to FILE: both appear or neither does. With - the data alone is written to\n"
        "standard output. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--state", choices=Question.State.values, help="of the question")
        parser.add_argument("--person", help="a pseudonym, as exports have it")
        parser.add_argument("--since", metavar="DAY", help="first day of submission, in UTC")
        parser.add_argument("--until", metavar="DAY", help="last day of submission, in UTC")
        parser.add_argument("--study", metavar="N", help="of judgments: only this study")

    def start(self, project: Project, options: dict[str, Any]) -> "Export":
        from annotation.exports.forms import ExportForm
        from annotation.exports.services import start_export

        form = ExportForm(options, project=project)
        if not form.is_valid():
            sentences = [
                f"--{name}: {sentence}"
                for name, errors in form.errors.items()
                for sentence in errors
            ]
            raise CommandError("\n".join(sentences), returncode=2)
        return start_export(
            project=project,
            format=options["format"],
            chosen=form.selection,
            by=None,
            now=timezone.now(),
        )

    def report_dataset(self, dataset: "Export", size: int, target: Path | None) -> None:
        if target is not None:
            self.stderr.write(f"Wrote {target}: {dataset.records:,} records, {size:,} bytes.")
