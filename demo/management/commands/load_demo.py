"""manage.py load_demo"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from demo import loading
from demo.people import get_demo_password


class Command(BaseCommand):
    help = (
        "Load the demo snapshot, people and project. Running it again changes nothing. "
        "Example: manage.py load_demo --quiet"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="do not print the password")
        parser.add_argument(
            "--models", action="store_true", help="also run baselines with weights, as jobs"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        loading.load_demo(self.stdout.write)
        if options["models"]:
            from demo import baselines  # its parts are installed by `make demo MODELS=1`

            baselines.load_baselines(self.stdout.write)
        if not options["quiet"]:
            self.stdout.write(
                f"The demo project is loaded. Password of its people: {get_demo_password()}"
            )
