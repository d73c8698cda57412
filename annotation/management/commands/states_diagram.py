"""Write docs/states.md from the tables in annotation/core/states.py."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.core import states


class Command(BaseCommand):
    """Write the state diagrams, or check that they are fresh."""

    help = "Write docs/states.md, the state diagrams.\n\nExample: manage.py states_diagram --check"
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; exit 1 when the page is stale."
        )

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        path = Path(settings.BASE_DIR) / "docs" / "states.md"
        wanted = states.render_states_page()
        if check:
            if not path.is_file() or path.read_text(encoding="utf-8") != wanted:
                raise CommandError(
                    f"{path} does not match annotation/core/states.py. "
                    "Run manage.py states_diagram and commit it."
                )
            return
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
        self.stdout.write(f"Wrote {path}")
