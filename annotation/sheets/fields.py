"""The fields of a form, declared once: read from a POST, stored as JSON, read back.

    FORM = Form(
        Response,
        {
            "text": PassageField(20_000, "The long answer", key="long_answer"),
            "knowledge": (pieces := PartsField(Piece, "piece", "Piece", 50, {
                "content": PassageField(10_000, "the text"),
                "quote": Quotes(),
            })),
            "kind": Choice(("yes", "no"), "{value} is neither yes nor no."),
            "keeps": Keeps(pieces, ("piece",)),
        },
    )
    FORM.from_post(data)      FORM.from_json(draft)      FORM.to_json(response)

The keys of the mapping are the attributes of the response, a frozen dataclass, and the keys of its
JSON. In a POST a field has the name of its attribute, or `key`. Fields of which there are many
are in `annotation.sheets.many`. Values that were read are always clean: no control characters, no
lone surrogates, no surrounding white space. The text of a ResponseError is for the person who
typed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeGuard, TypeVar

from annotation.sheets.keeps import Keep as Keep
from annotation.sheets.schemas import QUOTES, object_with, text_schema
from annotation.text.cleaning import (
    ResponseError,
    drafted_quotes,
    format_value,
    line_of,
    more_of,
    passage_of,
    quotes_of,
    text_of,
)

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


def _as_it_is(value: Any) -> Any:
    return value


# --- single fields -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """One thing on a form.

    An ordinary field defines only `read`, for a value that is text in a POST and JSON in a draft,
    and `empty`, its value in a draft without it. `where` names the part it is in, "" for the form
    itself. `attribute` is that of the response, where it is not the key in JSON.
    """

    key: str = field(default="", kw_only=True)
    attribute: str = field(default="", kw_only=True)

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
        return {self.attribute or name: value}

    def to_json(self, record: Any, name: str) -> dict[str, object]:
        return {name: self.value_to_json(getattr(record, self.attribute or name))}

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
class SentTextField(Field):
    """Text as it was sent, for what is cleaned once it is known what it may be.

    `shape` is what its schema says besides its type.
    """

    what: str
    shape: Mapping[str, object]

    def read(self, value: object, where: str) -> str:
        return text_of(value, self.what)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", **self.shape}


@dataclass(frozen=True)
class ListField(Field):
    """A list of values, each read by `read_one` and written by `write_one`; `one` is its schema."""

    read_one: Callable[[object], Any] = str
    write_one: Callable[[Any], object] = field(default=_as_it_is, kw_only=True)
    one: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    most: int | None = field(default=None, kw_only=True)

    def from_post(self, data: FormData, name: str, where: str) -> tuple[Any, ...]:
        return tuple(map(self.read_one, data.getlist(name)))

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> tuple[Any, ...]:
        return tuple(map(self.read_one, list_of(row.get(name, ()), name)))

    def value_to_json(self, value: Iterable[Any]) -> object:
        return [self.write_one(each) for each in value]

    def schema(self) -> dict[str, Any]:
        most = {} if self.most is None else {"maxItems": self.most}
        return {"type": "array", "items": dict(self.one), **most}


@dataclass(frozen=True)
class TickField(Field):
    """Whether it is ticked: `true` in JSON, any value in a POST."""

    @property
    def empty(self) -> object:
        return False

    def read(self, value: object, where: str) -> bool:
        return value is True

    def from_post(self, data: FormData, name: str, where: str) -> bool:
        return bool(get_last_value(data, name))

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


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


# --- all fields of one record --------------------------------------------------------------------


def record_from_post(
    kind: Callable[..., P],
    fields: Mapping[str, Field],
    data: FormData,
    where: str = "",
) -> P:
    """Return a record of this kind with what its fields say in a POST."""
    values: dict[str, Any] = {}
    for name, each in fields.items():
        values |= each.response_attributes(name, each.from_post(data, each.key or name, where))
    return kind(**values)


def record_from_json(
    kind: Callable[..., P], fields: Mapping[str, Field], row: Mapping[str, object], where: str = ""
) -> P:
    """Return a record of this kind with what its fields say in an object of JSON."""
    values: dict[str, Any] = {}
    for name, each in fields.items():
        values |= each.response_attributes(name, each.from_json(row, name, where))
    return kind(**values)


def record_to_json(fields: Mapping[str, Field], record: Any) -> dict[str, object]:
    """Return an object of JSON with what the fields of a record say."""
    row: dict[str, object] = {}
    for name, each in fields.items():
        row |= each.to_json(record, name)
    return row


@dataclass(frozen=True)
class Form(Generic[P]):
    """All fields of a response: `kind` is its class, `fields` its attributes."""

    kind: Callable[..., P]
    fields: Mapping[str, Field]

    def from_post(self, data: FormData) -> P:
        """Read what is on the form. Raises ResponseError with a sentence."""
        return record_from_post(self.kind, self.fields, data)

    def from_json(self, data: object) -> P:
        """Read the JSON of `to_json`: unknown keys are ignored, missing ones are empty.

        Raises ResponseError if a value has the wrong shape.
        """
        return record_from_json(self.kind, self.fields, object_of(data, "The draft"))

    def to_json(self, response: P) -> dict[str, object]:
        """Return the response as plain lists and dicts, for a JSON column."""
        return record_to_json(self.fields, response)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of `to_json`."""
        return object_with(build_field_schemas(self.fields))
