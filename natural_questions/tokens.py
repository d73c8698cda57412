"""The page of a record as tokens: words and the tags that make its structure.

Both official forms are read, and plain HTML, whose tokens are found here. Nothing of a page is
ever shown as it came: `shown` builds its own HTML from these tokens.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

MOST = 400_000
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)[^<>]*>")
_PART = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|noscript|template)\b.*?(?:</\1\s*>|\Z)"
    r"|</?[A-Za-z](?:\"[^\"]*\"|'[^']*'|[^'\">])*>|<[!?][^>]*>|[^<]+|<",
    re.I | re.S,
)
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
    return list(tokenised(page))[:MOST] if isinstance(page, str) else []


def tokenised(page: str) -> Iterator[Token]:
    """Yield the tokens of HTML, with their bytes in UTF-8.

    Tags that make no structure are left out, and so are comments, scripts and styles.
    """
    at = 0
    for part in _PART.finditer(page):
        text = part[0]
        size = len(text.encode("utf-8", "replace"))
        tag = _TAG.match(text)
        if part[1] is not None or text.startswith(("<!", "<?")):
            pass
        elif text.startswith("<") and len(text) > 1:
            name = tag[1] if tag else ""
            if name.lower() in _STRUCTURE:
                short = f"</{name.capitalize()}>" if text.startswith("</") else _opening(name, text)
                yield Token(short, True, at, at + size)
        else:
            yield from _words(text, at)
        at += size


def _words(text: str, at: int) -> Iterator[Token]:
    for word in _WORD.finditer(text):
        start = at + len(text[: word.start()].encode("utf-8", "replace"))
        read = html.unescape(word[0]).strip()
        if read:
            yield Token(read, False, start, start + len(word[0].encode("utf-8", "replace")))


def _opening(name: str, text: str) -> str:
    spans = re.findall(r"\b(?:col|row)span\s*=\s*[\"']?\d{1,2}\b", text, re.I)
    return f"<{' '.join([name.capitalize(), *(each.replace(' ', '') for each in spans)])}>"


def _read(each: Any) -> Token:
    if not isinstance(each, Mapping):
        return Token("")
    numbers = [each.get(key) for key in ("start_byte", "end_byte")]
    start, end = (n if isinstance(n, int) else -1 for n in numbers)
    return Token(str(each.get("token", "")), each.get("html_token") is True, start, end)


def spaced(before: Token, token: Token) -> bool:
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
        if before is not None and spaced(before, token):
            pieces.append(" ")
        pieces.append(_QUOTES.get(token.text, token.text))
        before = token
    return "".join(pieces)
