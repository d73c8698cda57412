"""manage.py load_demo"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from demo import loading
from demo.people import get_demo_password
from demo.resetting import ResetRefused, reset_demo


def add_reset_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that empty the demo first."""
    parser.add_argument(
        "--reset", action="store_true", help="delete what was done in it first, and begin again"
    )
    parser.add_argument(
        "--everything",
        action="store_true",
        help="with --reset: also projects and accounts that are not the demo’s",
    )


class Command(BaseCommand):
    help = (
        "Load the demo snapshot, people and project. Running it again changes nothing; --reset "
        "begins again. Example: manage.py load_demo --quiet"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="do not print the password")
        parser.add_argument(
            "--models", action="store_true", help="also run baselines with weights, as jobs"
        )
        add_reset_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["everything"] and not options["reset"]:
            raise CommandError("--everything says what --reset may delete. Add --reset.")
        if options["reset"]:
            try:
                reset_demo(everything=options["everything"])
            except ResetRefused as refusal:
                raise CommandError(str(refusal)) from None
        loading.load_demo(self.stdout.write)
        if options["models"]:
            from demo import baselines  # its parts are installed by `make demo MODELS=1`

            baselines.load_baselines(self.stdout.write)
        if not options["quiet"]:
            self.stdout.write(
                f"The demo project is loaded. Password of its people: {get_demo_password()}"
            )
