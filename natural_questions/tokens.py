"""The page of a record as tokens: words and the tags that make its structure.

Both official forms are read, and plain HTML, whose tokens are found here. Nothing of a page is
ever shown as it came: `shown` builds its own HTML from these tokens.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

MOST = 400_000
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*+)[^<>]*+>")
# How each part of a page begins; its groups say how it goes on.
_PART = re.compile(
    r"(?P<left_out><!--.*?(?:-->|\Z)|<(script|style|noscript|template)\b.*?(?:</\2\s*>|\Z))"
    r"|(?P<tag></?[A-Za-z])|(?P<declaration><[!?])|[^<]+|<",
    re.I | re.S,
)
_REST_OF_TAG = re.compile(r"(?:\"[^\"]*+\"|'[^']*+'|[^'\">]++)*+>")
# How the official tokens separate what belongs together.
_CLOSES = re.compile(r"[,.;:!?)\]’”%]|''|n't|'s")
_OPENS = re.compile(r"[(\[“]|``")
_QUOTES = {"``": "“", "''": "”"}
_WORD = re.compile(r"&#?\w{1,32};|[^\W_]+(?:['’][^\W_]+)*|\S", re.S)
_STRUCTURE = frozenset(
    {
        *("p", "table", "tr", "th", "td", "ul", "ol", "li", "dl", "dt", "dd"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    }
)


class Token(NamedTuple):
    """A word or a tag of a page; its bytes are -1 where the record does not know them."""

    text: str
    tag: bool = False
    start_byte: int = -1
    end_byte: int = -1

    @property
    def name(self) -> str:
        """The name of the element of a tag, in lower case; "" for a word."""
        return _name_of(self.text) if self.tag else ""

    @property
    def closes(self) -> bool:
        """Whether it is an end tag."""
        return self.tag and self.text.startswith("</")


@lru_cache(maxsize=1_000)
def _name_of(text: str) -> str:
    found = _TAG.match(text.replace("_", " "))
    return found[1].lower() if found else ""


def tokens_of(record: Mapping[str, Any]) -> list[Token]:
    """Return the tokens of a record: its own, those of its text, or those of its HTML."""
    own = record.get("document_tokens")
    if isinstance(own, list) and own:
        return [_read(each) for each in own[:MOST]]
    text = record.get("document_text")
    if isinstance(text, str) and text:
        words = text.split(" ")[:MOST]
        return [Token(word, _TAG.fullmatch(word.replace("_", " ")) is not None) for word in words]
    page = record.get("document_html")
    return list(islice(tokenise_html(page), MOST)) if isinstance(page, str) else []


def tokenise_html(page: str) -> Iterator[Token]:
    """Yield the tokens of HTML, with their bytes in UTF-8.

    Tags that make no structure are left out, and so are comments, scripts and styles.
    """
    at = 0
    for text, left_out in find_parts(page):
        size = len(text.encode("utf-8", "replace"))
        tag = _TAG.match(text)
        if left_out or text.startswith(("<!", "<?")):
            pass
        elif text.startswith("<") and len(text) > 1:
            name = tag[1] if tag else ""
            if name.lower() in _STRUCTURE:
                short = f"</{name.capitalize()}>" if text.startswith("</") else _opening(name, text)
                yield Token(short, True, at, at + size)
        else:
            yield from _words(text, at)
        at += size


def find_parts(page: str) -> Iterator[tuple[str, bool]]:
    """Yield tags, texts and what is left out (True: a comment, or a script with its words).

    Takes time in proportion to the page, however many tags of it are never closed: a tag, or a
    declaration, that is not closed is a `<` and text.
    """
    tags = _TagEnds(page)
    last = page.rfind(">")
    at = 0
    while part := _PART.match(page, at):
        end = part.end()
        if part["tag"]:
            end = tags.find_end(end) or at + 1
        elif part["declaration"]:
            end = page.find(">", end) + 1 if end <= last else at + 1
        yield page[at:end], part["left_out"] is not None
        at = end


class _TagEnds:
    """Finds where tags end: at the first `>` that is not between quotes.

    One pattern finds the end of a tag that has one. The first that has none costs as much as the
    rest of the page; from then on the ends are looked up, all found in one walk from the back.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self.marks: list[int] | None = None
        self.ends: list[int] = []

    def find_end(self, start: int) -> int:
        """Return the place behind the tag whose name is at `start`, 0 if it is never closed."""
        if self.marks is None:
            if found := _REST_OF_TAG.match(self.page, start):
                return found.end()
            self._look_up_all()
        return self.ends[bisect_left(self.marks or [], start)]

    def _look_up_all(self) -> None:
        """For each mark: where a tag ends that has it as the first mark behind its name."""
        self.marks = [mark.start() for mark in re.finditer("[>'\"]", self.page)]
        self.ends = [0] * (len(self.marks) + 1)
        outside = 0  # the end, seen from outside quotes
        within = {'"': 0, "'": 0}  # the end, seen from between quotes of each kind
        for number in range(len(self.marks) - 1, -1, -1):
            mark = self.page[self.marks[number]]
            if mark == ">":
                outside = self.marks[number] + 1
            else:
                outside, within[mark] = within[mark], outside
            self.ends[number] = outside


def _words(text: str, at: int) -> Iterator[Token]:
    counted = 0
    for word in _WORD.finditer(text):
        at += len(text[counted : word.start()].encode("utf-8", "replace"))
        size = len(word[0].encode("utf-8", "replace"))
        read = html.unescape(word[0]).strip()
        if read:
            yield Token(read, False, at, at + size)
        at += size
        counted = word.end()


def _opening(name: str, text: str) -> str:
    spans = re.findall(r"\b(?:col|row)span\s*=\s*[\"']?\d{1,2}\b", text, re.I)
    return f"<{' '.join([name.capitalize(), *(each.replace(' ', '') for each in spans)])}>"


def _read(each: Any) -> Token:
    if not isinstance(each, dict):
        return Token("")
    start, end = each.get("start_byte"), each.get("end_byte")
    return Token(
        str(each.get("token", "")),
        each.get("html_token") is True,
        start if isinstance(start, int) else -1,
        end if isinstance(end, int) else -1,
    )


def has_space_between(before: Token, token: Token) -> bool:
    """Return whether a space belongs between two words: never where the page has none."""
    if token.start_byte >= 0:
        return before.end_byte != token.start_byte
    return not (_CLOSES.fullmatch(token.text) or _OPENS.fullmatch(before.text))


def words_of(tokens: Iterable[Token]) -> str:
    """Return the words of some tokens as a text that reads well."""
    pieces: list[str] = []
    before = None
    for token in tokens:
        if token.tag:
            continue
        if before is not None and has_space_between(before, token):
            pieces.append(" ")
        pieces.append(_QUOTES.get(token.text, token.text))
        before = token
    return "".join(pieces)
