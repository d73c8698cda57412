"""Fields of a form of which there are many: rows of several kinds, and the kept warnings.

`Many` reads and writes them; its subclasses say how rows lie in a POST: the fields of a part have
its name and place in front ("piece-0-content"), others stand side by side.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Generic, TypeVar

from annotation.sheets.fields import (
    Field,
    FormData,
    TickField,
    build_field_schemas,
    list_of,
    object_of,
    record_from_json,
    record_from_post,
    record_to_json,
)
from annotation.sheets.keeps import KEEPS, Keep, keeps_from, renumber_keeps
from annotation.sheets.schemas import object_list_schema
from annotation.text.cleaning import ResponseError, check_count

_MISFIT = "Reload the page; your last saved text is there."

P = TypeVar("P")


@dataclass(frozen=True)
class PostedPart:
    """A part of a POST as a form of its own: its `own` fields, and those that `prefix` begins."""

    data: FormData
    prefix: str = ""
    own: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def keys(self) -> Iterable[str]:
        start = len(self.prefix)
        rest = (key[start:] for key in self.data.keys() if key.startswith(self.prefix))  # noqa: SIM118
        return [*self.own, *rest]

    def getlist(self, key: str, /) -> Sequence[object]:
        return self.own[key] if key in self.own else self.data.getlist(self.prefix + key)


@dataclass(frozen=True)
class Many(Field, Generic[P]):
    """Rows of one kind, in order; a list of objects in JSON, where rows can hold rows.

    `word` is one of them in sentences about how many there are, `name` in sentences about one.
    """

    kind: Callable[..., P]
    word: str
    name: str
    most: int
    fields: Mapping[str, Field]

    @property
    def empty(self) -> object:
        return ()

    def list_posted(self, data: FormData) -> Sequence[FormData]:
        """Return each row of a POST as a form of its own. Raises ResponseError."""
        raise NotImplementedError

    def name_row(self, number: int) -> str:
        """Return what sentences call a row, by its number from 1."""
        return f"{self.name} {number}"

    def check_rows(self, rows: Sequence[object]) -> None:
        """Raise ResponseError if there are too many rows."""
        check_count(
            len(rows), self.most, f"There are {{count}} {self.word}s. The maximum is {{most}}."
        )

    def from_post(self, data: FormData, name: str, where: str) -> tuple[P, ...]:
        rows = self.list_posted(data)
        self.check_rows(rows)
        return tuple(
            record_from_post(self.kind, self.fields, row, self.name_row(number))
            for number, row in enumerate(rows, start=1)
        )

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> tuple[P, ...]:
        rows = list_of(row.get(name, self.empty), name)
        self.check_rows(rows)
        return tuple(
            record_from_json(self.kind, self.fields, object_of(each, called), called)
            for called, each in zip(map(self.name_row, count(1)), rows, strict=False)
        )

    def value_to_json(self, value: Iterable[P]) -> object:
        return [record_to_json(self.fields, row) for row in value]

    def schema(self) -> dict[str, Any]:
        return object_list_schema(build_field_schemas(self.fields), self.most)


@dataclass(frozen=True)
class PartsField(Many[P]):
    """Parts of a form: "<word>-<i>-<field>" in a POST.

    Places in a POST may have gaps; parts are renumbered, and sentences refer to them by `name` and
    number, from 1.
    """

    def list_indexes(self, data: FormData) -> list[int]:
        """Return the places in a POST, in order."""
        pattern = self._posted
        return sorted({int(m[1]) for key in data.keys() if (m := pattern.fullmatch(key))})  # noqa: SIM118

    @cached_property
    def _posted(self) -> re.Pattern[str]:
        names = {
            called
            for name, each in self.fields.items()
            for called in each.names_in_post(each.key or name)
        }
        return re.compile(rf"{self.word}-(\d{{1,6}})-(?:{'|'.join(names)})", re.ASCII)

    def list_posted(self, data: FormData) -> Sequence[FormData]:
        return [PostedPart(data, f"{self.word}-{index}-") for index in self.list_indexes(data)]


@dataclass(frozen=True)
class SideBySide(Many[P]):
    """Rows whose fields stand side by side in a POST, each field once for each row.

    A field that is not sent at all is empty; one to tick is sent with the places of the rows that
    are ticked, from 0. How many there may be is asked once it is known which of them count.
    """

    uneven: str

    def names_in_post(self, name: str) -> tuple[str, ...]:
        return tuple(each.key or field_name for field_name, each in self.fields.items())

    def list_posted(self, data: FormData) -> Sequence[FormData]:
        columns, ticked = dict[str, Sequence[object]](), dict[str, set[object]]()
        for name, each in self.fields.items():
            values = data.getlist(each.key or name)
            if isinstance(each, TickField):
                ticked[each.key or name] = set(values)
            else:
                columns[each.key or name] = values
        sent = [column for column in columns.values() if column]
        if len({len(column) for column in sent}) > 1:
            raise ResponseError(self.uneven)
        return [
            PostedPart(
                data,
                own={name: column[at : at + 1] for name, column in columns.items()}
                | {name: [str(at) in places] for name, places in ticked.items()},
            )
            for at in range(len(sent[0]) if sent else 0)
        ]

    def name_row(self, number: int) -> str:
        return self.name

    def check_rows(self, rows: Sequence[object]) -> None:
        pass


@dataclass(frozen=True)
class Keeps(Field):
    """Reasons for kept warnings; those at the fields `names` of parts follow the renumbering."""

    parts: PartsField[Any] | None = None
    names: tuple[str, ...] = ()

    @property
    def empty(self) -> object:
        return ()

    def from_post(self, data: FormData, name: str, where: str) -> tuple[Keep, ...]:
        columns = [data.getlist(f"keep-{name}") for name in ("rule", "field", "reason")]
        if len({len(column) for column in columns}) != 1:
            raise ResponseError(f"The reasons for kept warnings do not line up. {_MISFIT}")
        keeps = keeps_from(zip(*columns, strict=True))
        if self.parts is None:
            return keeps
        indexes = self.parts.list_indexes(data)
        numbers = {index + 1: number for number, index in enumerate(indexes, start=1)}
        return renumber_keeps(keeps, self.names, numbers)

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> tuple[Keep, ...]:
        keeps = [
            object_of(item, "A kept warning") for item in list_of(row.get(name, self.empty), name)
        ]
        return keeps_from(
            (keep.get("rule"), keep.get("field"), keep.get("reason", "")) for keep in keeps
        )

    def value_to_json(self, value: Iterable[Keep]) -> object:
        return [dict(vars(keep)) for keep in value]

    def schema(self) -> dict[str, Any]:
        return KEEPS
