"""manage.py uptake PROJECT [--split S] [--json | --csv]"""

from argparse import ArgumentParser
from typing import Any

import orjson

from annotation.management.base import ProjectCommand
from annotation.models import Split
from annotation.stages import registry as stages
from modeling import queries, uptake
from modeling.uptake_wording import list_comparison_tables, list_uptake_rows


class Command(ProjectCommand):
    help = (
        "What people did with suggestions, and how their work differs with and without.\n\n"
        "  manage.py uptake crossings --split train --csv\n\n"
        "--json and --csv give a figure each: stage, system, version, kind, figure, value,\n"
        "low, high, n (number of questions), note. low and high bound the 95 % interval;\n"
        "note says why there is none.\n"
        "Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print a JSON array")
        form.add_argument("--csv", action="store_true", help="print CSV")

    def handle(self, *args: Any, **options: Any) -> None:
        figures = queries.count_project_uptake(self.get_project(options), options["split"] or "")
        if options["json"]:
            self.stdout.write(orjson.dumps(uptake.as_rows(figures)).decode())
        elif options["csv"]:
            self.stdout.write(uptake.as_csv(figures), ending="")
        else:
            self._print(figures)

    def _print(self, figures: list[uptake.Figure]) -> None:
        rows = list_uptake_rows(figures)
        if not rows:
            self.stdout.write("Needs 1 submission in which suggestions were shown.")
        for row in rows:
            name = f"{row.system} {row.version}".strip()
            self.stdout.write(
                f"\n{name}, {stages.label_of(row.stage)}, {row.kind}: {row.shown:,} shown"
            )
            for cell in row.fates:
                self.stdout.write(
                    f"  {cell.label:<30} {cell.count:>7}  {cell.value:>5}  {cell.interval}"
                )
        for table in list_comparison_tables(figures):
            self.stdout.write(
                f"\n{table.system}, {stages.label_of(table.stage)}: with, without, difference"
            )
            for label, *cells in table.lines:
                words = "  ".join(f"{cell.value} ({cell.interval})" for cell in cells)
                self.stdout.write(f"  {label:<30} {words}")
