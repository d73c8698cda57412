"""manage.py score TASK --references F --predictions F"""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from metrics import cli
from metrics.score import BadInput


class Command(BaseCommand):
    """The same as ``manage.py score``, which leaves Django alone, for ``call_command``."""

    help = f"{cli.DESCRIPTION}\n\n{cli.EXAMPLE}"
    requires_system_checks: list[str] = []

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        return super().create_parser(*args, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        cli.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(cli.render_scores(Namespace(**options)))
        except BadInput as error:
            raise CommandError(str(error), returncode=2) from None
