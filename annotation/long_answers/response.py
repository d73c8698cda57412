"""What a writer typed: read from a form, kept as a draft, settled for submission.

Values are immutable and always clean, as those of `annotation.responses`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotation.cleaning import (
    Quotes,
    ResponseError,
    check_count,
    drafted_quotes,
    line_of,
    more_of,
    passage_of,
    quotes_of,
)
from annotation.responses import FormData, Keep, keeps_from

MAX_TEXT = 20_000
MAX_PIECES = 50
MAX_CONTENT = 10_000
MAX_PAGE = 300
MAX_WORDS = 1_000
MAX_OVERRIDES = 100
MAX_FEEDBACK = 5_000

_PIECE = re.compile(r"piece-(\d{1,6})-(?:content|page|quote)", re.ASCII)
_SAID = re.compile(r"said-(\d{1,3})", re.ASCII)
_PIECE_FIELD = re.compile(r"piece-(\d{1,7})", re.ASCII)


@dataclass(frozen=True)
class Piece:
    """A piece of knowledge: sentences, the title of their page, the ids of their quotes if any.

    `more` are further quotes; without a first one there are none.
    """

    content: str = ""
    page: str = ""
    quote: int | None = None
    more: tuple[int, ...] = ()

    @property
    def quotes(self) -> tuple[int, ...]:
        """The ids of all its quotes, the first one first."""
        return () if self.quote is None else (self.quote, *self.more)

    @property
    def empty(self) -> bool:
        return not (self.content or self.page)


@dataclass(frozen=True)
class Said:
    """Words of the long answer that say a short answer otherwise (S11).

    `at` is about where they stand, in code points: of several places the nearest counts.
    """

    disambiguation: int
    words: str
    at: int = 0


@dataclass(frozen=True)
class Response:
    """Everything on the form. `knowledge` may hold empty pieces until it is settled."""

    text: str = ""
    knowledge: tuple[Piece, ...] = ()
    said: tuple[Said, ...] = ()
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


def from_post(data: FormData) -> Response:
    """Read the form.

    Fields: ``long_answer``; ``piece-<i>-content``, ``piece-<i>-page``, ``piece-<i>-quote``;
    ``said-<position>`` with ``said-<position>-at``; ``feedback``; ``keep-rule``, ``keep-field``,
    ``keep-reason`` side by side. Indexes of pieces may have holes: they are numbered anew, and
    kept warnings follow. Raises ResponseError when something cannot be read or is too long.
    """
    indexes = sorted(
        {int(match[1]) for key in data.keys() if (match := _PIECE.fullmatch(key))}  # noqa: SIM118
    )
    check_count(len(indexes), MAX_PIECES, "There are {count} pieces. The maximum is {most}.")
    said = [
        Said(int(match[1]), _words(_only(data, key)), _place(_only(data, f"{key}-at")))
        for key in data.keys()  # noqa: SIM118
        if (match := _SAID.fullmatch(key))
    ]
    return Response(
        text=passage_of(_only(data, "long_answer"), MAX_TEXT, "The long answer"),
        knowledge=tuple(
            _piece(
                _only(data, f"piece-{index}-content"),
                _only(data, f"piece-{index}-page"),
                quotes_of(_only(data, f"piece-{index}-quote"), f"Piece {number}"),
                f"Piece {number}",
            )
            for number, index in enumerate(indexes, start=1)
        ),
        said=_said(said),
        feedback=passage_of(_only(data, "feedback"), MAX_FEEDBACK, "The feedback"),
        keeps=_keeps(data, indexes),
    )


def from_json(data: object) -> Response:
    """Read what ``to_json`` wrote. Unknown keys are passed over, missing ones are empty.

    Raises ResponseError when a value has the wrong shape.
    """
    top = _object(data, "The draft")
    pieces = [_object(each, "A piece") for each in _list(top.get("knowledge", []), "knowledge")]
    check_count(len(pieces), MAX_PIECES, "There are {count} pieces. The maximum is {most}.")
    rows = [_object(each, "An override") for each in _list(top.get("said", []), "said")]
    keeps = [_object(each, "A kept warning") for each in _list(top.get("keeps", []), "keeps")]
    return Response(
        text=passage_of(top.get("text", ""), MAX_TEXT, "The long answer"),
        knowledge=tuple(
            _piece(
                each.get("content", ""),
                each.get("page", ""),
                drafted_quotes(each, f"Piece {number}"),
                f"Piece {number}",
            )
            for number, each in enumerate(pieces, start=1)
        ),
        said=_said(
            Said(
                _place(each.get("disambiguation", 0)),
                _words(each.get("words", "")),
                _place(each.get("at", 0)),
            )
            for each in rows
        ),
        feedback=passage_of(top.get("feedback", ""), MAX_FEEDBACK, "The feedback"),
        keeps=keeps_from(
            (each.get("rule"), each.get("field"), each.get("reason")) for each in keeps
        ),
    )


def to_json(response: Response) -> dict[str, object]:
    """Return the response as plain lists and dicts, for a JSON column."""
    return {
        "text": response.text,
        "knowledge": [
            {
                "content": piece.content,
                "page": piece.page,
                "quote": piece.quote,
                **more_of(piece.more),
            }
            for piece in response.knowledge
        ],
        "said": [asdict(each) for each in response.said],
        "feedback": response.feedback,
        "keeps": [asdict(keep) for keep in response.keeps],
    }


def settled(response: Response) -> Response:
    """Return what is submitted: without empty pieces; kept warnings follow the others' numbers."""
    numbers: dict[int, int] = {}
    for number, piece in enumerate(response.knowledge, start=1):
        if not piece.empty:
            numbers[number] = len(numbers) + 1
    return replace(
        response,
        knowledge=tuple(piece for piece in response.knowledge if not piece.empty),
        keeps=_renumbered(response.keeps, numbers),
    )


# --- reading -------------------------------------------------------------------------------------


def _piece(content: object, page: object, quotes: Quotes, where: str) -> Piece:
    return Piece(
        passage_of(content, MAX_CONTENT, f"{where}: the text"),
        line_of(page, MAX_PAGE, f"{where}: the page"),
        *quotes,
    )


def _words(value: object) -> str:
    return passage_of(value, MAX_WORDS, "What you marked")


def _said(found: Iterable[Said]) -> tuple[Said, ...]:
    """One for each disambiguation, in their order; the last counts, empty words take it back."""
    last = {each.disambiguation: each for each in found}
    check_count(
        len(last), MAX_OVERRIDES, "There are {count} marked answers. The maximum is {most}."
    )
    return tuple(last[key] for key in sorted(last) if last[key].words)


def _place(value: object) -> int:
    """Read a whole number from 0; what is none, or far too large, is 0."""
    text = str(value).strip()
    usable = not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) < 7
    return int(text) if usable else 0


def _keeps(data: FormData, indexes: Sequence[int]) -> tuple[Keep, ...]:
    columns = [data.getlist(f"keep-{name}") for name in ("rule", "field", "reason")]
    if len({len(column) for column in columns}) != 1:
        raise ResponseError(
            "The reasons for kept warnings do not line up. "
            "Reload the page; your last saved text is there."
        )
    numbers = {index + 1: number for number, index in enumerate(indexes, start=1)}
    return _renumbered(keeps_from(zip(*columns, strict=True)), numbers)


def _renumbered(keeps: Iterable[Keep], numbers: Mapping[int, int]) -> tuple[Keep, ...]:
    """Name the pieces of kept warnings by their new numbers; those of a deleted one go."""
    found = []
    for keep in keeps:
        match = _PIECE_FIELD.fullmatch(keep.field)
        if match and int(match[1]) not in numbers:
            continue
        field = f"piece-{numbers[int(match[1])]}" if match else keep.field
        found.append(replace(keep, field=field))
    return tuple(found)


def _only(data: FormData, key: str) -> object:
    values = data.getlist(key)
    return values[-1] if values else ""


def _object(data: object, what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise ResponseError(f"{what} should be an object.")
    return data


def _list(data: object, what: str) -> Sequence[object]:
    if not isinstance(data, list | tuple):
        raise ResponseError(f"{what} should be a list.")
    return data
