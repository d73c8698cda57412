"""The pages of questions as models read them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import Any
from urllib.parse import unquote

from metrics.nq import NqSpan
from modeling.base import PageCandidate, PageWord
from natural_questions.parsed_pages import parsed_of
from natural_questions.prepared_pages import ParsedPage
from natural_questions.scores import to_nq_span
from natural_questions.tokens import words_of

# In the address of a page of Wikipedia: “…?title=Pump_Lane&oldid=8” or “…/wiki/Pump_Lane”.
_TITLES = (re.compile(r"[?&]title=([^&#]+)"), re.compile(r"/([^/?#]+)(?:[?#].*)?\Z"))
_NO_PAGE = ParsedPage("", "", (), ())


class OwnPage:
    """The page of a question, read once it is asked for. A QuestionPage. One query, then none."""

    def __init__(self, question: int) -> None:
        self._question = question

    @cached_property
    def _parsed(self) -> ParsedPage:
        return parsed_of(self._question) or _NO_PAGE

    @property
    def candidates(self) -> Sequence[PageCandidate]:
        """Return the boxes of the page."""
        return [
            PageCandidate(self.words_at(span), box.kind, span, not box.inside)
            for box in self._parsed.boxes
            for span in [to_nq_span(box.span)]
        ]

    def words_at(self, span: NqSpan) -> str:
        """Return the words of a stretch by its tokens or, without these, by its bytes."""
        return words_of(self._parsed.tokens[self._tokens_of(span)])

    def list_words(self, span: NqSpan) -> Sequence[PageWord]:
        """Return each word of a stretch with its place, by its tokens or else by its bytes."""
        tokens, places = self._parsed.tokens, self._tokens_of(span)
        return [
            PageWord(token.text, NqSpan(token.start_byte, token.end_byte, place, place + 1))
            for place, token in enumerate(tokens[places], places.start)
            if not token.tag and token.text.strip()
        ]

    def find_words(self, words: str, within: NqSpan) -> NqSpan | None:
        """Return where words stand first in a stretch, whole words only; None where they do not."""
        wanted = "".join(words.split())
        places = self._tokens_of(within)
        tokens = self._parsed.tokens
        written = [place for place in range(places.start, places.stop) if not tokens[place].tag]
        texts = ["".join(words_of([tokens[place]]).split()) for place in written]
        ends = list(accumulate(map(len, texts)))
        starts = [0, *ends[:-1]]
        text, at = "".join(texts), -1
        while wanted and (at := text.find(wanted, at + 1)) >= 0:
            if at in starts and at + len(wanted) in ends:
                first = written[bisect_right(starts, at) - 1]
                last = written[bisect_left(ends, at + len(wanted))]
                return NqSpan(tokens[first].start_byte, tokens[last].end_byte, first, last + 1)
        return None

    def _tokens_of(self, span: NqSpan) -> slice:
        """Return the places of the tokens of a stretch; none where it is not on the page."""
        tokens = self._parsed.tokens
        start, end = span.start_token, span.end_token
        if start < 0 <= span.start_byte and tokens and tokens[0].start_byte >= 0:
            start = bisect_left(tokens, span.start_byte, key=attrgetter("start_byte"))
            end = bisect_left(tokens, span.end_byte, key=attrgetter("start_byte"))
        return slice(start, end) if 0 <= start < end <= len(tokens) else slice(0, 0)


def title_of(context: Mapping[str, Any]) -> str:
    """Return the title of a question's page: its own, or that in its address; else the address."""
    title, url = str(context.get("title") or ""), str(context.get("url") or "")
    named = next(filter(None, (pattern.search(url) for pattern in _TITLES)), None)
    return title or unquote(named[1] if named else url)
