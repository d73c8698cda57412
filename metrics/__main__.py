"""``python -m metrics``: the command line without the rest of the application."""

import sys

from metrics.cli import process

process(sys.argv[1:], prog="python -m metrics")
