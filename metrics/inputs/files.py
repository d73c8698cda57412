"""JSON and JSON lines from a file, gzip or not, and the sentences for what is wrong in them."""

import gzip
import json
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from metrics.score import BadInput

Missing = Literal["error", "zero"]
Extra = Literal["error", "ignore"]
T = TypeVar("T")

_SHOWN = 10
_LARGE, _LARGE_IF_LOADED = 1 << 23, 1 << 16
_GZIP = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, unpacked where it is gzip (by its first bytes, not its name).

    Raises ``BadInput`` where the file cannot be read or is cut short.
    """
    with translate_read_errors(path):
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(_GZIP) else data


@contextmanager
def translate_read_errors(path: Path) -> Iterator[None]:
    """Turn errors while a file is read into ``BadInput``."""
    try:
        yield
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInput(f"{path}: the gzip data is damaged or cut short ({error}).") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from None


def read_json(path: Path) -> Any:
    """Return the JSON of a file; a key that stands twice in one object is an error.

    Raises ``BadInput`` with the line for what is not JSON.
    """
    return parse_json(read_bytes(path), str(path), 1)


def read_records(path: Path) -> Any:
    """Return a file's JSON, or the list of its lines' JSON where it holds one value per line.

    Lines end at a newline only: U+2028 inside a string is text. Blank lines are left out, so that
    a file with no others is an empty list. Raises ``BadInput`` with the line for what is not JSON.
    """
    data = read_bytes(path).rstrip()
    if not data or _has_lines(data):
        return [value for _, value in _lines(data, path)]
    return parse_json(data, str(path), 1)


def list_records(path: Path, data: Any) -> list[dict[str, Any]]:
    """Return the records that ``read_records`` found: a list of objects, or a single one.

    Raises ``BadInput`` with the place in the list for anything else.
    """
    records = [data] if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise BadInput(f"{path}: must be a list, or lines, of one JSON object per question.")
    for place, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise BadInput(f"{path}, record {place}: must be one JSON object.")
    return records


def by_id(
    path: Path, records: Iterable[dict[str, Any]], key: Callable[[dict[str, Any]], Any], said: str
) -> dict[str, dict[str, Any]]:
    """Return records by the id that ``key`` gives of each; a sentence calls that id ``said``.

    Raises ``BadInput`` where it is not a text or a whole number, or stands twice.
    """
    found: dict[str, dict[str, Any]] = {}
    places: dict[str, int] = {}
    for place, record in enumerate(records, 1):
        name = parse_id(key(record))
        if name is None:
            raise BadInput(f"{path}, record {place}: {said} must be a string or a whole number.")
        if name in found:
            raise BadInput(
                f"{path}, record {place}: {name} is already in record {places[name]}. "
                "Keep one of the two."
            )
        found[name], places[name] = record, place
    return found


def parse_id(value: Any) -> str | None:
    """Return an id as text, a whole number too; None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        return None
    return str(value)


def render_name_list(names: Iterable[str]) -> str:
    """Return names for a message: the first ten, then how many more."""
    every = list(names)
    shown = ", ".join(every[:_SHOWN])
    return f"{shown} and {len(every) - _SHOWN:,} more" if len(every) > _SHOWN else shown


def check_ids_match(
    references: Collection[str],
    predictions: Mapping[str, T],
    *,
    path: Path,
    missing: Missing,
    extra: Extra = "error",
    noun: str = "question",
) -> None:
    """Check that the predictions in ``path`` are for exactly the referenced items.

    Raises ``BadInput`` naming the ids without a prediction (unless ``missing`` is "zero") and the
    ids that no reference has (unless ``extra`` is "ignore").
    """
    known = set(references)
    absent = [name for name in references if name not in predictions]
    unknown = [name for name in predictions if name not in known]
    said = []
    if absent and missing == "error":
        said.append(
            f"{_count(len(absent), noun)} without a prediction: {render_name_list(absent)}. "
            "Add them, or count them as 0 with --missing zero."
        )
    if unknown and extra == "error":
        said.append(
            f"{_count(len(unknown), 'prediction')} for no {noun} of the references: "
            f"{render_name_list(unknown)}. Remove them, or leave them out with --extra ignore."
        )
    if said:
        raise BadInput(f"{path}: " + " ".join(said))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _lines(data: bytes, path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, parse_json(line, str(path), number)


def parse_json(data: bytes, path: str, line: int) -> Any:
    """Return the JSON in ``data``, which begins at a line of a file; as ``read_json`` does."""
    if len(data) > _large() and (parsed := _quick(data)):
        return parsed[0]
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        where = line + data[: error.start].count(b"\n")
        raise BadInput(f"{path}, line {where}: is not UTF-8 text. Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        where = line + error.lineno - 1
        raise BadInput(f"{path}, line {where}: is not JSON ({error.msg}).") from None
    except RecursionError:
        raise BadInput(f"{path}, line {line}: is nested too deeply to be read.") from None
    except ValueError:  # the one that is left: a whole number of more than 4,300 digits
        raise BadInput(f"{path}, line {line}: has a number that is too long to be read.") from None
    except _RepeatedKey as error:
        raise BadInput(f"{path}: {error}") from None


def _large() -> int:
    """Return from how many bytes on orjson gains more than its import takes."""
    return _LARGE_IF_LOADED if "orjson" in sys.modules else _LARGE


def _quick(data: bytes) -> tuple[Any] | None:
    from metrics.inputs import quick_json

    try:
        return (quick_json.parse_unique_keys(data),)
    except (TypeError, ValueError):  # nested too deeply is the first
        return None


class _RepeatedKey(Exception):
    """A key stands twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = {key for key, _ in pairs if key in seen or seen.add(key)}  # type: ignore[func-returns-value]
        raise _RepeatedKey(
            f"appears twice in one object: {render_name_list(sorted(twice))}. Keep one of each."
        )
    return found


def _has_lines(data: bytes) -> bool:
    """Whether there is a value in the first line and something after it."""
    first, _, rest = data.strip().partition(b"\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True
