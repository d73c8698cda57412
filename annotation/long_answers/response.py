"""A writer's response: read from a form, stored as a draft, settled for submission.

Values are immutable and always clean, as those of `annotation.generation.responses`.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotation.generation.responses import Origin
from annotation.sheets.fields import (
    Field,
    Form,
    FormData,
    Keep,
    LineField,
    PassageField,
    Quotes,
    get_last_value,
    list_of,
    object_of,
)
from annotation.sheets.keeps import renumber_keeps
from annotation.sheets.many import Keeps, PartsField
from annotation.sheets.schemas import object_list_schema, text_schema
from annotation.text.cleaning import check_count, passage_of

MAX_TEXT = 20_000
MAX_PIECES = 50
MAX_CONTENT = 10_000
MAX_PAGE = 300
MAX_WORDS = 1_000
MAX_OVERRIDES = 100
MAX_FEEDBACK = 5_000

_SAID = re.compile(r"said-(\d{1,3})", re.ASCII)


@dataclass(frozen=True)
class Piece:
    """A piece of knowledge: sentences, the title of their page, the ids of their quotes if any.

    `more` are further quotes; without a first one there are none. `suggestion` is the id of the
    suggestion it began as.
    """

    content: str = ""
    page: str = ""
    quote: int | None = None
    more: tuple[int, ...] = ()
    suggestion: int | None = None

    @property
    def quotes(self) -> tuple[int, ...]:
        """The ids of all its quotes, the first one first."""
        return () if self.quote is None else (self.quote, *self.more)

    @property
    def empty(self) -> bool:
        return not (self.content or self.page)


@dataclass(frozen=True)
class Wording:
    """Words of the long answer that say a short answer in other words (S11).

    `at` is roughly where they are, in code points: of several places the nearest counts.
    """

    disambiguation: int
    words: str
    at: int = 0


@dataclass(frozen=True)
class LongAnswerResponse:
    """Everything on the form. `knowledge` may hold empty pieces until it is settled.

    `suggestion` is the id of the suggested draft that was added to the text.
    """

    text: str = ""
    knowledge: tuple[Piece, ...] = ()
    said: tuple[Wording, ...] = ()
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()
    suggestion: int | None = None


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Overrides(Field):
    """``said-<position>`` with ``said-<position>-at``: one for each disambiguation, in order.

    The last value counts; empty words remove the override.
    """

    @property
    def empty(self) -> object:
        return ()

    def from_post(self, data: FormData, name: str, where: str) -> tuple[Wording, ...]:
        return _overrides(
            Wording(
                int(match[1]),
                _words(get_last_value(data, key)),
                _place(get_last_value(data, f"{key}-at")),
            )
            for key in data.keys()  # noqa: SIM118
            if (match := _SAID.fullmatch(key))
        )

    def read(self, value: object, where: str) -> tuple[Wording, ...]:
        rows = [object_of(row, "An override") for row in list_of(value, "said")]
        return _overrides(
            Wording(
                _place(row.get("disambiguation", 0)),
                _words(row.get("words", "")),
                _place(row.get("at", 0)),
            )
            for row in rows
        )

    def value_to_json(self, value: Iterable[Wording]) -> object:
        return [asdict(override) for override in value]

    def schema(self) -> dict[str, Any]:
        place = {"type": "integer", "minimum": 0, "maximum": 999_999}
        parts = {"disambiguation": place, "words": text_schema(MAX_WORDS), "at": place}
        return object_list_schema(parts, MAX_OVERRIDES)


def _words(value: object) -> str:
    return passage_of(value, MAX_WORDS, "What you marked")


def _overrides(overrides: Iterable[Wording]) -> tuple[Wording, ...]:
    last = {wording.disambiguation: wording for wording in overrides}
    check_count(
        len(last), MAX_OVERRIDES, "There are {count} marked answers. The maximum is {most}."
    )
    return tuple(last[key] for key in sorted(last) if last[key].words)


def _place(value: object) -> int:
    """Return the value if it is a whole number from 0 to 999,999, else 0."""
    text = str(value).strip()
    usable = not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) < 7
    return int(text) if usable else 0


PIECES = PartsField(
    Piece,
    "piece",
    "Piece",
    MAX_PIECES,
    {
        "content": PassageField(MAX_CONTENT, "the text"),
        "page": LineField(MAX_PAGE, "the page"),
        "quote": Quotes(),
        "suggestion": Origin(),
    },
)
FORM = Form(
    LongAnswerResponse,
    {
        "text": PassageField(MAX_TEXT, "The long answer", key="long_answer"),
        "knowledge": PIECES,
        "said": Overrides(),
        "feedback": PassageField(MAX_FEEDBACK, "The feedback"),
        "keeps": Keeps(PIECES, ("piece",)),
        "suggestion": Origin(),
    },
)
from_post, from_json, to_json = FORM.from_post, FORM.from_json, FORM.to_json


def quotes_in(response: LongAnswerResponse) -> list[int]:
    """Return the ids of the quotes that are named anywhere on the form."""
    return [quote for piece in response.knowledge for quote in piece.quotes]


def keep_submitted_parts(response: LongAnswerResponse) -> LongAnswerResponse:
    """Return what is submitted: without empty pieces; kept warnings follow the others' numbers."""
    numbers: dict[int, int] = {}
    for number, piece in enumerate(response.knowledge, start=1):
        if not piece.empty:
            numbers[number] = len(numbers) + 1
    return replace(
        response,
        knowledge=tuple(piece for piece in response.knowledge if not piece.empty),
        keeps=renumber_keeps(response.keeps, ("piece",), numbers),
    )
