"""Quotes: python -m benchmarks.quotes [--archive FILE.zim] [--trials 400]

Three measurements, printed as one JSON object. No database is needed.

- `anchoring`: quotes of real articles are looked for after the article was edited in a known way.
  `right`, `lost` and `wrong` are shares of the trials; times are of the processor, so that a busy
  machine does not change them.
- `weights`: the same for other weights of the score, `right` and `wrong` over all ways of editing.
- `paste`: words are matched to ten pages of 100 KB each, as when a person pastes an answer. The
  first paste folds the pages, the next ones use the cache.
"""

import argparse
import datetime as dt
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.crowd import spread
from wikipedia.archives.zim import open_archive
from wikipedia.articles.reader import render_article
from wikipedia.demo.build import build_demo_zim
from wikipedia.html.page import SourcePage
from wikipedia.quotes import anchoring
from wikipedia.quotes import locating as quotes
from wikipedia.quotes.anchoring import Selector

PAGES, PAGE_CHARACTERS = 10, 100_000
WEIGHTS = {
    "words 50, before 20, after 20, nearness 10": (50, 20, 20, 10),
    "words 50, before 20, after 20, nearness 2": (50, 20, 20, 2),
    "words 100": (100, 0, 0, 0),
    "words 90, nearness 10": (90, 0, 0, 10),
    "words 50, before 25, after 25": (50, 25, 25, 0),
    "words 30, before 30, after 30, nearness 10": (30, 30, 30, 10),
    "words 70, before 10, after 10, nearness 10": (70, 10, 10, 10),
}
Parts = tuple[str, str, str]


def texts_of(archive: Path) -> list[str]:
    """Return the canonical texts of an archive's articles of more than 2,000 characters."""
    now, found = dt.datetime.now(dt.UTC), []
    for raw in open_archive(archive).iterate_articles():
        page = SourcePage(raw.path, raw.title, raw.html, None, None, None, None, now, "")
        text = render_article(
            page, page_url=lambda path: f"/{path}", asset_url=lambda path: f"/{path}"
        ).text
        if len(text) > 2_000:
            found.append(text)
    return found


def edited(text: str, rate: float, dice: random.Random) -> str:
    """Replace, leave out or add every `1 / rate`th word, with words of the same text."""
    words = text.split(" ")
    pool, out = words or ["word"], []
    for word in words:
        roll = dice.random()
        if roll > rate:
            out.append(word)
        elif roll > rate / 3 * 2:
            out.append(dice.choice(pool))
        elif roll > rate / 3:
            out += [word, dice.choice(pool)]
    return " ".join(out)


def misspelt(words: str, dice: random.Random) -> str:
    """Change one character in eight, at least one."""
    letters = list(words)
    for at in dice.sample(range(len(letters)), max(1, len(letters) // 8)):
        letters[at] = dice.choice("abcdefghijklmnopqrstuvwxyz0123456789")
    return "".join(letters)


def _moved(parts: Parts, dice: random.Random) -> Parts:
    before, words, after = parts
    lines = before.split("\n")
    for _ in range(3):
        lines.insert(dice.randrange(len(lines)), edited(dice.choice(lines), 0.5, dice))
    return "\n".join(lines), words, after


WAYS: dict[str, Callable[[Parts, random.Random], Parts]] = {
    "nothing edited": lambda parts, dice: parts,
    "paragraphs added above": _moved,
    "every tenth word around it": lambda p, dice: (
        edited(p[0], 0.1, dice), p[1], edited(p[2], 0.1, dice)),
    "every third word around it": lambda p, dice: (
        edited(p[0], 0.33, dice), p[1], edited(p[2], 0.33, dice)),
    "a character in eight inside it": lambda p, dice: (p[0], misspelt(p[1], dice), p[2]),
    "inside it, and every tenth word around": lambda p, dice: (
        edited(p[0], 0.1, dice), misspelt(p[1], dice), edited(p[2], 0.1, dice)),
    "its sentence taken out": lambda p, dice: (
        p[0].rpartition(". ")[0] + ". ", "", p[2].partition(". ")[2]),
    "its paragraph taken out": lambda p, dice: (
        p[0].rpartition("\n")[0] + "\n", "", p[2].partition("\n")[2]),
}  # fmt: skip


def trial(text: str, way: Callable[[Parts, random.Random], Parts], dice: random.Random) -> Any:
    """Quote one to twelve words, edit, look again; return the outcome and the seconds."""
    words = [0, *(at + 1 for at, letter in enumerate(text) if letter in " \n"), len(text) + 1]
    first = dice.randrange(1, len(words) - 14)
    start, end = words[first], words[first + dice.randint(1, 12)] - 1
    quote = Selector(text[start:end], text[max(0, start - 32) : start], text[end : end + 32], start)
    before, inside, after = way((text[:start], text[start:end], text[end:]), dice)
    begin = time.process_time()
    found = anchoring.anchor_quote(before + inside + after, quote)
    seconds = time.process_time() - begin
    if found.start is None or found.end is None:
        return ("right" if not inside else "lost"), seconds
    low, high = len(before), len(before) + len(inside)
    shared = min(high, found.end) - max(low, found.start)
    return (
        "right" if shared * 2 > max(high, found.end) - min(low, found.start) else "wrong"
    ), seconds


def anchored(texts: list[str], trials: int, seed: int) -> dict[str, Any]:
    """Return how often quotes are found again, by the way the article was edited."""
    table: dict[str, Any] = {}
    for name, way in WAYS.items():
        dice = random.Random(seed)
        results = [trial(dice.choice(texts), way, dice) for _ in range(trials)]
        outcomes = [outcome for outcome, _ in results]
        table[name] = {
            kind: round(outcomes.count(kind) / trials, 4) for kind in ("right", "lost", "wrong")
        } | {"ms": spread([seconds for _, seconds in results])}
    return table


def compared(texts: list[str], trials: int, seed: int) -> dict[str, Any]:
    """Return the means of right and wrong over all ways of editing, for several weights."""
    kept = anchoring.WORDS, anchoring.BEFORE, anchoring.AFTER, anchoring.NEARNESS
    table = {}
    for name, weights in WEIGHTS.items():
        anchoring.WORDS, anchoring.BEFORE, anchoring.AFTER, anchoring.NEARNESS = weights
        rows = anchored(texts, trials, seed).values()
        table[name] = {
            kind: round(sum(row[kind] for row in rows) / len(rows), 4)
            for kind in ("right", "wrong")
        }
    anchoring.WORDS, anchoring.BEFORE, anchoring.AFTER, anchoring.NEARNESS = kept
    return table


def pasted(texts: list[str], trials: int, seed: int) -> dict[str, Any]:
    """Time matching pasted words to ten long pages: found on the last one, or on none."""
    dice = random.Random(seed)
    pages = []
    for _ in range(PAGES):
        lines, size = list[str](), 0
        while size < PAGE_CHARACTERS:
            lines.append(dice.choice(dice.choice(texts).split("\n")))
            size += len(lines[-1]) + 1
        pages.append("\n".join(lines)[:PAGE_CHARACTERS])
    pages[-1] += "\nOn the very last page – in “so many words” – it says quokka."
    there = 'the very last page - in "so many words"[3] - it says'
    nowhere = "not one of these pages mentions a wombat"
    cold, warm, missing = list[float](), list[float](), list[float]()
    for _ in range(trials):
        quotes._folded.cache_clear()
        for times, words in ((cold, there), (warm, there), (missing, nowhere)):
            begin = time.process_time()
            found = [quotes.find_on_page(page, words) for page in pages]
            times.append(time.process_time() - begin)
            assert (found[-1] is None) == (words is nowhere)
            assert not any(found[:-1])
    return {"first": spread(cold), "next": spread(warm), "on no page": spread(missing)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=Path, help="a ZIM archive; without, the demo's articles")
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", action="store_true", help="compare other weights as well")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = given.archive or Path(folder) / "demo.zim"
        if not given.archive:
            build_demo_zim(archive)
        texts = texts_of(archive)
    report: dict[str, Any] = {"articles": len(texts), "characters": sum(map(len, texts))}
    report["anchoring"] = anchored(texts, given.trials, given.seed)
    if given.weights:
        report["weights"] = compared(texts, given.trials, given.seed)
    report["paste"] = pasted(texts, min(30, given.trials), given.seed)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
