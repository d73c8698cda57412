"""A corpus for measuring search: passages that answer questions, among any number that do not.

The only real text is the gold passages. The others are mixtures of them, the same ones every time:

* Siblings: 20 for each gold passage, in its article and under its title. A quarter of the text
  is runs of four to ten words from the gold passage, the rest is runs from all passages.
* Strangers: articles of 10 passages up to the number wanted. The title is the first half of one
  title and the second half of another; the text is runs of four to ten words from all passages.

So words and neighbours of words are as frequent as in the real text, right titles lead to wrong
passages, and parts of an answering passage are found in hundreds of others; no mixture holds the
whole of one. Real encyclopedias differ: figures compare systems, not corpora.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SIBLINGS = 20
STRANGER_PASSAGES = 10
WORDS = 76
SEED = 20181220


@dataclass(frozen=True)
class Passage:
    """A passage of the corpus; a gold one has the id that its question names."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Question:
    """A question and the passage that answers it."""

    text: str
    passage: str
    title: str


def load(path: Path) -> tuple[list[Question], list[Passage]]:
    """Return questions, and the distinct passages that answer them."""
    passages: dict[tuple[str, str], Passage] = {}
    questions = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            gold = next(p for p in record["ctxs"] if p["isgold"])
            key = (gold["title"], gold["text"])
            passage = passages.setdefault(key, Passage(f"gold-{len(passages)}", *key))
            questions.append(Question(record["question"], passage.id, passage.title))
    return questions, list(passages.values())


def articles(gold: list[Passage], count: int) -> Iterator[list[Passage]]:
    """Yield articles as lists of passages, `count` passages in all but at least the gold ones."""
    chance = random.Random(SEED)
    texts = [passage.text.split() for passage in gold]
    titles = [passage.title.split() for passage in gold]
    by_title: dict[str, list[int]] = {}
    for number, passage in enumerate(gold):
        by_title.setdefault(passage.title, []).append(number)
    left, made = count - len(gold), 0
    for title, own in by_title.items():
        article = [gold[number] for number in own]
        for number in own * min(SIBLINGS, max(0, left) // len(own)):
            article.append(Passage(f"sibling-{made}", title, _mixed(chance, texts, number)))
            made, left = made + 1, left - 1
        chance.shuffle(article)
        yield article
    while left > 0:
        head, tail = chance.choice(titles), chance.choice(titles)
        title = " ".join(head[: (len(head) + 1) // 2] + tail[len(tail) // 2 :])
        size = min(STRANGER_PASSAGES, left)
        yield [
            Passage(f"stranger-{made + number}", title, _mixed(chance, texts, None))
            for number in range(size)
        ]
        made, left = made + size, left - size


def _mixed(chance: random.Random, texts: list[list[str]], own: int | None) -> str:
    words: list[str] = []
    while len(words) < WORDS:
        mine = own is not None and chance.random() < 0.25
        text = texts[own if mine and own is not None else int(chance.random() * len(texts))]
        length = 4 + int(chance.random() * 7)
        start = int(chance.random() * max(1, len(text) - length + 1))
        words += text[start : start + length]
    return " ".join(words)
