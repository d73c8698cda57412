"""``python -m metrics``: the command line without the rest of the application."""

import sys

from metrics.cli import main

sys.exit(main())
