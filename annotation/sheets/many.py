"""Fields of a form of which there are many: its parts, and the warnings that were kept.

The fields of a part have its name and place in front in a POST: "piece-0-content".
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from annotation.sheets.fields import (
    Field,
    FormData,
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
class PartsField(Field, Generic[P]):
    """Parts of one kind, in order: "<prefix>-<i>-<field>" in a POST.

    Places in a POST may have gaps; parts are renumbered, and sentences refer to them by `name` and
    number, from 1.
    """

    kind: Callable[..., P]
    prefix: str
    name: str
    most: int
    fields: Mapping[str, Field]

    @property
    def empty(self) -> object:
        return ()

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
        return re.compile(rf"{self.prefix}-(\d{{1,6}})-(?:{'|'.join(names)})", re.ASCII)

    def from_post(self, data: FormData, name: str, where: str) -> tuple[P, ...]:
        indexes = self.list_indexes(data)
        self._check(len(indexes))
        return tuple(
            record_from_post(
                self.kind, self.fields, data, f"{self.prefix}-{index}-", f"{self.name} {number}"
            )
            for number, index in enumerate(indexes, start=1)
        )

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> tuple[P, ...]:
        parts = list_of(row.get(name, self.empty), name)
        self._check(len(parts))
        return tuple(
            record_from_json(
                self.kind,
                self.fields,
                object_of(part, f"{self.name} {number}"),
                f"{self.name} {number}",
            )
            for number, part in enumerate(parts, start=1)
        )

    def value_to_json(self, value: Iterable[P]) -> object:
        return [record_to_json(self.fields, part) for part in value]

    def schema(self) -> dict[str, Any]:
        return object_list_schema(build_field_schemas(self.fields), self.most)

    def _check(self, count: int) -> None:
        check_count(
            count, self.most, f"There are {{count}} {self.prefix}s. The maximum is {{most}}."
        )


@dataclass(frozen=True)
class Keeps(Field):
    """Reasons for kept warnings; those at the fields `names` of parts follow the renumbering."""

    parts: PartsField[Any] | None = None
    names: tuple[str, ...] = ()

    @property
    def empty(self) -> object:
        return ()

    def from_post(self, data: FormData, name: str, where: str) -> tuple[Keep, ...]:
        keeps = posted_keeps(data)
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


def posted_keeps(data: FormData) -> tuple[Keep, ...]:
    """Read ``keep-rule``, ``keep-field`` and ``keep-reason``, side by side, of a POST."""
    columns = [data.getlist(f"keep-{name}") for name in ("rule", "field", "reason")]
    if len({len(column) for column in columns}) != 1:
        raise ResponseError(f"The reasons for kept warnings do not line up. {_MISFIT}")
    return keeps_from(zip(*columns, strict=True))
