"""How old the pictures in docs/img are.

docs/img/pictures.json has for each the day on which it was taken, the templates and styles of the
page that it shows, and their digest then. `python -m docs.site.pictures` names those whose page
has changed since; `make pictures` takes all anew, docs/take_screenshots.py some.
"""

import datetime as dt
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "img"
_PICTURE = re.compile(r"^!\[[^\]]*\]\((?:docs/)?img/(\w+)\.png\)$", re.M)


@dataclass(frozen=True)
class Picture:
    """A picture: the day it was taken, what its page is drawn with, and the digest of that."""

    taken: str
    shows: list[str]
    digest: str


def digest_sources(shows: list[str], root: Path = ROOT) -> str:
    """Return the first 16 hex digits of the SHA-256 of files, and of all files in folders."""
    total = hashlib.sha256()
    for name in shows:
        place = root / name
        files = [place] if place.is_file() else sorted(place.rglob("*.*"))
        for path in (each for each in files if each.is_file()):
            total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return total.hexdigest()[:16]


def read_pictures(folder: Path = FOLDER) -> dict[str, Picture]:
    """Return what is noted of each picture, by its name without ending."""
    noted = json.loads((folder / "pictures.json").read_text(encoding="utf-8"))
    return {name: Picture(**each) for name, each in noted.items()}


def note_taken(names: list[str], day: dt.date, folder: Path = FOLDER) -> None:
    """Note that these pictures were taken on a day, from the sources as they are now."""
    pictures = read_pictures(folder)
    for name in names:
        shows = pictures[name].shows
        pictures[name] = Picture(day.isoformat(), shows, digest_sources(shows))
    noted = {name: asdict(each) for name, each in pictures.items()}
    (folder / "pictures.json").write_text(json.dumps(noted, indent=2) + "\n", encoding="utf-8")


def list_old(pictures: dict[str, Picture], root: Path = ROOT) -> list[str]:
    """Return the names of the pictures whose page is drawn otherwise by now."""
    return [
        name for name, each in pictures.items() if each.digest != digest_sources(each.shows, root)
    ]


def add_notes(page: str, folder: Path = FOLDER) -> str:
    """Return a page of Markdown with a line below each picture: when it was taken, and if old."""
    if not _PICTURE.search(page):
        return page
    pictures = read_pictures(folder)

    def note(match: re.Match[str]) -> str:
        picture = pictures.get(match[1])
        if not picture:
            return match[0]
        day = dt.date.fromisoformat(picture.taken)
        changed = " The page has changed since." if list_old({match[1]: picture}) else ""
        return f"{match[0]}\n\n*Taken on {day.day} {day:%B %Y}.{changed}*"

    return _PICTURE.sub(note, page)


def main() -> None:
    """Name the pictures that are old, and what takes them anew."""
    pictures = read_pictures()
    old = list_old(pictures)
    lines = [
        f"docs/img/{name}.png: the page has changed since {pictures[name].taken}." for name in old
    ]
    if old:
        lines.append(f"With a demo running: python -m docs.take_screenshots URL {' '.join(old)}")
    print("\n".join(lines) or "Every picture shows its page as it is now.")  # noqa: T201


if __name__ == "__main__":
    main()
