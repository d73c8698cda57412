"""Where sentences end: as NLTK's English Punkt decides, or by a few rules where it is missing.

ROUGE-Lsum compares sentence by sentence, so the split is a part of the score, and the official
ASQA scorer splits with Punkt. ``find_punkt_folder`` looks for Punkt's parameters where NLTK would,
and ``Punkt`` decides with them as NLTK does; importing NLTK for it takes longer than the whole
scoring (docs/adr/0010). Without the parameters ``Rules`` decides. Both split lower-cased text as
well.

Sources: Kiss and Strunk 2006, "Unsupervised Multilingual Sentence Boundary Detection"; the
candidates, the words and the order of the decisions are those of NLTK 3.10.
"""

import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from metrics.score import BadInput


class Splitter(Protocol):
    """Cuts a text into sentences; ``name`` goes into the signature of a score."""

    name: str

    def split_sentences(self, text: str) -> list[str]:
        """Return the sentences in order, without the white space between them."""
        ...


def find_punkt_folder() -> Path | None:
    """Return the folder of NLTK's English Punkt parameters, or ``None`` where there is none.

    Looked for in the folders of the environment variable ``NLTK_DATA`` (separated as ``PATH`` is),
    then in NLTK's default folders, in its order.
    """
    roots = [os.path.expanduser(d) for d in os.environ.get("NLTK_DATA", "").split(os.pathsep) if d]
    roots.append(os.path.expanduser("~/nltk_data"))
    roots += [os.path.join(sys.prefix, *below, "nltk_data") for below in ((), ("share",), ("lib",))]
    roots += [
        f"/usr/{below}nltk_data" for below in ("share/", "local/share/", "lib/", "local/lib/")
    ]
    for root in roots:
        folder = Path(root, "tokenizers", "punkt_tab", "english")
        if folder.is_dir():
            return folder
    return None


def choose_splitter() -> Splitter:
    """Return Punkt where its parameters are installed, otherwise the rules.

    Raises ``BadInput`` where the parameters are installed but damaged.
    """
    folder = find_punkt_folder()
    return Punkt(folder) if folder else Rules()


# White space as NLTK's regular expressions see it: the four separators U+001C to U+001F are not.
_SPACE = r"[^\S\x1c-\x1f]"
_SOLID = r"[\S\x1c-\x1f]"
# Characters that end a word.
_CLOSING = "[)\";}\\]*:@'({\\[\u2018\u2019\u201c\u201d\xab\xbb?!]"
_RUN = rf"-{{2,}}|\.{{2,}}|(?:\.{_SPACE}){{2,}}\."

_CANDIDATE = re.compile(rf"[.?!](?=({_CLOSING})|{_SPACE}+({_SOLID}+))")
_WORD_END = rf"{_SPACE}|\Z|{_CLOSING}|{_RUN}"
_WORD = re.compile(
    rf"{_RUN}"
    rf"|(?![(\"`{{\[:;&#*@)}}\]\-,]){_SOLID}+?(?={_WORD_END}|,(?:{_WORD_END}))"
    rf"|{_SOLID}"
)
_LEFT_OVER = re.compile(
    rf"[\"')\]}}\u2018\u2019\u201c\u201d\xab\xbb]+?(?:{_SPACE}+|(?=--)|$)", re.MULTILINE
)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.\-]*\Z")
_SPACES = "\t\n\r\x0b\x0c"
_ASCII_SPACES = str.maketrans(_SPACES, " " * len(_SPACES))

# In which positions a word was seen in the training text, as bits of its orthographic context.
_MIDDLE_UPPER, _START_LOWER = 4, 16
_ANY_UPPER, _ANY_LOWER = 2 | 4 | 8, 16 | 32 | 64


class Punkt:
    """NLTK's English Punkt: ``split`` equals ``nltk.sent_tokenize``.

    Raises ``BadInput`` where a file of ``folder`` is missing or damaged.
    """

    name = "punkt"

    def __init__(self, folder: Path) -> None:
        self._abbreviations = frozenset(_lines(folder / "abbrev_types.txt"))
        self._starters = frozenset(_lines(folder / "sent_starters.txt"))
        self._collocations = frozenset(_pairs(folder / "collocations.tab"))
        # A full stop ends the sentence after any other word of letters, whatever follows.
        self._undecided = self._abbreviations | {first for first, _ in self._collocations}
        self._seen = _numbers(folder / "ortho_context.tab")

    def split_sentences(self, text: str) -> list[str]:
        """Return the sentences in order; every character but white space is in one of them."""
        cuts = list(self._cuts(text))
        found = []
        moved = 0
        for (start, end), following in zip(cuts, [*cuts[1:], None], strict=True):
            start += moved
            moved = 0
            # Quotation marks and brackets after the full stop belong to its sentence.
            if following and (marks := _LEFT_OVER.match(text[slice(*following)])):
                end = following[0] + len(marks[0].rstrip())
                moved = marks.end()
            if start < end:
                found.append(text[start:end])
        return found

    def _cuts(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of each sentence, before closing marks are moved."""
        start = 0
        for word, match in _candidates(text):
            if self._ends_sentence(text, word, match):
                yield start, match.end()
                start = match.start(2) if match[2] else match.end()
        yield start, len(text.rstrip())

    def _ends_sentence(self, text: str, start: int, match: re.Match[str]) -> bool:
        """Whether a sentence ends inside the word from ``start`` to the mark of ``match``."""
        if match[0] != ".":
            return True
        word = text[start : match.start()]
        if len(word) > 1 and word.isalpha() and word.lower() not in self._undecided:
            return True
        follows = match.end(1) if match[1] else match.end(2)
        lines = text[start:follows].split("\n")
        tokens = [token for line in lines if line.strip() for token in _WORD.findall(line)]
        return any(map(self._is_end, tokens, tokens[1:]))

    def _is_end(self, token: str, following: str) -> bool:
        """Whether a sentence ends between two neighbouring tokens."""
        if token in ("?", "!"):
            return True
        if token[-1] != ".":
            return False
        ends, abbreviates = self._first_look(token)
        kind = _kind(token)
        if len(kind) > 1 and kind[-1] == ".":
            kind = kind[:-1]
        next_kind = _kind(following)
        if len(next_kind) > 1 and next_kind[-1] == "." and self._first_look(following)[0]:
            next_kind = next_kind[:-1]
        if (kind, next_kind) in self._collocations:
            return False
        initial = len(token) == 2 and _is_letter(token[0])
        if not initial and abbreviates:
            return self._starts(following, next_kind) is True or (
                following[0].isupper() and next_kind in self._starters
            )
        if initial or kind == "##number##":
            starts = self._starts(following, next_kind)
            unseen_lower = not self._seen.get(next_kind, 0) & _ANY_LOWER
            if starts is False or (
                starts is None and initial and following[0].isupper() and unseen_lower
            ):
                return False
        return ends

    def _first_look(self, token: str) -> tuple[bool, bool]:
        """Return, by the token alone, (ends a sentence, is an abbreviation or an ellipsis)."""
        if token in (".", "?", "!"):
            return True, False
        if len(token) > 1 and not token.strip("."):
            return False, True
        if token[-1] != "." or token.endswith(".."):
            return False, False
        word = token[:-1].lower()
        known = word in self._abbreviations or word.split("-")[-1] in self._abbreviations
        return not known, known

    def _starts(self, token: str, kind: str) -> bool | None:
        """Whether the case of a token says that it starts a sentence; ``None``: it does not say."""
        if token in (";", ":", ",", ".", "!", "?"):
            return False
        seen = self._seen.get(kind, 0)
        if token[0].isupper() and seen & _ANY_LOWER and not seen & _MIDDLE_UPPER:
            return True
        if token[0].islower() and (seen & _ANY_UPPER or not seen & _START_LOWER):
            return False
        return None


def _candidates(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield (start of the word, last mark in it) of each word that a sentence may end in.

    A word with several marks (``U.S.``, ``what?!``) is one candidate. White space at the very
    start of the text belongs to the first word.
    """
    flat = text.translate(_ASCII_SPACES) if any(map(text.__contains__, _SPACES)) else text
    start = stop = 0
    pending = None
    for match in _CANDIDATE.finditer(text):
        space = flat.rfind(" ", stop + 1, match.start())
        begin = space + 1 if space >= 0 else start
        if pending and stop <= begin:
            yield start, pending
        start, stop, pending = begin, match.start(), match
    if pending:
        yield start, pending


def _kind(token: str) -> str:
    """Return the token as the parameters spell it: lower-cased, and every number alike."""
    return "##number##" if _NUMBER.match(token) else token.lower()


def _is_letter(character: str) -> bool:
    """Letters, the marks on them and the underscore; not digits, fractions or superscripts."""
    return character.isalpha() or unicodedata.category(character) in ("Mn", "Mc", "Me", "Nl", "Pc")


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise _damaged(path, "it is not UTF-8 text") from None
    except FileNotFoundError:
        raise _damaged(path, "it is missing") from None
    except OSError as error:
        raise _damaged(path, f"it cannot be read, {error.strerror}") from None
    if not (lines := text.removesuffix("\n").split("\n")) or not all(lines):
        raise _damaged(path, "it has an empty line" if text else "it is empty")
    return lines


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_lines(path), 1):
        first, tab, second = line.partition("\t")
        if not tab or "\t" in second:
            raise _damaged(path, f"line {number} does not have two columns")
        yield first, second


def _numbers(path: Path) -> dict[str, int]:
    lines = _lines(path)
    columns = "\t".join(lines).split("\t")  # twenty thousand lines: one split is ten times faster
    try:
        numbers = dict(zip(columns[::2], map(int, columns[1::2]), strict=True))
    except ValueError:
        raise _damaged(path, "not every line is a word, a tab and a whole number") from None
    if len(columns) != 2 * len(lines):
        raise _damaged(path, "not every line has two columns")
    return numbers


def _damaged(path: Path, what: str) -> BadInput:
    return BadInput(
        f"{path}: the sentence splitter's data is damaged: {what}. Install NLTK's punkt_tab "
        "again, or remove this folder to split by rules."
    )


# Only from the first of several marks, and never back, so that a long run of them is read once.
_STOP = re.compile(r"(?<![.!?])[.!?]++[\"')\]}\u2019\u201d\xbb]*+\s++(?=\S)")
_OPENING = "([{\"'\u2018\u201c\xab"
_ABBREVIATION = re.compile(
    r"(?:\w\.)*[^\W\d_]|mrs?|ms|[djs]r|prof|st|mt|ft|gen|col|lt|sgt|capt|rev|hon|sen|rep|gov|pres|vs"
    r"|no|vol|pp|inc|ltd|co|corp|bros|dept|approx|cf|ca|fig|jan|feb|mar|apr|aug|sept|oct|nov|dec"
)


class Rules:
    """A few rules: a sentence ends at ``.``, ``!`` or ``?``, closing marks, and white space.

    It does not where the full stop ends a single letter (``J. S. Bach``), letters with full stops
    between them (``U.S. team``, ``p.m.``) or one of some forty abbreviations, nor after a number
    before a lower-case letter (``3. liga``), nor before a mark that cannot start a sentence.
    """

    name = "rules"

    def split_sentences(self, text: str) -> list[str]:
        """Return the sentences in order; every character but white space is in one of them."""
        found = []
        start = 0
        for match in _STOP.finditer(text):
            if text[match.end()] not in ",;:.!?)" and not self._abbreviates(text, start, match):
                found.append(text[start : match.end()].strip())
                start = match.end()
        if rest := text[start:].strip():
            found.append(rest)
        return found

    def _abbreviates(self, text: str, start: int, match: re.Match[str]) -> bool:
        if match[0].rstrip() != ".":
            return False
        word = _last_word(text, start, match.start()).lstrip(_OPENING).lower()
        if _NUMBER.match(word) and text[match.end()].islower():
            return True
        return bool(_ABBREVIATION.fullmatch(word))


def _last_word(text: str, start: int, end: int) -> str:
    """Return the last word of a stretch, "" if it has none; the rest of it is not read."""
    while end > start and text[end - 1].isspace():
        end -= 1
    begin = end
    while begin > start and not text[begin - 1].isspace():
        begin -= 1
    return text[begin:end]
