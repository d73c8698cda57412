"""Find the phrases that docs/voice.md refuses: python docs/words.py.

Looks through code, templates, scripts and documents, with the lines of a sentence joined. Exit
status 1 where there is one.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VOICE = ROOT / "docs" / "voice.md"
KINDS = ("*.py", "*.html", "*.js", "*.md", "*.txt")
LEFT_OUT = (  # what lists the phrases, tells the past, or is not our text
    "docs/voice.md",
    "docs/performance.md",
    "CHANGELOG.md",
    "tests/",
    "static/vendor/",
    "wikipedia/demo/articles/",
    "requirements",
)
# Between two words of a sentence: white space, the seam of a wrapped string, the mark of a comment.
_SEAM = re.compile(r'\s*"\s*\n\s*f?"\s*|\s*\n\s*(?:#|//|\*)?\s*|\s+')


def refused() -> dict[str, str]:
    """Return the refused phrases of docs/voice.md, each with what to write in its place."""
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", VOICE.read_text(), re.MULTILINE)
    return {phrase.replace(r"\|", "|"): better for phrase, better in rows}


def files() -> list[Path]:
    """Return the tracked files that are looked through."""
    listed = subprocess.run(  # noqa: S603
        ["git", "ls-files", *KINDS],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    ours = [each for each in listed if each and not each.startswith(LEFT_OUT)]
    return [ROOT / each for each in ours if "/migrations/" not in each and (ROOT / each).exists()]


def problems(text: str, phrases: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    """Give each refused phrase of a text as (line, the phrase as written, what to write)."""
    joined, starts = "", []
    at = 0
    for seam in [*_SEAM.finditer(text), None]:
        end = seam.start() if seam else len(text)
        starts.append((len(joined), at))
        joined += text[at:end] + " "
        at = seam.end() if seam else at
    for phrase, better in phrases.items():
        for match in re.finditer(phrase, joined, re.IGNORECASE):
            place = max(before for before, _ in starts if before <= match.start())
            offset = dict(starts)[place] + match.start() - place
            yield text.count("\n", 0, offset) + 1, match[0].strip(), better


def main() -> int:
    """Print every problem; return the exit status."""
    phrases = refused()
    found = [
        f"{path.relative_to(ROOT)}:{line}: “{written}”. Write: {better}"
        for path in files()
        for line, written, better in problems(path.read_text(), phrases)
    ]
    print("\n".join(found) or "No refused phrase.")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
