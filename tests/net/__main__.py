"""Record everything into a new folder: python -m tests.net FOLDER [PYTEST OPTIONS]"""

import os
import subprocess
import sys
from pathlib import Path

RECORDERS = Path(__file__).parent / "recorders.py"


def main(folder: str | None = None, *options: str) -> int:
    """Record into the folder; return the exit status."""
    if folder is None or Path(folder).exists():
        print("Name a folder that is not there yet: python -m tests.net FOLDER")
        return 2
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    # Sets have the same order each time.
    env = os.environ | {"NET": str(Path(folder).resolve()), "PYTHONHASHSEED": "0"}
    return subprocess.run([*command, str(RECORDERS), *options], env=env).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
