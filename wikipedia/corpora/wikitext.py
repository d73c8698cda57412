"""Turn MediaWiki's wikitext into plain paragraphs, in time proportional to its length.

Dumps hold what people typed: nothing is expanded, and much of it is not closed. One scan with a
stack drops everything but prose (templates, tables, references, formulas, galleries, files,
categories) and keeps the visible part of links and tags. Parsers that build a tree take
minutes for some pages of a hundred kilobytes; a build over millions of pages cannot.

Templates are dropped with their content, except a few that stand for words in a sentence.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from wikipedia.text.words import word_set

# Real pages nest only a handful of levels; joining the text of every level of a hostile page would
# take time that grows with the square of its length.
_JOINED_DEPTH: Final = 24
_LIST_MARKS: Final = "*#:;"
_TABLE_MARKS: Final = ("|", "!", "{|")
# Tags whose content is not wikitext. All but the last two are dropped with it.
_OPAQUE: Final = word_set(
    "ref references math chem ce gallery timeline imagemap syntaxhighlight source score graph"
    " mapframe maplink templatedata templatestyles hiero includeonly style script inputbox"
    " categorytree pre nowiki"
)
_LITERAL: Final = ("pre", "nowiki")
_BREAKING: Final = word_set("br p div li dd dt tr td th ul ol dl center blockquote hr poem")
_TOKEN: Final = re.compile(
    r"""<!--(?P<comment>)
    |</?(?P<tag>[A-Za-z][A-Za-z0-9]*+)(?P<rest>[^<>]*+)>
    |(?P<open>\{{2,})|(?P<close>\}{2,})
    |^[ :]*(?P<table>\{\|)|^[ \t]*(?P<end>\|\})(?!\})
    |(?P<link>\[\[)|(?P<unlink>\]\])
    |(?P<site>\[)(?=https?://|//|ftp://|mailto:|news:|irc:)|(?P<unsite>\])
    """,
    re.VERBOSE | re.MULTILINE,
)
_QUOTES: Final = re.compile("'{2,}")
_MAGIC: Final = re.compile(r"__[A-Z]+__")
_EMPTY_BRACKETS: Final = re.compile(r"\([\s;,:]*\)")
_BRACKET_START: Final = re.compile(r"\((?=[\s;,:])[\s;,:]+")
_LANGUAGE_LINK: Final = re.compile(r"[a-z]{2,3}(-[a-z]{2,6})*:\S")
_SPACE_BEFORE: Final = re.compile(r"(?<=\S) (?=[,.;:!?](?:\s|$))")


@dataclass(frozen=True)
class WikitextLine:
    """A heading (with a level from 1 to 6), or a paragraph (level 0)."""

    level: int
    text: str


def parse_wikitext(
    text: str, *, hidden: frozenset[str] = frozenset(["file", "image", "category"]),
    lists: bool = False,
) -> Iterator[WikitextLine]:  # fmt: skip
    """Yield headings and paragraphs of a page's wikitext without tables; list items if `lists`.

    `hidden` are the namespaces, in lower case, whose links show nothing in the text.
    """
    scan = _Scan(text, hidden)
    scan.run()
    for raw in "".join(scan.out).split("\n"):
        line = raw.strip()
        heading = _heading(line)
        if heading is not None:
            level, title = heading
            clean = _clean(title)
            if clean:
                yield WikitextLine(level, clean)
            continue
        if line.startswith(_TABLE_MARKS) or line.startswith("----"):
            continue
        if line[:1] in _LIST_MARKS and line:
            if not lists:
                continue
            line = line.lstrip(_LIST_MARKS)
        clean = _clean(line)
        if any(character.isalnum() for character in clean):
            yield WikitextLine(0, clean)


class _Scan:
    """One pass over a page. `out` is the text kept so far; the stack holds what is still open."""

    def __init__(self, text: str, hidden: frozenset[str]) -> None:
        self.text = text
        self.hidden = hidden
        self.out: list[str] = []
        self.stack: list[tuple[str, int]] = []
        self.count = dict.fromkeys("{t[e", 0)
        self.unclosed: set[str] = set()
        self._lower: str | None = None

    def run(self) -> None:
        place, text = 0, self.text
        while (found := _TOKEN.search(text, place)) is not None:
            if found.start() > place:
                self.out.append(text[place : found.start()])
            place = self._token(found)
        self.out.append(text[place:])

    def _token(self, found: re.Match[str]) -> int:
        """Process one token; return the position to continue from."""
        kind = found.lastgroup
        if kind == "comment":
            end = self.text.find("-->", found.end())
            return len(self.text) if end < 0 else end + 3
        if kind == "rest":
            return self._tag(found)
        if kind == "open":
            for _ in range(len(found[0]) // 2):
                self._push("{")
        elif kind == "close":
            for _ in range(len(found[0]) // 2):
                self._pop("{", self._template)
        elif kind == "table":
            self._push("t")
        elif kind == "end":
            self._pop("t", _nothing)
        elif kind == "link":
            self._push("[")
        elif kind == "unlink":
            self._close_link()
        elif kind == "site":
            self._push("e")
        elif self.stack and self.stack[-1][0] == "e":
            self._pop("e", _site_label)
        else:
            self.out.append(found[0])
        return found.end()

    def _tag(self, found: re.Match[str]) -> int:
        name, closing = found["tag"].lower(), found[0].startswith("</")
        if name == "table":
            if closing:
                self._pop("t", _nothing)
            elif not found["rest"].endswith("/"):
                self._push("t")
        elif name in _OPAQUE and not closing and not found["rest"].rstrip().endswith("/"):
            return self._opaque(name, found.end())
        elif name in _BREAKING:
            self.out.append("\n" if not self.stack else " ")
        return found.end()

    def _opaque(self, name: str, start: int) -> int:
        """Leave out a tag with its content; if it is not closed, only the tag itself."""
        if name in self.unclosed:
            return start
        if self._lower is None:
            lower = self.text.lower()
            # A few capitals change length, which would shift offsets: such pages keep their case.
            self._lower = lower if len(lower) == len(self.text) else self.text
        found = _closing(name).search(self._lower, start)
        if found is None:
            self.unclosed.add(name)
            return start
        end = found.start()
        if name in _LITERAL:
            self.out.append(html.escape(self.text[start:end], quote=False).replace("''", ""))
        after = self.text.find(">", end)
        return len(self.text) if after < 0 else after + 1

    def _push(self, kind: str) -> None:
        self.stack.append((kind, len(self.out)))
        self.count[kind] += 1

    def _pop(self, kind: str, show: Callable[[list[str]], str]) -> None:
        """Close the nearest `kind` and all that is open inside it; if there is none, do nothing."""
        if not self.count[kind]:
            return
        while True:
            opened, start = self.stack.pop()
            self.count[opened] -= 1
            if opened == kind:
                break
        inside = self.out[start:]
        del self.out[start:]
        shown = show(inside) if len(self.stack) < _JOINED_DEPTH else ""
        if shown:
            self.out.append(shown)

    def _close_link(self) -> None:
        while self.stack and self.stack[-1][0] == "e":
            self._pop("e", _site_label)
        if self.stack and self.stack[-1][0] == "[":
            self._pop("[", self._link)

    def _link(self, inside: list[str]) -> str:
        first = inside[0] if inside else ""
        prefix, colon, _ = first.partition(":")
        namespace = prefix.strip().replace("_", " ").lower()
        if colon and namespace in self.hidden:
            return ""
        content = "".join(inside)
        target, bar, label = content.partition("|")
        if not bar and _LANGUAGE_LINK.match(content):
            return ""
        return label if bar else target.lstrip(":").strip()

    def _template(self, inside: list[str]) -> str:
        head = inside[0] if inside else ""
        name = head.partition("|")[0].strip().replace("_", " ").lower()
        show = _SHOWN.get(name)
        if show is None:
            return ""
        parts = [part.strip() for part in "".join(inside).split("|")[1:]]
        return show([part for part in parts if not _NAMED.match(part)])


@cache
def _closing(name: str) -> re.Pattern[str]:
    """Match the end of a tag, but not of one with a longer name: `ref` is not `references`."""
    return re.compile(rf"</{name}(?![a-z0-9])")


_NAMED: Final = re.compile(r"[\w -]{1,40}=")


def _nothing(inside: list[str]) -> str:
    return ""


def _site_label(inside: list[str]) -> str:
    _, _, label = "".join(inside).partition(" ")
    return label.strip()


def _at(place: int) -> Callable[[list[str]], str]:
    return lambda parts: parts[place] if -len(parts) <= place < len(parts) else ""


def _fixed(text: str) -> Callable[[list[str]], str]:
    return lambda parts: text


def _measure(parts: list[str]) -> str:
    """“5 km” of {{convert|5|km|mi}}, “5 to 7 km” of {{convert|5|to|7|km}}."""
    if len(parts) > 3 and not parts[1][:1].isdigit() and parts[2][:1].isdigit():
        between = "–" if parts[1] in ("-", "–") else f" {parts[1]} "
        return f"{parts[0]}{between}{parts[2]} {parts[3]}"
    return " ".join(parts[:2])


def _fraction(parts: list[str]) -> str:
    if len(parts) == 3:
        return f"{parts[0]} {parts[1]}/{parts[2]}"
    return "/".join(parts[:2] if len(parts) == 2 else ["1", *parts[:1]])


def _after(word: str) -> Callable[[list[str]], str]:
    return lambda parts: f"{word} {parts[0]}" if parts else word.strip()


# Templates used inside sentences: the text they show, made from their unnamed values.
_SHOWN: Final[dict[str, Callable[[list[str]], str]]] = {
    **dict.fromkeys(
        ("nowrap", "nobr", "nowr", "small", "smaller", "big", "em", "strong", "abbr", "ill",
         "interlanguage link", "quote", "blockquote", "cquote", "sic", "tooltip", "formatnum",
         "val", "ship name", "not a typo", "as written", "visible anchor", "vanchor", "sc",
         "smallcaps", "uss", "hms", "ss"),
        _at(0),
    ),
    **dict.fromkeys(("lang", "transl", "transliteration", "color", "font color"), _at(-1)),
    **dict.fromkeys(("convert", "cvt"), _measure),
    **dict.fromkeys(("frac", "fraction", "sfrac"), _fraction),
    **dict.fromkeys(("circa", "c."), _after("c.")),
    "as of": _after("As of"),
    **dict.fromkeys(("ndash", "en dash"), _fixed("–")),
    **dict.fromkeys(("spaced ndash", "snd", "spnd", "sndash"), _fixed(" – ")),
    **dict.fromkeys(("mdash", "em dash"), _fixed("—")),
    **dict.fromkeys(("nbsp", "spaces", "pad", "clear", "-"), _fixed(" ")),
    **dict.fromkeys(("'", "apostrophe"), _fixed("'")),
    "'s": _fixed("'s"),
    "!": _fixed("|"),
    "=": _fixed("="),
}  # fmt: skip


def _heading(line: str) -> tuple[int, str] | None:
    if not line.startswith("=") or not line.endswith("=") or len(line) < 3:
        return None
    before = len(line) - len(line.lstrip("="))
    after = len(line) - len(line.rstrip("="))
    level = min(before, after, 6)
    title = line[level : len(line) - level].strip()
    return (level, title) if title.strip("=") else None


def _clean(line: str) -> str:
    """Return a line without emphasis and the gaps left by templates, its entities resolved."""
    line = _QUOTES.sub(_quotes, line)
    line = html.unescape(_MAGIC.sub("", line))
    line = " ".join(line.split())
    if "(" in line:
        line = _BRACKET_START.sub("(", _EMPTY_BRACKETS.sub("", line))
    return _SPACE_BEFORE.sub("", " ".join(line.split()))


def _quotes(found: re.Match[str]) -> str:
    count = len(found[0])
    return "'" * (count - 5) if count > 5 else "'" * (count == 4)
