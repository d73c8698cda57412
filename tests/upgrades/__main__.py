"""Bring a used installation of a commit up to this version.

    python -m tests.upgrades COMMIT FOLDER

The commit is checked out beside this tree, and its own programs load the demo, run its jobs, do the
work of every stage and write a backup. Then `migrate` of this tree is run on its database, and
`restore` on its backup: both databases have to consist of what a new one does, and to have the same
rows. It takes minutes. Ends with status 1, and says why, where an upgrade fails or leaves another
database.

FOLDER keeps `backup.zip`, and the data of the installation that was migrated (`used`), of the one
that was restored and of a new one, each to be looked at with AMBIT_DATA=FOLDER/used.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.upgrades.schema import compare_schemas

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BACKUP = "backup.zip"


class Ended(Exception):
    """A program ended with an error; the message is what it wrote."""


def main(commit: str = "", folder: str = "") -> int:
    """Make the installation and bring it up in both ways; return the exit status."""
    place = Path(folder).resolve()
    if not commit or not folder or place.exists():
        print("Name a commit, and a folder that is not there yet.", __doc__, sep="\n\n")
        return 2
    place.mkdir(parents=True)
    try:
        with checked_out(ROOT, commit) as tree:
            run(tree, place / "used", str(HERE / "working.py"))
            run(tree, place / "used", "manage.py", "backup", str(place / BACKUP))
        differences = bring_up(place)
    except Ended as problem:
        print(problem)
        return 1
    print("\n".join(differences) or "Migrated and restored: both are like a new one.")
    return 1 if differences else 0


@contextmanager
def checked_out(repository: Path, commit: str) -> Iterator[Path]:
    """Have the files of a commit in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="ambit-") as folder:
        tree = Path(folder) / "code"
        git = ["git", "-C", str(repository), "worktree"]
        added = subprocess.run(
            [*git, "add", "--quiet", "--detach", str(tree), commit], capture_output=True, text=True
        )
        if added.returncode:
            raise Ended(added.stderr.strip())
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def bring_up(place: Path) -> list[str]:
    """Migrate the installation and restore its backup with this tree; return what is different."""
    used, restored, new = (place / name for name in ("used", "restored", "new"))
    run(ROOT, used, "manage.py", "migrate", "--no-input")
    restored.mkdir()
    shutil.copy(used / "secret_key", restored)
    run(ROOT, restored, "manage.py", "restore", str(place / BACKUP))
    for command in (["migrate", "--no-input"], ["createcachetable"]):
        run(ROOT, new, "manage.py", *command)
    told = [
        run(ROOT, data, "-m", "tests.upgrades.schema", *rows)
        for data, rows in ((new, ()), (used, ()), (restored, ()), (used, "r"), (restored, "r"))
    ]
    schema, migrated, brought_back, *rows = [text.splitlines() for text in told]
    compared = {
        "A new one has -, the migrated one +": (schema, migrated),
        "A new one has -, the restored one +": (schema, brought_back),
        "Rows of the migrated one are -, of the restored one +": rows,
    }
    differences = []
    for what, (before, after) in compared.items():
        print(f"{len(before):6} lines compared. {what}")
        differences += compare_schemas(before, after)
    return differences


def run(tree: Path, data: Path, *arguments: str) -> str:
    """Run Python in a tree on the installation of a folder; return what it printed.

    Raises Ended where it fails.
    """
    own = {"AMBIT_DATA": str(data), "PYTHONPATH": str(tree), "PYTHONWARNINGS": "ignore"}
    left_out = {"DATABASE_URL", "AMBIT_EMBEDDED_URL", "DJANGO_SETTINGS_MODULE"}
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree, env=inherited | own, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if ended.returncode:
        raise Ended(f"{' '.join(arguments)} ended with {ended.returncode}:\n{ended.stderr.strip()}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
