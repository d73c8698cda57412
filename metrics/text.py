"""One definition of "the same answer" and of "a word", for warnings, merging and every score.

Three forms of a text, from the coarsest to the finest:

``normalise_text``
    What the official scorers compare (AmbigQA, ASQA, QAMPARI, NQ-open). ASCII punctuation is
    simply deleted, so ``C++`` and ``C#`` are one answer to a score, and ``1.5`` is ``15``.
``answer_key``
    ``normalise_text``, except where nothing is left of it: ``A+`` and ``The The`` and ``?`` all
    come out empty, and answers that say something must not all be one answer because of that.
``comparison_form``
    What a person means by "apart from case, punctuation and spaces" (requirement A35). Articles
    stay, and so does a mark without which the answer would be another one: the sign of a number,
    a decimal point, ``#`` and ``+``. Errors that block submission rest on this one, because a
    false alarm there cannot be ignored.
"""

import re
import string
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

from metrics import treebank

T = TypeVar("T")

_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DELETED = frozenset(_ASCII_PUNCTUATION)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_ARTICLES = frozenset({"a", "an", "the"})

_DASHES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-")
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_IN_NUMBER = re.compile(r"(?<=\d)[.,:/-](?=\d)")
_MINUS = re.compile(r"(?<![^\s(\[])(-)(?=[.,]?\d)|\b[^\W\d_](-)(?!\S)")
_SIGN_BEARING = frozenset("#%&@*")

# Most parts of a text: letters and digits, which the tokeniser cuts in few words and at no hyphen.
_COMMON = re.compile(r"\"*([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)('s)?[\",.?!:;]*")

# Text with a space that can still be one token: a tag, a telephone number, a whole number before a
# fraction, spaced dots. Any other text can be cut at its spaces.
_HOLDS_A_SPACE = re.compile(r" (?:(?<=[\d)] )\d|(?<=\. )\.)")


class Memo(dict[str, T]):
    """What a function makes of texts, each made once while it is kept.

    It is a dict for its speed: ``map(memo.__getitem__, texts)`` runs no Python for a known text.
    """

    def __init__(self, make: Callable[[str], T], bound: int = 65_536) -> None:
        super().__init__()
        self.make, self.bound = make, bound

    def __missing__(self, text: str) -> T:
        if len(self) >= self.bound:
            self.clear()
        self[text] = made = self.make(text)
        return made


def normalise_text(text: str) -> str:
    """Return the form that the official scorers compare.

    In this order: lower-case, delete ``string.punctuation``, replace the words a, an and the by a
    space, collapse white space. Dashes and curly quotation marks are not ASCII and stay.
    """
    text = text.lower().translate(_ASCII_PUNCTUATION)
    if text.isascii() and text.isprintable():  # then only spaces separate words, which is quicker
        return " ".join([word for word in text.split() if word not in _ARTICLES])
    return " ".join(_ARTICLE.sub(" ", text).split())


def normalise_texts(texts: Iterable[str]) -> dict[str, str]:
    """Return ``normalise_text`` of many texts, by text: all plain ones are made in one go."""
    distinct = set(texts)
    plain = [text for text in distinct if text.isascii() and text.isprintable()]
    lines = (" " + " \n ".join(plain) + " ").lower().translate(_ASCII_PUNCTUATION)
    for word in _ARTICLES:
        while f" {word} " in lines:  # each time it is there twice in a row needs another pass
            lines = lines.replace(f" {word} ", " ")
    while "  " in lines:
        lines = lines.replace("  ", " ")
    found = dict(zip(plain, map(str.strip, lines.split("\n")), strict=False))
    found.update((text, normalise_text(text)) for text in distinct - found.keys())
    return found


def normalised_places(text: str) -> tuple[str, list[int]]:
    """Return ``normalise(text)`` and, for each of its characters, the place in the text it is from.

    A space is from the place where the separator of the words begins.
    """
    lowered = text.lower()
    places = [place for place, character in enumerate(text) for _ in character.lower()]
    kept = [(c, place) for c, place in zip(lowered, places, strict=True) if ord(c) not in _DELETED]
    plain = "".join(character for character, _ in kept)
    for article in reversed(list(_ARTICLE.finditer(plain))):
        kept[article.start() : article.end()] = [(" ", kept[article.start()][1])]
    words: list[tuple[str, int]] = []
    for character, place in kept:
        if not character.isspace():
            words.append((character, place))
        elif words and words[-1][0] != " ":
            words.append((" ", place))
    if words and words[-1][0] == " ":
        words.pop()
    return "".join(character for character, _ in words), [place for _, place in words]


@lru_cache(maxsize=65_536)  # an answer is compared with many others
def answer_key(text: str) -> str:
    """Return a key that two texts share exactly when they are the same answer.

    It is ``normalise(text)``, or ``comparison_form(text)`` where that leaves nothing. Only white
    space has the empty key.
    """
    return normalise_text(text) or comparison_form(text)


def same_answer(first: str, second: str) -> bool:
    """Whether two texts are the same answer to every score, merge and agreement figure."""
    return answer_key(first) == answer_key(second)


def comparison_form(text: str) -> str:
    """Return the text without case, punctuation and surplus white space; articles stay.

    Works on any script: letters in composed form (NFC) and case-folded, punctuation by Unicode
    category. Kept: symbols (``+``, ``$``, ``°``), ``# % & @ *``, a minus before a number, a minus
    that ends a single letter (``B-``), and ``. , : / -`` inside a number unless it is a comma
    between thousands. All dashes count as one. A text of nothing but punctuation is returned as
    it stands, without its white space, so that ``?`` and ``!`` differ.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    folded = _THOUSANDS.sub("", folded.translate(_DASHES))
    letters = _without_marks(folded)
    # A mark that went can leave another one where it no longer counts (´A- after a figure).
    while _holds_marks(letters) and (fewer := _without_marks(letters)) != letters:
        letters = fewer
    if letters:
        return letters
    return "".join(c for c in folded if not c.isspace() and unicodedata.category(c) != "Cf")


def _without_marks(folded: str) -> str:
    kept = {match.start() for match in _IN_NUMBER.finditer(folded)}
    if "-" in folded:
        kept |= {match.end() - 1 for match in _MINUS.finditer(folded)}
    letters, start = "", 0
    for place in sorted(kept):
        letters += folded[start:place].translate(_LETTERS) + folded[place]
        start = place + 1
    return " ".join((letters + folded[start:].translate(_LETTERS)).split())


def _holds_marks(letters: str) -> bool:
    """Whether marks were kept, each of which stands inside a number or is a minus."""
    return any(mark in letters for mark in ".,:/-")


class _Letters(dict[int, int | None]):
    """For `str.translate`: deletes punctuation, free-standing accents (` ^) and invisible
    characters (zero-width space). Filled as characters come up.
    """

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        dropped = category[0] == "P" or category in {"Sk", "Cf"}
        letter = None if dropped and chr(code) not in _SIGN_BEARING else code
        if len(self) < _MOST_LETTERS:
            self[code] = letter
        return letter


_MOST_LETTERS = 5_000  # of a million characters
_LETTERS = _Letters()


def tokenise_words(text: str) -> list[str]:
    """Return the words that AmbigQA's BLEU and EDIT-F1 count.

    Penn Treebank tokens, lower-cased, then ``normalise_text``: ``O'Brien's`` gives ``obrien s``,
    ``don't`` gives ``do nt``, ``(1995–96)`` gives ``lrb 1995 96 rrb``; articles and punctuation
    give nothing.
    """
    if not cut_at_spaces(text):
        return _parts[text].split()
    return " ".join(map(_parts.__getitem__, text.split(" "))).split()


def cut_at_spaces(text: str) -> bool:
    """Whether the words of a text are those of its parts between spaces, one after another."""
    return "<" not in text and not _HOLDS_A_SPACE.search(text)


def _words(text: str) -> str:
    """Return the words of a text, or of a part of one, with spaces between."""
    if common := _COMMON.fullmatch(text):
        word = common[1].replace("-", "").lower()
        if word not in treebank.SPLIT_WORDS:
            word = "" if word in _ARTICLES else word
            return f"{word} s" if common[2] else word
    return normalise_text(" ".join([token for _, _, token in treebank.list_token_spans(text)]))


_parts = Memo(_words)  # most parts of texts come again and again
