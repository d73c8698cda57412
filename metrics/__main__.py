"""``python -m metrics``: the command line without the rest of the application."""

import sys

from metrics.cli import run_and_exit

run_and_exit(sys.argv[1:], prog="python -m metrics")
