"""Set-up files of ASQA's kit: a row for each pair of answers that people are to judge (S32)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from annotation.imports.lines import BOM
from annotation.imports.sniff import HEAD
from evaluation.judgments import judgment_files
from evaluation.judgments.imported_judgments import BadRow, name_of, value_of
from evaluation.systems.formats import MAX_ANSWER

COLUMNS = ("key", "model 1", "model 2", "answer 1", "answer 2")
_MARK = b"model 1"


@dataclass(frozen=True)
class PairRow:
    """One pair: the row it is in, its question, and each model with its answer."""

    number: int
    question: str
    answers: tuple[tuple[str, str], tuple[str, str]]

    @property
    def models(self) -> frozenset[str]:
        """The models that are compared."""
        return frozenset(model for model, _ in self.answers)


def is_setup(beginning: BinaryIO) -> bool:
    """Return whether a file begins as a set-up: its first row names a model 1."""
    beginning.seek(0)
    head = beginning.read(HEAD).removeprefix(BOM).lstrip()
    beginning.seek(0)
    if not head.startswith((b"[", b"{")):
        return _MARK in head.split(b"\n")[0].lower()
    row = judgment_files.find_first_row(beginning)
    return row is not None and "model 1" in {name.strip().lower() for name in row}


def count_pairs(file: BinaryIO) -> int:
    """Return how many rows a file has, up to the maximum."""
    return judgment_files.count_records(file, COLUMNS)


def read_pairs(
    file: BinaryIO, on_read: Callable[[int], None] = lambda number: None
) -> list[PairRow]:
    """Return the pairs of a file. Raises WrongFormat for it as a whole, BadRows for its rows."""
    return judgment_files.read_rows(file, _parse_row, COLUMNS, on_read)


def _parse_row(number: int, data: Mapping[str, object]) -> PairRow:
    row = {column.strip().lower(): value for column, value in data.items()}
    first, second = (
        (name_of(row, f"model {side}"), _answer(row, f"answer {side}")) for side in (1, 2)
    )
    if first[0] == second[0]:
        raise BadRow("model 2", second[0], "is the same system as model 1")
    return PairRow(number, name_of(row, "key", 200), (first, second))


def _answer(row: Mapping[str, object], column: str) -> str:
    value = value_of(row, column)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_ANSWER:
        raise BadRow(column, value, f"is not a text of 1 to {MAX_ANSWER:,} characters")
    return value
