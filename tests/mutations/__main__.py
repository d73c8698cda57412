"""Break central rules one at a time, and name the tests that notice.

    python -m tests.mutations              # all of them, some ten minutes
    python -m tests.mutations seats pay    # some

A rule is a patch beside this file: its first line says what is wrong once it is applied, the second
which tests are run. Each is applied to a copy of the working tree. Ends with status 1 where nothing
turns red, or where a patch no longer fits the code: then write it anew.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", ".ambit", "__pycache__", ".*_cache")


def main(names: list[str]) -> int:
    """Try the patches of these names, or all; return the exit status."""
    patches = [FOLDER / f"{name}.patch" for name in names] or sorted(FOLDER.glob("*.patch"))
    if missing := [path.stem for path in patches if not path.is_file()]:
        known = ", ".join(sorted(path.stem for path in FOLDER.glob("*.patch")))
        print(f"There is no rule {', '.join(missing)}. There are: {known}.")
        return 2
    with tempfile.TemporaryDirectory(prefix="ambit-") as folder:
        copy = Path(folder) / "code"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        results = [try_patch(patch, copy) for patch in patches]
    return 0 if all(results) else 1


def try_patch(patch: Path, copy: Path) -> bool:
    """Apply a patch to the copy, run its tests, print which fail, and take it back."""
    what, tests = read_header(patch)
    subprocess.run(["git", "apply", str(patch)], cwd=copy, check=True)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "2", "--tb=no", *tests],
            cwd=copy,
            capture_output=True,
            text=True,
        )
    finally:
        subprocess.run(["git", "apply", "--reverse", str(patch)], cwd=copy, check=True)
    red = re.findall(r"^FAILED (\S+)", ended.stdout, re.MULTILINE)
    print(f"{patch.stem}: {what} {len(red)} tests notice.", *red[:5], sep="\n    ")
    if ended.returncode not in (0, 1):  # pytest itself failed: nothing was shown
        print(ended.stdout[-2000:], ended.stderr[-2000:])
    return bool(red)


def read_header(patch: Path) -> tuple[str, list[str]]:
    """Return what a patch breaks, and the paths of the tests that should notice."""
    what, tests, *_ = patch.read_text(encoding="utf-8").splitlines()
    return what, tests.removeprefix("Tests: ").split()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
