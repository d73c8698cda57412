"""Read files of judgments made elsewhere: in the columns of ASQA's kit, or exported from Ambit.

The kit's rows are a JSON list, JSON lines or a table; our export has a record for the study first.
Nothing of a file is taken unless all of it can be.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO, TypeVar

from annotation.imports.arrays import split_array
from annotation.imports.lines import BOM, split_lines
from annotation.imports.records import BadLine, Piece, WrongFormat, context_of, load_object
from annotation.imports.sniff import HEAD, layout_of
from annotation.imports.table import split_table
from evaluation.consensus.models import Consensus
from evaluation.judgments import kit
from evaluation.judgments.imported_judgments import (
    BadRow,
    BadRows,
    Design,
    ImportedJudgment,
    build_response,
    name_of,
    one_of,
    parse_whole_number,
    value_of,
)
from evaluation.studies.design import SINGLE
from evaluation.studies.judgment_values import CHOICES
from evaluation.studies.models import MOST_SEED, Study
from evaluation.systems.models import System

MOST_BYTES = 100 * 1024 * 1024
MOST_ROWS = 20_000
MOST_TEXT = 10_000
REPORT_EVERY = 500
NOTHING = "The file holds no judgments."
MOST_CRITERIA = 20
_MOST_POSITION = 2**31 - 1
_Row = TypeVar("_Row")
_POINTS = ("found", "choices", "times")


def read_judgments(
    file: BinaryIO, on_read: Callable[[int], None] = lambda number: None
) -> tuple[Design, list[ImportedJudgment]]:
    """Return the design of the study and its judgments.

    `on_read` is called now and then with how many rows were read. Raises WrongFormat for the file
    as a whole, and BadRows where any row cannot be read.
    """
    check_size(file)
    rows = _numbered(_cut(file)(file))
    first = next(rows, None)
    if first is None:
        raise WrongFormat(NOTHING)
    rows = _reporting(chain([first], rows), on_read)
    if not _is_ours(first):
        return kit.DESIGN, _taken(rows, kit.parse_row)
    _, study = next(rows)
    assert isinstance(study, dict)
    design = _design_of(study)
    return design, _taken(rows, partial(_judgment, design, study.get("study")))


def read_rows(
    file: BinaryIO,
    read_row: Callable[[int, Mapping[str, object]], _Row],
    needed: Sequence[str],
    on_read: Callable[[int], None] = lambda number: None,
) -> list[_Row]:
    """Return the rows of a list, lines or a table that needs these columns, each as it is read.

    Raises WrongFormat for the file as a whole, and BadRows where any row cannot be read.
    """
    check_size(file)
    return _taken(_reporting(_numbered(_cut(file, needed)(file)), on_read), read_row)


def find_first_row(beginning: BinaryIO) -> Mapping[str, object] | None:
    """Return the first row of a list or of lines; None where it cannot be read."""
    first = next(_numbered(_cut(beginning)(beginning)), None)
    return first[1] if first is not None and isinstance(first[1], dict) else None


def design_in(beginning: BinaryIO, *, whole: bool) -> Design:
    """Return the design of the study from the beginning of a file, or all of it.

    Raises WrongFormat where it shows that the file holds something else.
    """
    first = next(_numbered(_cut(beginning)(beginning)), None)
    if first is None and whole:
        raise WrongFormat(NOTHING)
    if first is None or not _is_ours(first):
        return kit.DESIGN
    _, study = first
    assert isinstance(study, dict)
    return _design_of(study)


def count_records(file: BinaryIO, needed: Sequence[str] = kit.NEEDED) -> int:
    """Return how many rows a file has, the study of an export included, up to the maximum."""
    return sum(1 for _ in islice(_cut(file, needed)(file), MOST_ROWS))


def check_size(file: BinaryIO) -> None:
    """Raise WrongFormat for a file that is too large."""
    size = file.seek(0, 2)
    if size > MOST_BYTES:
        raise WrongFormat(
            f"The file has {size / 1024**2:,.0f} MB. The maximum is {MOST_BYTES // 1024**2} MB."
        )


def _is_ours(row: "Row") -> bool:
    return isinstance(row[1], dict) and "kind" in row[1]


Row = tuple[int, dict[str, object] | BadRow]


def _cut(
    file: BinaryIO, needed: Sequence[str] = kit.NEEDED
) -> Callable[[BinaryIO], Iterator[Piece]]:
    file.seek(0)
    start = file.read(HEAD).removeprefix(BOM).lstrip()[:1]
    if start == b"[":
        layout_of(file, ("array",))
        return split_array
    if start == b"{":
        layout_of(file, ("parts", "lines"))
        return split_lines
    layout_of(file, ("table",))
    return partial(split_table, needed=needed)


def _numbered(pieces: Iterator[Piece]) -> Iterator[Row]:
    for number, piece in enumerate(pieces, 1):
        if number > MOST_ROWS:
            raise WrongFormat(f"The file has more than {MOST_ROWS:,} rows. Cut it in two.")
        try:
            if isinstance(piece.found, BadLine):
                raise ValueError(piece.found.reason)
            yield number, context_of(load_object(piece.found))
        except ValueError as error:
            yield number, BadRow("", None, str(error))


def _reporting(rows: Iterator[Row], on_read: Callable[[int], None]) -> Iterator[Row]:
    number = 0
    for number, row in rows:
        yield number, row
        if not number % REPORT_EVERY:
            on_read(number)
    on_read(number)


def _taken(
    rows: Iterator[Row], read_row: Callable[[int, Mapping[str, object]], _Row | None]
) -> list[_Row]:
    taken: list[_Row] = []
    bad: list[tuple[int, BadRow]] = []
    number = 0
    for number, row in rows:
        try:
            if isinstance(row, BadRow):
                raise row
            judgment = read_row(number, row)
        except BadRow as problem:
            bad.append((number, problem))
            continue
        if judgment is not None:
            taken.append(judgment)
    if bad:
        raise BadRows(bad, number)
    if not taken:
        raise WrongFormat(NOTHING)
    return taken


# --- our own export --------------------------------------------------------------------------


def _design_of(study: Mapping[str, object]) -> Design:
    if study["kind"] != "study":
        raise WrongFormat("An export of judgments begins with the record of its study.")
    try:
        return _design(study)
    except BadRow as problem:
        raise WrongFormat(f"The study: {problem.sentence}") from None


def _design(study: Mapping[str, object]) -> Design:
    criteria = _objects(study, "criteria", MOST_CRITERIA)
    systems = {
        name_of(row, "label", 121): (
            name_of(row, "name"),
            _line(row, "version", 40),
            one_of(row, "kind", System.Kind.values),
        )
        for row in _objects(study, "systems", 1_000)
    }
    design = Design(
        title=name_of(study, "title", 120),
        criteria=tuple(
            {"key": name_of(row, "key", 40)} | {k: _line(row, k) for k in ("label", "wording")}
            for row in criteria
        ),
        steps=one_of(study, "steps", (3, 5)),
        accuracy=one_of(study, "accuracy", (True, False)),
        pairing=one_of(study, "pairing", Study.Pairing.values),
        shown=one_of(study, "shown", Study.Shown.values),
        seed=parse_whole_number(study, "seed", MOST_SEED),
        stratified=one_of(study, "stratified", (True, False)),
        reference=name_of(study, "reference", 121) if study.get("reference") else "",
        systems=systems,
    )
    for label, (name, version, _) in systems.items():
        if label != f"{name} {version}".strip():
            raise BadRow("label", label, "is not the name and the version of its system")
    if len({row["key"] for row in design.criteria}) < len(criteria):
        raise BadRow("criteria", None, "has the same key twice")
    if (design.pairing == Study.Pairing.REFERENCE) != bool(design.reference):
        raise BadRow("reference", design.reference, f"does not fit the pairing {design.pairing}")
    return design


def _judgment(
    design: Design, study: object, number: int, row: Mapping[str, object]
) -> ImportedJudgment | None:
    kind = one_of(row, "kind", ("study", "judgment", "consensus"))
    if row.get("study") != study or kind == "study":
        raise BadRow("study", row.get("study"), "is another study. Export one of them, alone")
    if kind == "consensus":
        return None  # what experts agreed on belongs to them
    found, choices, times = (_object(row, column) for column in _POINTS)
    left, right = name_of(row, "left", 121), row.get("right")
    right = "" if right is None else name_of(row, "right", 121)
    if left == right:
        raise BadRow("right", right, "is the same system as left")
    if bool(right) == (design.pairing in SINGLE):
        raise BadRow("right", right, f"does not fit the pairing {design.pairing}")
    sides = [
        [(one_of(each, "found", ("yes", "no", "")), _line(each, "words")) for each in side]
        for side in (_objects(found, name, 100) for name in ("left", "right"))
    ]
    keys = [criterion["key"] for criterion in design.criteria] if right else []
    return ImportedJudgment(
        number=number,
        question=name_of(row, "id", 200),
        left=left,
        right=right,
        judge=name_of(row, "judge"),
        pair=parse_whole_number(row, "item", _MOST_POSITION),
        repeats=None
        if row.get("repeats") is None
        else parse_whole_number(row, "repeats", _MOST_POSITION),
        response=build_response(
            *sides,
            choices=[one_of(choices, key, (*CHOICES, "")) for key in keys],
            verdict=one_of(row, "verdict", ("", *Consensus.Verdict.values)),
            why=_line(row, "reason"),
            seconds=parse_whole_number(times, "active_seconds", _MOST_POSITION),
        ),
    )


def _line(row: Mapping[str, object], column: str, most: int = MOST_TEXT) -> str:
    value = value_of(row, column)
    if not isinstance(value, str) or len(value) > most:
        raise BadRow(column, value, f"is not a text of at most {most:,} characters")
    return value


def _object(row: Mapping[str, object], column: str) -> Mapping[str, Any]:
    value = value_of(row, column)
    if not isinstance(value, dict):
        raise BadRow(column, value, "is not an object")
    return value


def _objects(row: Mapping[str, object], column: str, most: int) -> Sequence[Mapping[str, Any]]:
    value = value_of(row, column)
    fits = isinstance(value, list) and all(isinstance(each, dict) for each in value)
    if not fits or len(value) > most:  # type: ignore[arg-type]
        raise BadRow(column, value, f"is not a list of at most {most} objects")
    return value  # type: ignore[return-value]
