"""What a rewritten question adds to its prompt and deletes from it, counted and shown.

``word_edits`` is the measure of EDIT-F1: two multisets of words, without order.
``list_diff_spans`` lines the two texts up for reading. Both use the words of
``metrics.text.tokenise_words``, so that the words people see marked are the words a score counts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from metrics import treebank
from metrics.text import Memo, cut_at_spaces, normalise_text, tokenise_words

SpanKind = Literal["same", "ins", "del"]

# Replacing a word that counts must never win over keeping it, however many articles that lines up.
_WORD_WEIGHT = 10_000
_TAIL = re.compile(r"^(.*?)([?!.,;:]*)$", re.DOTALL)


@dataclass(frozen=True)
class Edits:
    """Multisets of the words a rewrite added to the prompt and deleted from it."""

    added: Counter[str]
    deleted: Counter[str]


@dataclass(frozen=True)
class EditSpan:
    """A run of words that stayed, were added or were deleted.

    ``text`` is as written (a "same" span as in the question), words joined by single spaces.
    ``tail`` is the punctuation after it, which is not part of the mark. ``counted`` are the words
    of this span that the measure counts: none in a "same" span, and none for a word that only
    moved, or for an article.
    """

    kind: SpanKind
    text: str
    tail: str = ""
    counted: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        return f"{self.text}{self.tail}".split()


class _Unit:
    """The smallest part shown: the text between two spaces, with the tokens in it."""

    __slots__ = ("key", "text", "tokens", "weight")

    def __init__(self, text: str, words: Iterable[str]) -> None:
        self.text, self.tokens = text, tuple(words)
        self.key = self.tokens or ("", text.lower())
        self.weight = len(self.tokens) * _WORD_WEIGHT + 1


def word_edits(prompt: str, question: str) -> Edits:
    """Return the words added to and deleted from the prompt, each as often as it was."""
    before, after = Counter(tokenise_words(prompt)), Counter(tokenise_words(question))
    return Edits(added=after - before, deleted=before - after)


def kept_ratio(prompt: str, question: str) -> float:
    """Return the share of the prompt's words that the question still has, from 0 to 1.

    A prompt without words is kept whole.
    """
    before, after = Counter(tokenise_words(prompt)), Counter(tokenise_words(question))
    return (before & after).total() / before.total() if before else 1.0


def list_diff_spans(prompt: str, question: str) -> list[EditSpan]:
    """Line the question up with its prompt and return the spans in reading order.

    The rule: words are what stands between spaces, and two are the same when they hold the same
    tokens. The longest common sequence stays ("same"), everything else of the prompt went ("del")
    and of the question came ("ins"), what went before what came. So the words of the same and ins
    spans are exactly the question's, and the tokens of the same and del spans exactly the
    prompt's. Over all ins spans ``counted`` adds up to ``edits(...).added`` and over all del spans
    to ``deleted``: a word that moved is shown on both sides and counted on neither.
    """
    before, after = _units(prompt), _units(question)
    asked, written = (
        Counter(word for unit in part for word in unit.tokens) for part in (before, after)
    )
    left = {"ins": written - asked, "del": asked - written}
    spans: list[EditSpan] = []
    for kind, units in _runs(before, after):
        match = _TAIL.match(" ".join(unit.text for unit in units))
        text, tail = match.groups() if match else ("", "")
        if not text:  # a lone punctuation mark is all there is to show
            text, tail = tail, ""
        counted = []
        for token in (token for unit in units for token in unit.tokens):
            if kind != "same" and left[kind][token] > 0:
                left[kind][token] -= 1
                counted.append(token)
        spans.append(EditSpan(kind, text, tail, tuple(counted)))
    return spans


def _units(text: str) -> list[_Unit]:
    """Cut the text at white space, but never inside a token (a fraction may hold a space)."""
    if text.isprintable() and cut_at_spaces(text):  # then no other white space is in it
        return list(map(_parts.__getitem__, text.split()))
    bounds = [[match.start(), match.end()] for match in re.finditer(r"\S+", text)]
    held: list[list[str]] = [[] for _ in bounds]
    place = 0
    for start, end, token in treebank.list_token_spans(text):
        while bounds[place][1] <= start:
            place += 1
        while bounds[place][1] < end and place + 1 < len(bounds) and bounds[place + 1][0] < end:
            bounds[place][1] = bounds.pop(place + 1)[1]
            held[place] += held.pop(place + 1)
        held[place] += normalise_text(token).split()
    return [_Unit(text[start:end], words) for (start, end), words in zip(bounds, held, strict=True)]


_parts = Memo(lambda part: _Unit(part, tokenise_words(part)), bound=4_096)


def _runs(before: list[_Unit], after: list[_Unit]) -> Iterator[tuple[SpanKind, list[_Unit]]]:
    """Yield runs of units that stayed, went or came; no two neighbours of one kind."""
    run: list[_Unit] = []
    current: SpanKind = "same"
    for kind, unit in _aligned(before, after):
        if kind != current and run:
            yield current, run
            run = []
        current = kind
        run.append(unit)
    if run:
        yield current, run


def _aligned(before: list[_Unit], after: list[_Unit]) -> Iterator[tuple[SpanKind, _Unit]]:
    """Yield each unit with its kind; between two kept units all that went, then all that came."""
    went = came = 0
    for i, j in [*_common(before, after), (len(before), len(after))]:
        yield from (("del", unit) for unit in before[went:i])
        yield from (("ins", unit) for unit in after[came:j])
        if j < len(after):
            yield "same", after[j]
        went, came = i + 1, j + 1


def _common(before: list[_Unit], after: list[_Unit]) -> list[tuple[int, int]]:
    """Return the index pairs of a heaviest common subsequence."""
    rows, columns = len(before), len(after)
    keys = [unit.key for unit in after]
    first = 0  # what both begin with is in the subsequence
    while first < rows and first < columns and before[first].key == keys[first]:
        first += 1
    best = [[0] * (columns + 1)] * (rows + 1)
    for i in range(rows - 1, first - 1, -1):
        key, weight, below = before[i].key, before[i].weight, best[i + 1]
        best[i] = below
        if key not in keys:
            continue
        best[i] = row = below.copy()
        for j in range(columns - 1, first - 1, -1):
            skip = row[j + 1] if row[j + 1] > below[j] else below[j]
            row[j] = max(skip, below[j + 1] + weight) if key == keys[j] else skip
    pairs = [(i, i) for i in range(first)]
    i = j = first
    while i < rows and j < columns:
        if before[i].key == keys[j] and best[i][j] == best[i + 1][j + 1] + before[i].weight:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
