"""Pages with their tokens and boxes found; each process keeps the last ones.

Finding them takes most of the time of a request about a page (docs/performance.md), and every saved
draft asks for them again.
"""

from collections import OrderedDict
from threading import Lock

from django.db import connection

from accounts import prepared_statements
from natural_questions.models import Page
from natural_questions.prepared_pages import ParsedPage, open_prepared, parse_page, prepare_page
from natural_questions.statements import READ_RECORD

# A long page has 60,000 tokens, most have 7,000. These take about 50 MB.
MOST_TOKENS = 200_000


class RecentPages:
    """The pages used last, by question, each with the digest of its record."""

    def __init__(self, most_tokens: int = MOST_TOKENS) -> None:
        self.most_tokens = most_tokens
        self._pages: OrderedDict[int, tuple[str, ParsedPage]] = OrderedDict()
        self._lock = Lock()

    def get(self, question: int) -> tuple[str, ParsedPage | None]:
        """Return digest and page, "" and None if it is not here."""
        with self._lock:
            if question not in self._pages:
                return "", None
            self._pages.move_to_end(question)
            return self._pages[question]

    def keep_page(self, question: int, digest: str, page: ParsedPage) -> None:
        """Keep a page, and drop those used least recently while there are too many tokens."""
        with self._lock:
            self._pages[question] = digest, page
            self._pages.move_to_end(question)
            while len(self._pages) > 1 and self._tokens() > self.most_tokens:
                self._pages.popitem(last=False)

    def clear(self) -> None:
        """Forget every page."""
        with self._lock:
            self._pages.clear()

    def _tokens(self) -> int:
        return sum(len(page.tokens) for _, page in self._pages.values())


LAST = RecentPages()


def parsed_of(question: int) -> ParsedPage | None:
    """Return the page of a question, None if it was imported without one. One query.

    One more where a long page had to be parsed, to store that for every process. Not in a
    transaction: it may be one that only reads, or hold what others wait for.
    """
    known, page = LAST.get(question)
    rows = prepared_statements.fetch_rows(READ_RECORD, {"digest": known, "question": question})
    if not rows:
        return None
    [(digest, record, prepared)] = rows
    if record is None and page is not None:
        return page
    packed = bytes(record)
    page = open_prepared(prepared, packed)
    if page is None:
        page = parse_page(packed)
        if not connection.in_atomic_block and (made := prepare_page(packed, page)):
            Page.objects.filter(question_id=question).update(prepared=made)
    LAST.keep_page(question, digest, page)
    return page
