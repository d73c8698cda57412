"""manage.py wikidata_graphs list|card|delete [NAME]"""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import delete_graph, list_graphs, open_graph
from wikipedia.wikidata.properties import ASKED


class Command(BaseCommand):
    help = (
        "List the graphs of Wikidata on this machine, show the relations of one, or delete it.\n\n"
        "  manage.py wikidata_graphs list\n"
        "  manage.py wikidata_graphs card wikidata-2026\n"
        "  manage.py wikidata_graphs delete wikidata-2026\n\n"
        "A card counts, for each property, the values that at least five items have, these items,\n"
        "and those of them that have an article.\n"
        "Questions that were made from a graph stay when it is deleted.\n"
        "--json prints what each says of its files and counts. Exit status 2: there is none."
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("list", "card", "delete"))
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--least", type=int, default=5, help="items that a value needs (card)")
        parser.add_argument("--json", action="store_true", help="print it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["action"] == "list":
                self._list(as_json=options["json"])
            elif options["action"] == "card":
                self._show(options["name"], options["least"], as_json=options["json"])
            else:
                delete_graph(options["name"])
                self.stderr.write(f"Deleted {options['name']}.")
        except GraphProblem as problem:
            raise CommandError(str(problem), returncode=2) from None

    def _list(self, *, as_json: bool) -> None:
        found = []
        for name in list_graphs():
            with open_graph(name) as graph:
                found.append({"name": name, **graph.about})
        if as_json:
            self.stdout.write(json.dumps(found))
            return
        for each in found:
            files = ", ".join(file["name"] for file in each["files"])
            self.stdout.write(
                f"{each['name']}: {each['items']:,} items, {each['statements']:,} statements, "
                f"in {each['language']}, from {files}; {each['hash'][:12]}"
            )
        if not found:
            self.stderr.write("There are no graphs here yet.")

    def _show(self, name: str, least: int, *, as_json: bool) -> None:
        with open_graph(name) as graph:
            names = graph.list_properties()
            counts = [
                {
                    "property": f"P{each.property}",
                    "label": label_of(each.property, names),
                    "subjects": each.subjects,
                    "answers": each.answers,
                    "with_article": each.with_article,
                }
                for each in graph.count_relations(least=least)
            ]
            about = graph.about
        if as_json:
            self.stdout.write(json.dumps({"name": name, **about, "relations": counts}))
            return
        for row in counts:
            self.stdout.write(
                f"{row['property']:>6} {row['label']}: {row['subjects']:,} with "
                f"{row['answers']:,} answers, {row['with_article']:,} with an article"
            )


def label_of(number: int, names: Any) -> str:
    """Return the label of a property: the graph's, else the one of the list of those kept."""
    known = names.get(number)
    return (known.label if known else None) or ASKED.get(number, "")
