"""The quotes in a response, wherever its form has a field of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from annotation.sheets.fields import Field, Form, Quotes
from annotation.sheets.many import Many
from annotation.text.cleaning import first_and_more

P = TypeVar("P")


def quotes_in(form: Form[P], response: P) -> set[int]:
    """Return the ids of the quotes that a response names."""
    return set(_named(form.fields, response))


def with_quotes(form: Form[P], response: P, own: Collection[int]) -> P:
    """Return the response with only these of its quotes; the words are kept."""
    kept: P = _left(form.fields, response, own)
    return kept


def _named(fields: Mapping[str, Field], record: Any) -> Iterator[int]:
    for name, field in fields.items():
        if isinstance(field, Quotes):
            yield from _quotes(record)
        elif isinstance(field, Many):
            for part in getattr(record, name):
                yield from _named(field.fields, part)


def _left(fields: Mapping[str, Field], record: Any, own: Collection[int]) -> Any:
    changes: dict[str, Any] = {}
    for name, field in fields.items():
        if isinstance(field, Quotes):
            changes |= field.response_attributes(
                name, first_and_more(q for q in _quotes(record) if q in own)
            )
        elif isinstance(field, Many):
            parts = getattr(record, name)
            changes[name] = tuple(_left(field.fields, part, own) for part in parts)
    return replace(record, **changes)


def _quotes(record: Any) -> Iterable[int]:
    return [] if record.quote is None else [record.quote, *record.more]
