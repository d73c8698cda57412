"""manage.py figures PROJECT [REPORT] [--split SPLIT] [--json | --csv | --tex] [-o DIR]"""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.models.projects import Project
from annotation.figures import files, people
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.forms import FilterForm
from annotation.figures.queries import find_stored_panel, find_stored_report
from annotation.figures.registry import Report, find_report, list_reports
from annotation.management.base import ProjectCommand

FORMATS = ("json", "csv", "tex")


class Command(ProjectCommand):
    help = (
        "The figures of a project as its reports have them: of one report, or of all.\n\n"
        "  manage.py figures crossings tables --split dev --tex -o tables\n\n"
        "Figures that are out of date are computed first. Without a format, each panel is listed\n"
        "with its number of rows and what it was made from. With -o each panel becomes a file\n"
        "DIR/REPORT-PANEL.FORMAT; without it, --json prints one object of the reports, by report\n"
        "and panel. People appear under the pseudonyms that exports have. docs/reports.md defines\n"
        "the figures. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("report", nargs="?", help="default: every report of the project")
        parser.add_argument("--split", default="", help="default: all splits")
        parser.add_argument("--since", default="", metavar="DAY", help="first day, in UTC")
        parser.add_argument("--until", default="", metavar="DAY", help="last day, in UTC")
        parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="a folder for files")
        formats = parser.add_mutually_exclusive_group()
        for name in FORMATS:
            formats.add_argument(f"--{name}", action="store_const", const=name, dest="format")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        chosen = [
            (report, _read_filters(project, report, options))
            for report in _choose_reports(project, options["report"])
        ]
        format, folder = options["format"], options["output"]
        if folder and not (format and folder.is_dir()):
            problem = "is no folder" if format else "needs a format: --json, --csv or --tex"
            raise CommandError(f"-o {folder} {problem}.", returncode=2)
        if format not in (None, "json") and not folder:
            raise CommandError(
                f"--{format} writes a file for each panel: add -o DIR.", returncode=2
            )
        panels = self._read_panels(project, chosen)
        if folder:
            self._write_files(project, panels, folder, format)
        elif format:
            self._print_json(project, panels)
        else:
            for report, panel in panels:
                counted = f"{panel['n']:,} {panel['counted']}s, {panel['whole']:,} rows"
                self.stdout.write(f"{report:<12} {panel['key']:<22} {panel['problem'] or counted}")

    def _read_panels(
        self, project: Project, chosen: list[tuple[Report, Filters]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for report, filters in chosen:
            stored = find_stored_report(project, report, filters)
            figures_services.bring_up_to_date(stored, now=timezone.now())
            for entry in report.entries(project):
                panel = find_stored_panel(project, report, filters, entry.key)
                assert panel is not None  # it was stored just now, or was current
                yield report.key, panel

    def _write_files(
        self,
        project: Project,
        panels: Iterator[tuple[str, dict[str, Any]]],
        folder: Path,
        format: str,
    ) -> None:
        _, render = files.FORMATS[format]
        for report, panel in panels:
            path = folder / f"{report}-{panel['key']}.{format}"
            try:
                path.write_bytes(render(panel, people.pseudonymise_people([panel], project)))
            except OSError as error:
                raise CommandError(f"{path} could not be written: {error.strerror}.") from None
            self.stderr.write(f"Wrote {path}")

    def _print_json(self, project: Project, panels: Iterator[tuple[str, dict[str, Any]]]) -> None:
        found: dict[str, dict[str, Any]] = {}
        for report, panel in panels:
            known = people.pseudonymise_people([panel], project)
            found.setdefault(report, {})[panel["key"]] = files.panel_to_records(panel, known)
        self.stdout.write(orjson.dumps(found).decode())


def _choose_reports(project: Project, key: str | None) -> list[Report]:
    reports = list_reports(project)
    if key is None:
        return reports
    if (report := find_report(project, key)) is None:
        names = ", ".join(each.key for each in reports)
        raise CommandError(
            f"{project.slug} has no report {key!r}. Its reports are {names}.", returncode=2
        )
    return [report]


def _read_filters(project: Project, report: Report, options: dict[str, Any]) -> Filters:
    """Return the filters that the report has. One that it was asked for by name has to have all."""
    form = FilterForm(options, project=project, names=report.filters)
    given = {name for name in ("split", "since", "until") if options[name]}
    sentences = [
        f"--{name}: The report {report.key} cannot be narrowed down to it."
        for name in sorted(given - form.fields.keys())
        if options["report"]
    ]
    if not form.is_valid():
        sentences += [
            f"--{name}: {sentence}" for name, errors in form.errors.items() for sentence in errors
        ]
    if sentences:
        raise CommandError("\n".join(sentences), returncode=2)
    return form.filters()
