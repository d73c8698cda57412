"""Cleaning what people send: text without control characters, the ids of quotes.

The text of every ResponseError is written for the person who sent the value.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from metrics.text import comparison_form

# The first quote of a form or a piece, if any, and the further ones.
Quotes = tuple[int | None, tuple[int, ...]]

MAX_QUOTES = 20
_MAX_ID = 2**63 - 1

_LINE_BREAK = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
# Control characters (tab and line feed are text in a longer field) and halves of surrogate pairs.
_UNWANTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


class ResponseError(ValueError):
    """A form or draft that cannot be read; the text is shown to its author."""


def line_of(value: object, most: int, what: str) -> str:
    """Read text that belongs on one line: a line break becomes a space."""
    parts = (part.strip() for part in _LINE_BREAK.split(text_of(value, what)))
    return passage_of(" ".join(part for part in parts if part), most, what)


def passage_of(value: object, most: int, what: str) -> str:
    """Read text of several lines; text without a visible character counts as empty."""
    text = text_of(value, what).replace("\r\n", "\n").replace("\r", "\n")
    text = _UNWANTED.sub("", text).strip()
    if len(text) > most:
        raise ResponseError(
            f"{what} has {len(text):,} characters. The maximum is {most:,}; shorten it."
        )
    # Any letter or figure stays in that form: most texts begin with one.
    return text if any(map(str.isalnum, text)) or comparison_form(text) else ""


def text_of(value: object, what: str) -> str:
    """Return the value as it is if it is text. Raises ResponseError."""
    if not isinstance(value, str):
        raise ResponseError(f"{what} should be text, and is {format_value(value)}.")
    return value


def format_value(value: object) -> str:
    """Return a value for use in a sentence, short and without control characters."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


def check_count(count: int, most: int, sentence: str) -> None:
    if count > most:
        raise ResponseError(sentence.format(count=count, most=most))


# --- quotes -------------------------------------------------------------------------------------


def quotes_of(value: object, where: str) -> Quotes:
    """Read the quotes of a form: ids with spaces between, or a draft's list of them."""
    parts = value.split() if isinstance(value, str) else value
    keys = [quote_of(part, where) for part in (parts if isinstance(parts, list) else [parts])]
    return first_and_more(pk for pk in keys if pk is not None)


def first_and_more(quotes: Iterable[int]) -> Quotes:
    """Return the first quote and the further ones, without duplicates."""
    distinct = tuple(dict.fromkeys(quotes))
    return (distinct[0], distinct[1:MAX_QUOTES]) if distinct else (None, ())


def quote_of(value: object, where: str) -> int | None:
    """Read a quote id, which a form sends as text and a draft holds as a number."""
    if value is None or value == "":
        return None
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) <= 19):
        raise ResponseError(f"{where}: {format_value(value)} is not the number of a quote.")
    number = int(text)
    if not 0 < number <= _MAX_ID:
        raise ResponseError(f"{where}: {format_value(value)} is not the number of a quote.")
    return number


def more_of(more: Sequence[int]) -> dict[str, object]:
    """Return the "more" entry of a draft; nothing where there are no further quotes."""
    return {"more": list(more)} if more else {}


def drafted_quotes(item: Mapping[str, object], where: str) -> Quotes:
    """Read the quotes of a form or a piece of a draft: "quote" and, where it has some, "more"."""
    more = item.get("more", [])
    if not isinstance(more, list):
        raise ResponseError(f"{where} should have a list of quotes, and has {format_value(more)}.")
    return quotes_of([item.get("quote"), *more], where)
