#!/usr/bin/env python
"""Ambit's command line. Starts the embedded database when no DATABASE_URL is set."""

import gc
import os
import sys
from typing import Any


def main() -> None:
    if sys.argv[1:2] == ["score"]:
        # Scoring needs no Django, whose start takes longer than most files take to score.
        from metrics import cli

        cli.run_and_exit(sys.argv[2:], prog="manage.py score")
    # What is loaded now stays: to look through it for garbage is a tenth of the start. The
    # collector begins once Django is set up (config/apps.py).
    gc.disable()
    from config import embedded

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if embedded.needed_by(sys.argv):
        embedded.start_if_wanted()
    from django.core.management import ManagementUtility

    class Commands(ManagementUtility):
        def fetch_command(self, subcommand: str) -> Any:
            from config import versions

            versions.check_command(sys.argv)
            return super().fetch_command(subcommand)

    Commands(sys.argv).execute()


if __name__ == "__main__":
    main()
