"""manage.py trained [list|card|delete] [NAME]"""

import json
import shutil
from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError

from annotation.management.base import Command as BaseCommand
from modeling.base import BadOption
from modeling.training.cotraining_files import delete_cotrained_run
from modeling.weights import PROVENANCE, TRAINED, list_trained, run_folder, trained_folder


class Command(BaseCommand):
    help = (
        "List the weights that were trained here, show the card of some, or delete them.\n\n"
        "  manage.py trained list\n"
        "  manage.py trained card our-ambiguity\n"
        "  manage.py trained delete our-ambiguity\n\n"
        "Deleting takes the run with its examples as well. What baselines have answered with\n"
        "deleted weights stays; they cannot be run again.\n"
        "--json prints what training.json says of each. Exit status 2: there are none like that."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=("list", "card", "delete"))
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--json", action="store_true", help="print it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "list":
            self._list(as_json=options["json"])
            return
        try:
            folder = trained_folder(options["name"].removeprefix(TRAINED))
        except BadOption as problem:
            raise CommandError(str(problem), returncode=2) from None
        if not (folder / PROVENANCE).is_file():
            there = ", ".join(list_trained()) or "none"
            raise CommandError(
                f"No weights of the name {folder.name} were trained here. There are: {there}.",
                returncode=2,
            )
        if options["action"] == "card":
            name = PROVENANCE if options["json"] else "README.md"
            self.stdout.write((folder / name).read_text(encoding="utf-8"))
            return
        shutil.rmtree(folder)
        # The run has the examples, which are what people wrote.
        shutil.rmtree(run_folder(folder.name), ignore_errors=True)
        delete_cotrained_run(folder.name)
        self.stderr.write(f"Deleted {TRAINED}{folder.name}.")

    def _list(self, *, as_json: bool) -> None:
        found = [
            json.loads((trained_folder(key) / PROVENANCE).read_text()) for key in list_trained()
        ]
        if as_json:
            self.stdout.write(orjson.dumps(found).decode())
            return
        for one in found:
            dev = ", ".join(
                f"{name} {value:.4g}"
                for name, value in one["dev"].items()
                if isinstance(value, float) and not isinstance(value, bool)
            )
            data = one["data"]
            self.stdout.write(
                f"{TRAINED}{one['key']}: {one['role']}, from {one['base']['name']}, "
                f"{data['examples']:,} examples of {data.get('project', '?')}; dev: {dev or '-'}"
            )
        if not found:
            self.stderr.write("No weights were trained here yet.")
