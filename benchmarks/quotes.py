"""Quotes that are looked for again. No database is needed.

- `anchoring`: quotes of real articles are looked for after the article was edited in a known way.
  `right`, `lost` and `wrong` are shares of the trials; times are of the processor, so that a busy
  machine does not change them.
- `paste`: words are matched to ten pages of 100 KB each, as when a person pastes an answer. The
  first paste folds the pages, the next ones use the cache.
"""

import datetime as dt
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.timing import spread_of, taking
from wikipedia.archives.zim import open_archive
from wikipedia.articles.reader import render_article
from wikipedia.demo.build import build_demo_zim
from wikipedia.html.page import SourcePage
from wikipedia.quotes import anchoring
from wikipedia.quotes import locating as quotes
from wikipedia.quotes.anchoring import Selector

PAGES, PAGE_CHARACTERS = 10, 100_000
Parts = tuple[str, str, str]


def texts_of(archive: Path, least: int) -> list[str]:
    """Return the canonical texts of an archive's articles of more characters than `least`."""
    now, found = dt.datetime.now(dt.UTC), []
    for raw in open_archive(archive).iterate_articles():
        page = SourcePage(raw.path, raw.title, raw.html, None, None, None, None, now, "")
        text = render_article(
            page, page_url=lambda path: f"/{path}", asset_url=lambda path: f"/{path}"
        ).text
        if len(text) > least:
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
    with taking() as taken:
        found = anchoring.anchor_quote(before + inside + after, quote)
    seconds = taken.processor
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
        } | {"ms": spread_of([seconds for _, seconds in results])}
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
            with taking() as taken:
                found = [quotes.find_on_page(page, words) for page in pages]
            times.append(taken.processor)
            assert (found[-1] is None) == (words is nowhere)
            assert not any(found[:-1])
    return {"first": spread_of(cold), "next": spread_of(warm), "on no page": spread_of(missing)}


@dataclass
class Quotes(Benchmark):
    """Is a quote found again after its article was edited, and pasted words at once?"""

    archive: Path | None = option(None, "a ZIM archive, instead of the demo's articles")
    trials: int = option(400)
    seed: int = option(1)

    def measure(self) -> dict[str, Any]:
        """Return the figures of each measurement."""
        with tempfile.TemporaryDirectory() as folder:
            archive = self.archive or Path(folder) / "demo.zim"
            if not self.archive:
                build_demo_zim(archive)
            # The demo's articles are short.
            texts = texts_of(archive, 2_000 if self.archive else 1_000)
        return {
            "articles": len(texts),
            "characters": sum(map(len, texts)),
            "anchoring": anchored(texts, self.trials, self.seed),
            "paste": pasted(texts, min(30, self.trials), self.seed),
        }


if __name__ == "__main__":
    run_benchmark("quotes")
