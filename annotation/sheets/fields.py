"""The fields of a form, declared once: read from a POST, stored as JSON, read back.

    FORM = Form(
        Response,
        {
            "text": Passage(20_000, "The long answer", key="long_answer"),
            "knowledge": (pieces := Many(Piece, "piece", "Piece", 50, {
                "content": Passage(10_000, "the text"),
                "quote": Quotes(),
            })),
            "kind": Choice(("yes", "no"), "{value} is neither yes nor no."),
            "keeps": Keeps(pieces, ("piece",)),
        },
    )
    FORM.from_post(data)      FORM.from_json(draft)      FORM.to_json(response)

The keys of the mapping are the attributes of the response, a frozen dataclass, and the keys of its
JSON. In a POST a field has the name of its attribute, or `key`; the fields of a part have its name
and place in front: "piece-0-content". Values that were read are always clean: no control
characters, no lone surrogates, no surrounding white space. The text of a ResponseError is for the
person who typed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeGuard, TypeVar

from annotation.sheets.keeps import KEEPS, keeps_from, renumber_keeps
from annotation.sheets.keeps import Keep as Keep
from annotation.sheets.schemas import QUOTES, object_list_schema, object_with, text_schema
from annotation.text.cleaning import (
    ResponseError,
    check_count,
    drafted_quotes,
    format_value,
    line_of,
    more_of,
    passage_of,
    quotes_of,
)

_MISFIT = "Reload the page; your last saved text is there."

P = TypeVar("P")


class FormData(Protocol):
    """The methods of a QueryDict that reading a form needs."""

    def keys(self) -> Iterable[str]: ...

    def getlist(self, key: str, /) -> Sequence[object]: ...


def get_last_value(data: FormData, key: str) -> object:
    """Return the last value of a field with one value, "" if it is missing."""
    values = data.getlist(key)
    return values[-1] if values else ""


def object_of(value: object, what: str) -> Mapping[str, object]:
    """Return the value if it is an object of JSON. Raises ResponseError."""
    if not _is_mapping(value):
        raise ResponseError(f"{what} should be an object, and is {format_value(value)}.")
    return value


def list_of(value: object, what: str) -> Sequence[object]:
    """Return the value if it is a list of JSON. Raises ResponseError."""
    if not isinstance(value, list | tuple):
        raise ResponseError(f"{what} should be a list, and is {format_value(value)}.")
    return value


def _is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


# --- single fields -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """One thing on a form.

    An ordinary field defines only `read`, for a value that is text in a POST and JSON in a draft,
    and `empty`, its value in a draft without it. `where` names the part it is in, "" for the form
    itself.
    """

    key: str = field(default="", kw_only=True)

    @property
    def empty(self) -> object:
        return ""

    def read(self, value: object, where: str) -> Any:
        """Return the value, clean. Raises ResponseError."""
        raise NotImplementedError

    def value_to_json(self, value: Any) -> object:
        """Return the value as JSON."""
        return value

    def names_in_post(self, name: str) -> tuple[str, ...]:
        """Return its names in a POST, within its part."""
        return (name,)

    def from_post(self, data: FormData, name: str, where: str) -> Any:
        return self.read(get_last_value(data, name), where)

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> Any:
        return self.read(row.get(name, self.empty), where)

    def response_attributes(self, name: str, value: Any) -> dict[str, Any]:
        """Return the attributes of the response that it sets, with the value read."""
        return {name: value}

    def to_json(self, record: Any, name: str) -> dict[str, object]:
        return {name: self.value_to_json(getattr(record, name))}

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its value; that of anything for a field that does not say."""
        return {}

    def schemas_by_key(self, name: str) -> dict[str, Any]:
        """Return the JSON Schema of each key that it has in JSON."""
        return {name: self.schema()}


@dataclass(frozen=True)
class LineField(Field):
    """Text on one line, of `most` characters at most; `what` names it in a sentence."""

    most: int
    what: str

    def read(self, value: object, where: str) -> str:
        return line_of(value, self.most, _named(where, self.what))

    def schema(self) -> dict[str, Any]:
        return text_schema(self.most)


@dataclass(frozen=True)
class PassageField(Field):
    """Text of several lines."""

    most: int
    what: str

    def read(self, value: object, where: str) -> str:
        return passage_of(value, self.most, _named(where, self.what))

    def schema(self) -> dict[str, Any]:
        return text_schema(self.most)


@dataclass(frozen=True)
class Choice(Field):
    """One of several words, the first if the field is missing. `wrong` is the error for others."""

    options: tuple[str, ...]
    wrong: str

    @property
    def empty(self) -> object:
        return self.options[0]

    def read(self, value: object, where: str) -> str:
        for option in self.options:
            if value == option:
                return option
        raise ResponseError(self.wrong.format(value=format_value(value)))

    def from_post(self, data: FormData, name: str, where: str) -> str:
        return self.read(get_last_value(data, name) or self.empty, where)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class Quotes(Field):
    """The quotes of a part: its attributes `quote` (the id of the first, or None) and `more`."""

    def from_post(self, data: FormData, name: str, where: str) -> Any:
        return quotes_of(get_last_value(data, name), where)

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> Any:
        return drafted_quotes(row, where)

    def response_attributes(self, name: str, value: Any) -> dict[str, Any]:
        return {"quote": value[0], "more": value[1]}

    def to_json(self, record: Any, name: str) -> dict[str, object]:
        return {"quote": record.quote, **more_of(record.more)}

    def schemas_by_key(self, name: str) -> dict[str, Any]:
        return QUOTES


def _named(where: str, what: str) -> str:
    return f"{where}: {what}" if where else what


def build_field_schemas(fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the JSON Schema of each key of a record with these fields."""
    return {
        key: schema
        for name, each in fields.items()
        for key, schema in each.schemas_by_key(name).items()
    }


# --- fields of several parts ---------------------------------------------------------------------


def _from_post(
    kind: Callable[..., P],
    fields: Mapping[str, Field],
    data: FormData,
    prefix: str = "",
    where: str = "",
) -> P:
    values: dict[str, Any] = {}
    for name, each in fields.items():
        read = each.from_post(data, prefix + (each.key or name), where)
        values |= each.response_attributes(name, read)
    return kind(**values)


def _from_json(
    kind: Callable[..., P], fields: Mapping[str, Field], row: Mapping[str, object], where: str = ""
) -> P:
    values: dict[str, Any] = {}
    for name, each in fields.items():
        values |= each.response_attributes(name, each.from_json(row, name, where))
    return kind(**values)


def _to_json(fields: Mapping[str, Field], record: Any) -> dict[str, object]:
    row: dict[str, object] = {}
    for name, each in fields.items():
        row |= each.to_json(record, name)
    return row


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
            _from_post(
                self.kind, self.fields, data, f"{self.prefix}-{index}-", f"{self.name} {number}"
            )
            for number, index in enumerate(indexes, start=1)
        )

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> tuple[P, ...]:
        parts = list_of(row.get(name, self.empty), name)
        self._check(len(parts))
        return tuple(
            _from_json(
                self.kind,
                self.fields,
                object_of(part, f"{self.name} {number}"),
                f"{self.name} {number}",
            )
            for number, part in enumerate(parts, start=1)
        )

    def value_to_json(self, value: Iterable[P]) -> object:
        return [_to_json(self.fields, part) for part in value]

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


@dataclass(frozen=True)
class Form(Generic[P]):
    """All fields of a response: `kind` is its class, `fields` its attributes."""

    kind: Callable[..., P]
    fields: Mapping[str, Field]

    def from_post(self, data: FormData) -> P:
        """Read what is on the form. Raises ResponseError with a sentence."""
        return _from_post(self.kind, self.fields, data)

    def from_json(self, data: object) -> P:
        """Read the JSON of `to_json`: unknown keys are ignored, missing ones are empty.

        Raises ResponseError if a value has the wrong shape.
        """
        return _from_json(self.kind, self.fields, object_of(data, "The draft"))

    def to_json(self, response: P) -> dict[str, object]:
        """Return the response as plain lists and dicts, for a JSON column."""
        return _to_json(self.fields, response)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of `to_json`."""
        return object_with(build_field_schemas(self.fields))
