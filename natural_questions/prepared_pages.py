"""The page of a record with its tokens and boxes found, and what is kept of that for a long page.

To find the boxes of a long page and to write its HTML takes longer than the rest of its request. So
both are made when its record is imported, and stored beside it. What is stored carries a signature
over itself, its record and the number of the parser: anything else is not used, and the page is
parsed again. The tokens are not stored: few requests need them, and the record has them.
"""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Final, overload

import orjson
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.safestring import SafeString, mark_safe

from natural_questions.annotation import PageSpan
from natural_questions.boxes import Box, boxes_of
from natural_questions.page_html import page_html
from natural_questions.records import unpack_record
from natural_questions.tokens import Token, tokens_of

PARSER: Final = 1  # to be raised when a record may give other boxes or other HTML than before
LONG: Final = 200_000  # bytes of a packed record; pages of shorter ones are parsed fast enough
_SIGNATURE: Final = hashlib.sha256().digest_size


@dataclass(frozen=True)
class ParsedPage:
    """A page as people work on it. written: its HTML, where that is known already."""

    title: str
    address: str
    tokens: Sequence[Token]
    boxes: Sequence[Box]
    written: SafeString | None = None

    @cached_property
    def html(self) -> SafeString:
        """The page as it is shown, with no box chosen."""
        return page_html(self.tokens, self.boxes) if self.written is None else self.written


class RecordTokens(Sequence[Token]):
    """The tokens of a packed record: their number is known, each is found when one is asked for."""

    def __init__(self, packed: bytes, number: int) -> None:
        self._packed = packed
        self._number = number

    @cached_property
    def _found(self) -> Sequence[Token]:
        return tokens_of(unpack_record(self._packed))

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, at: int) -> Token: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Token]: ...
    def __getitem__(self, at: int | slice) -> Token | Sequence[Token]:
        return self._found[at]


def parse_page(packed: bytes) -> ParsedPage:
    """Return the page of a packed record."""
    record = unpack_record(packed)
    tokens = tokens_of(record)
    return ParsedPage(
        str(record.get("document_title", "")),
        str(record.get("document_url", "")),
        tokens,
        boxes_of(record, tokens),
    )


def prepare_page(packed: bytes, page: ParsedPage | None = None) -> bytes | None:
    """Return what is stored beside a packed record: None where its page is not long.

    page: that of the record, if it was parsed already.
    """
    if len(packed) < LONG:
        return None
    page = page or parse_page(packed)
    boxes = [(astuple(box.span), box.kind, box.candidate, box.inside) for box in page.boxes]
    known = (page.title, page.address, len(page.tokens), boxes, page.html)
    content = zlib.compress(orjson.dumps(known))
    return _sign(content, packed) + content


def open_prepared(prepared: bytes | None, packed: bytes) -> ParsedPage | None:
    """Return the page that was stored beside a record; None where it is not of this very record,
    or not what this program would store.
    """
    signature, content = (prepared or b"")[:_SIGNATURE], (prepared or b"")[_SIGNATURE:]
    if not constant_time_compare(signature, _sign(content, packed)):
        return None
    title, address, number, boxes, html = orjson.loads(zlib.decompress(content))
    return ParsedPage(
        title,
        address,
        RecordTokens(packed, number),
        [Box(PageSpan(*span), *others) for span, *others in boxes],
        mark_safe(html),  # noqa: S308 - `page_html` wrote it, which the signature says
    )


def _sign(content: bytes, packed: bytes) -> bytes:
    """Return a signature that only this installation can make, for this record and parser."""
    of_record = hashlib.sha256(packed).digest()
    salt = f"{__name__}.{PARSER}"
    return salted_hmac(salt, of_record + content, algorithm="sha256").digest()
