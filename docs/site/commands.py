"""The help of every command of Ambit, as Markdown."""

import argparse
import os
from pathlib import Path
from unittest import mock

from django.apps import apps
from django.core.management import get_commands, load_command_class
from django.core.management.base import DjangoHelpFormatter

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 88


def list_commands() -> dict[str, str]:
    """Return the app of each command that lies in this repository, by name, in the order of names.

    Not those of packages, although they can be run by manage.py, too.
    """
    ours = {each.name for each in apps.get_app_configs() if Path(each.path).parent == ROOT}
    return {name: app for name, app in sorted(get_commands().items()) if app in ours}


def format_command_help(name: str) -> str:
    """Return what `manage.py NAME --help` prints, less the options that every command has."""
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    for action in parser._actions:
        if DjangoHelpFormatter.show_last & set(action.option_strings) or action.dest == "help":
            action.help = argparse.SUPPRESS
    with mock.patch.dict(os.environ, COLUMNS=str(COLUMNS)):
        return parser.format_help().strip()


def describe_commands() -> str:
    """Return a section for each command: its name as the heading, and its help as text."""
    return "".join(
        f"\n## {name}\n\n```text\n{format_command_help(name)}\n```\n" for name in list_commands()
    )
