"""Start the embedded database before pytest-django reads the settings (loaded with -p)."""

import os
from pathlib import Path

# The tests' own data directory: a demo that runs beside them is left alone.
os.environ.setdefault("AMBIT_DATA", str(Path(__file__).resolve().parent.parent / ".ambit" / "test"))

from config import embedded

embedded.ensure()
