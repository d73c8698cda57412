"""Turn what is in this checkout into a version: `make release VERSION=1.0.0`.

The number is written where it stands (pyproject.toml, config/settings.py, CITATION.cff, and
CHANGELOG.md with the day), and `dist/VERSION` gets what goes with a release: `notes.md`, the part
of the CHANGELOG, and `sbom.json` with its digest, the bill of materials of an installation.
Committing and tagging are left to whoever runs it; the commands are printed.
"""

import datetime as dt
import hashlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = re.compile(r"(\d+)\.(\d+)\.(\d+)")
# File, and what precedes and follows the number in it.
PLACES = (
    ("pyproject.toml", 'version = "', '"'),
    ("config/settings.py", 'VERSION = "', '"'),
    ("CITATION.cff", 'version: "', '"'),
)
UNRELEASED = re.compile(r"^## (\d+\.\d+\.\d+) \(unreleased\)$", re.MULTILINE)


class NoRelease(Exception):
    """Why nothing was released."""


def cut_release(root: Path, version: str, day: dt.date, write_sbom: Callable[[Path], None]) -> Path:
    """Write the version into a checkout and return the folder of its release.

    write_sbom: writes the bill of materials into the file that it is given. Raises NoRelease, and
    has changed nothing, where the number is no next one, changes are not committed, or the
    CHANGELOG has nothing that is not released.
    """
    present = _read_version(root)
    if not NUMBER.fullmatch(version) or _parts(version) < _parts(present):
        raise NoRelease(f"“{version}” is no version after {present}. Write it like 1.0.0.")
    if changed := _run(root, "git", "status", "--porcelain", "--untracked-files=no"):
        raise NoRelease(f"Commit your changes first:\n{changed}")
    if f"v{version}" in _run(root, "git", "tag", "--list").split():
        raise NoRelease(f"There is a tag v{version} already.")
    changelog = (root / "CHANGELOG.md").read_text()
    headings = UNRELEASED.findall(changelog)
    if len(headings) != 1:
        raise NoRelease("CHANGELOG.md needs one heading “## VERSION (unreleased)”.")
    folder = root / "dist" / version
    if folder.exists():
        raise NoRelease(f"{folder} is there already. Delete it to write it anew.")

    folder.mkdir(parents=True)
    for name, before, after in PLACES:
        path = root / name
        text = path.read_text()
        path.write_text(text.replace(f"{before}{present}{after}", f"{before}{version}{after}", 1))
    released = UNRELEASED.sub(f"## {version} ({day})", changelog)
    (root / "CHANGELOG.md").write_text(released)
    (folder / "notes.md").write_text(_notes_of(released, version))
    sbom = folder / "sbom.json"
    write_sbom(sbom)
    digest = hashlib.sha256(sbom.read_bytes()).hexdigest()
    (folder / "sbom.json.sha256").write_text(f"{digest}  sbom.json\n")
    return folder


def _read_version(root: Path) -> str:
    """Return the number that all places agree on."""
    found = set()
    for name, before, after in PLACES:
        pattern = rf"^{re.escape(before)}(\d+\.\d+\.\d+){re.escape(after)}$"
        numbers = re.findall(pattern, (root / name).read_text(), re.MULTILINE)
        if len(numbers) != 1:
            raise NoRelease(f"{name} has to say the version once; it says it {len(numbers)} times.")
        found.add(numbers[0])
    if len(found) != 1:
        raise NoRelease(f"The versions differ: {', '.join(sorted(found))}. Make them the same.")
    return str(found.pop())


def _notes_of(changelog: str, version: str) -> str:
    """Return what the CHANGELOG says of a version, without its heading."""
    _, _, rest = changelog.partition(f"## {version} (")
    _, _, rest = rest.partition("\n")
    return rest.partition("\n## ")[0].strip() + "\n"


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _run(root: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise NoRelease(done.stderr.strip())
    return done.stdout.strip()


def write_sbom(path: Path) -> None:
    """Have make write the bill of materials of this checkout."""
    subprocess.run(["make", "sbom", f"SBOM={path}"], cwd=ROOT, check=True)


def main(*versions: str) -> int:
    """Release this checkout; return the exit status."""
    if len(versions) != 1:
        print("Say which version: make release VERSION=1.0.0", file=sys.stderr)
        return 2
    try:
        folder = cut_release(ROOT, versions[0], dt.datetime.now(dt.UTC).date(), write_sbom)
    except NoRelease as problem:
        print(problem, file=sys.stderr)
        return 2
    print(
        f"{folder.relative_to(ROOT)} has notes.md, sbom.json and its digest. Look at the changes, "
        f"run make check and make test, then:\n\n"
        f"    git commit -am 'release: Ambit {versions[0]}.'\n"
        f"    git tag --annotate v{versions[0]} --file {folder.relative_to(ROOT)}/notes.md"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
