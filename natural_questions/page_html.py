"""A page as HTML that is safe to show: built from its tokens, never from its own HTML.

Words are escaped, tags become ours, and nothing else of the page is left: no link, no image, no
attribute but how many columns or rows a cell covers. Each box begins with the radio button that
chooses it, so that it can be chosen without scripts.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from natural_questions.boxes import Box
from natural_questions.tokens import Token, words_of

_SHOWN = {
    **{"p": "div", "table": "table", "tr": "tr", "th": "th", "td": "td"},
    **{"ul": "ul", "ol": "ol", "li": "li", "dl": "div", "dt": "div", "dd": "div"},
    **{"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6", "h6": "h6"},
}
_SPAN = re.compile(r"\b(colspan|rowspan)=[\"']?(\d{1,2})\b", re.I)
# What may stand directly in a table, a row or a list; anything else gets the element named here.
_INSIDE = {
    "table": (("tr", "caption"), "caption"),
    "tr": (("th", "td"), "td"),
    "ul": (("li",), "li"),
    "ol": (("li",), "li"),
}
_NEEDS = {"tr": ("table",), "th": ("tr",), "td": ("tr",), "li": ("ul", "ol")}


class _PageBuilder:
    """A page being built: its elements still open, and the pieces so far."""

    def __init__(self, boxes: Mapping[int, Box]) -> None:
        self.boxes = boxes
        self.out: list[str] = []
        # Each with the name of its tag in the record ("" where we put it in) and its own.
        self.open: list[tuple[str, str]] = []
        self.names: Counter[str] = Counter()  # of the tags in the record that are open
        self.words: list[Token] = []
        self.waiting: list[str] = []

    @property
    def around(self) -> str:
        return self.open[-1][1] if self.open else ""

    def flush(self) -> None:
        """Write the words read so far."""
        if self.words:
            self._make_room("")
            self.out.append(escape(words_of(self.words)) + " ")
            self.words = []

    def open_element(self, token: Token, at: int, label: str, words: int) -> None:
        """Open the element of a tag; a box gets its radio button at the first fit place."""
        self.flush()
        name = _SHOWN[token.name]
        while self.open and name in _INSIDE.get(self._outer(), ((),))[0] and not self.open[-1][0]:
            self._end()
        if name in _NEEDS and self.around not in _NEEDS[name]:
            name = "div"
        self._make_room(name)
        box = self.boxes.get(at)
        attributes = f' class="box" data-box="{box.key}" data-words="{words}"' if box else ""
        if name in ("th", "td"):
            for key, number in _SPAN.findall(token.text):
                attributes += f' {key.lower()}="{max(1, int(number))}"'
        self.out.append(f"<{name}{attributes}>")
        self.open.append((token.name, name))
        self.names[token.name] += 1
        if box:
            self.waiting.append(self._radio(box, label))
        if name not in _INSIDE:
            self._put_waiting()

    def close(self, token: Token) -> None:
        self.flush()
        if not self.names[token.name]:
            return
        while self.open[-1][0] != token.name:
            self._end()
        self._end()

    def finish(self) -> str:
        self.flush()
        while self.open:
            self._end()
        return "".join(self.out)

    def _outer(self) -> str:
        return self.open[-2][1] if len(self.open) > 1 else ""

    def _make_room(self, name: str) -> None:
        """Open what must stand between the element around and what comes."""
        allowed, put = _INSIDE.get(self.around, ((), ""))
        if put and (not name or name not in allowed):
            self.out.append(f"<{put}>")
            self.open.append(("", put))
            self._put_waiting()

    def _put_waiting(self) -> None:
        self.out += self.waiting
        self.waiting = []

    def _end(self) -> None:
        name = self.open[-1][1]
        if self.waiting and name in _INSIDE:  # an empty table, row or list
            self._make_room("")
            self._end()
        self.out.append(f"</{name}>")
        self.names[self.open.pop()[0]] -= 1

    def _radio(self, box: Box, label: str) -> str:
        hidden = f'<span class="visually-hidden">: {escape(label)}</span>'
        return (
            '<label class="box-name"><input type="radio" name="box" form="answer" '
            f'value="{box.key}"><span>{box.kind}{hidden}</span></label>'
        )


def page_html(tokens: Sequence[Token], boxes: Sequence[Box]) -> SafeString:
    """Return the page with its boxes, none of them chosen."""
    begins = {box.span.start_token: box for box in boxes}
    page = _PageBuilder(begins)
    words = list(accumulate((not each.tag for each in tokens), initial=0))
    for at, token in enumerate(tokens):
        if not token.tag:
            page.words.append(token)
        elif token.name not in _SHOWN:
            continue
        elif token.closes:
            page.close(token)
        else:
            end = begins[at].span.end_token if at in begins else at
            label = words_of(tokens[at : min(end, at + 12)])
            page.open_element(token, at, label, words[end] - words[at])
    return mark_safe(page.finish())  # noqa: S308 - words are escaped and tags are ours


def chosen_in(page: SafeString, key: str) -> SafeString:
    """Return a page with the box of a key chosen, if it has one."""
    radio = f'form="answer" value="{key}"'
    return mark_safe(page.replace(f"{radio}>", f"{radio} checked>", 1))  # noqa: S308 - its own words
