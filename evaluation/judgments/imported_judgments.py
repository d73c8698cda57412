"""Files of judgments made elsewhere, as values: the kit's columns, or what `judgments` exports."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from annotation.imports.records import describe_value

MOST_NAME = 80
NAMED = 50  # bad rows
MISSING = "is missing"


@dataclass(frozen=True)
class Design:
    """What a file says of its study; without a word it is that of the kit.

    systems: by the label that judgments use, (name, version, kind).
    """

    title: str = ""
    criteria: tuple[Mapping[str, str], ...] = ()
    steps: int = 3
    accuracy: bool = True
    pairing: str = "matching"
    shown: str = "lower"
    seed: int = 0
    stratified: bool = False
    reference: str = ""
    systems: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ImportedJudgment:
    """One judgment: the row it is in, sides as shown, the response as stages keep it.

    right: "" where there is one answer alone. pair: its item's position, None if the file does not
    say; repeats: the position of the item that it repeats. judge: "" if the file names nobody.
    """

    number: int
    question: str
    left: str
    right: str
    judge: str
    pair: int | None
    response: Mapping[str, Any]
    repeats: int | None = None

    @property
    def systems(self) -> frozenset[str]:
        """The systems that are judged."""
        return frozenset({self.left, self.right} - {""})


def digest_of(design: Design, rows: Iterable[ImportedJudgment]) -> str:
    """Return what identifies the judgments of a file, whatever its layout and the study's title."""
    facts = [asdict(design) | {"title": ""}, *(asdict(row) | {"number": 0} for row in rows)]
    return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()


class BadRow(ValueError):
    """A value that cannot be taken, and why."""

    def __init__(self, column: str, value: object, reason: str) -> None:
        self.column, self.value, self.reason = column, value, reason
        super().__init__(column, value, reason)

    @property
    def sentence(self) -> str:
        """What is wrong, without the number of the row."""
        if not self.column:
            return self.reason
        value = "" if self.reason == MISSING else f"{describe_value(self.value)} "
        return f"{self.column} {value}{self.reason}."


class BadRows(Exception):
    """Some rows cannot be taken, so none is. `rows`: the first of them, with their numbers."""

    def __init__(self, rows: Sequence[tuple[int, BadRow]], total: int) -> None:
        self.rows = list(rows[:NAMED])
        self.count = len(rows)
        cannot = "1 row" if self.count == 1 else f"{self.count:,} rows"
        self.summary = f"{cannot} of {total:,} cannot be imported, so nothing was."
        super().__init__(f"{self.summary} {self.sentences[0]}")

    @property
    def sentences(self) -> list[str]:
        """What is wrong with each of the first rows."""
        return [f"Row {number:,}: {row.sentence}" for number, row in self.rows]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the rows with number, column, value and reason."""
        return [
            {
                "row": number,
                "column": row.column,
                "value": describe_value(row.value) if row.column and row.reason != MISSING else "",
                "reason": row.reason,
            }
            for number, row in self.rows
        ]


def build_response(
    left: Iterable[tuple[str, str]],
    right: Iterable[tuple[str, str]],
    *,
    choices: Iterable[str],
    **rest: Any,
) -> dict[str, Any]:
    """Return a response as stages keep it; left and right: (found, words) per disambiguation."""
    sides = ([{"found": found, "words": words} for found, words in side] for side in (left, right))
    response = dict(zip(("left", "right"), sides, strict=True))
    response["choices"] = [{"better": better} for better in choices]
    return {**response, "verdict": "", "why": "", "feedback": "", "keeps": [], **rest}


def value_of(row: Mapping[str, object], column: str) -> object:
    """Return the value of a column, whose name a table has in lower case."""
    for name in (column.lower(), column):
        if name in row:
            return row[name]
    raise BadRow(column, None, MISSING)


def parse_whole_number(row: Mapping[str, object], column: str, most: int) -> int:
    """Return a whole number from 0 to `most`, which may be text, as in a table."""
    value = value_of(row, column)
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 12:
        text = int(text)
    if isinstance(text, bool) or not isinstance(text, int) or not 0 <= text <= most:
        raise BadRow(column, value, f"is not a whole number from 0 to {most:,}")
    return text


def name_of(row: Mapping[str, object], column: str, most: int = MOST_NAME) -> str:
    """Return a name or an id, which may be a whole number."""
    value = value_of(row, column)
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise BadRow(column, value, "is not a name")
    text = text.strip()
    if len(text) > most:
        raise BadRow(column, value, f"is longer than {most} characters")
    return text


def one_of(row: Mapping[str, object], column: str, allowed: Iterable[Any]) -> Any:
    """Return a value that is one of those allowed, of the same type."""
    value, choices = value_of(row, column), list(allowed)
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        words = ", ".join(str(choice) or "empty" for choice in choices)
        raise BadRow(column, value, f"is not one of: {words}")
    return value
