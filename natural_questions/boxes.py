"""The boxes of a page: paragraphs, tables, rows, lists and items, nested as on the page.

A record's own candidates are its boxes; where it has none, every such element is one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from natural_questions.annotation import NOWHERE, PageSpan
from natural_questions.tokens import Token

KINDS = {
    "p": "paragraph",
    "table": "table",
    "tr": "row",
    "ul": "list",
    "ol": "list",
    "dl": "list",
    "li": "item",
    "dd": "item",
    "dt": "item",
}
DEEPEST = 20


@dataclass(frozen=True)
class Box:
    """One box. `candidate` is its place among the record's candidates, `inside` the key of the
    smallest box around it, "" if there is none.
    """

    span: PageSpan
    kind: str
    candidate: int
    inside: str = ""

    @property
    def key(self) -> str:
        """Its tokens, as forms name it: "12-30"."""
        return f"{self.span.start_token}-{self.span.end_token}"


def list_box_elements(tokens: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Return start, end and name of every element that can be a box, as they begin.

    An element that is never closed ends with the one around it; an end tag alone means nothing.
    """
    found: list[tuple[int, int, str]] = []
    open_: list[tuple[int, str]] = []
    names: Counter[str] = Counter()  # of those open

    def close(end: int) -> None:
        start, name = open_.pop()
        names[name] -= 1
        found.append((start, end, name))

    for at, token in enumerate(tokens):
        name = token.name if token.tag else ""  # most are words
        if name not in KINDS:
            continue
        if not token.closes:
            open_.append((at, name))
            names[name] += 1
        elif names[name]:
            while open_[-1][1] != name:
                close(at)
            close(at + 1)
    while open_:
        close(len(tokens))
    return sorted(found, key=lambda each: (each[0], -each[1]))


def boxes_of(record: Mapping[str, Any], tokens: Sequence[Token]) -> list[Box]:
    """Return the boxes of a page in its order; those deeper than 20 are left out."""
    own = record.get("long_answer_candidates")
    made = list_box_elements(tokens)
    if isinstance(own, list) and own:
        names = {start: name for start, _, name in made}
        places = [
            (*place, names[place[0]], number)
            for number, each in enumerate(own)
            if (place := _place(each, len(tokens))) and place[0] in names
        ]
    else:
        places = [(start, end, name, number) for number, (start, end, name) in enumerate(made)]
    boxes: list[Box] = []
    around: list[Box] = []
    for start, end, name, number in sorted(places, key=lambda each: (each[0], -each[1])):
        while around and around[-1].span.end_token < end:
            around.pop()
        if len(around) >= DEEPEST or (around and around[-1].span.start_token == start):
            continue
        inside = around[-1].key if around else ""
        box = Box(span_of(tokens, start, end), KINDS[name], number, inside)
        boxes.append(box)
        around.append(box)
    return boxes


def span_of(tokens: Sequence[Token], start: int, end: int) -> PageSpan:
    """Return a stretch of tokens with its bytes, NOWHERE if it is empty."""
    if not 0 <= start < end <= len(tokens):
        return NOWHERE
    return PageSpan(start, end, tokens[start].start_byte, tokens[end - 1].end_byte)


def _place(each: Any, most: int) -> tuple[int, int] | None:
    """Return start and end of a candidate, None if these are not places on the page."""
    if not isinstance(each, Mapping):
        return None
    start, end = each.get("start_token"), each.get("end_token")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= most:
        return None
    return start, end
