"""Statements that the database plans once per connection.

psycopg2 sends plain text, so PostgreSQL plans each statement every time. For the few that every
cycle of work runs, planning costs more than running; those go through here. A pooler in front of
the database must therefore pool sessions, not transactions.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.db import connection, models

M = TypeVar("M", bound=models.Model)

_PARAMETER = re.compile(r"%\((\w+)\)s")
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def fetch_rows(sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a constant statement with `%(name)s` parameters and return its rows.

    PostgreSQL infers a parameter's type from its place; where it cannot (a value in a list of
    columns), the statement must cast it: `%(now)s::timestamptz`.
    """
    name, body, order = _numbered(sql)
    with connection.cursor() as cursor:
        prepared = _known.setdefault(connection.connection, set())
        if name not in prepared:
            # Past Django's cursor: it would count as one of the caller's statements.
            with connection.wrap_database_errors, connection.connection.cursor() as plain:
                plain.execute(f"PREPARE {name} AS {body}")
            prepared.add(name)
        places = ", ".join(["%s"] * len(order))
        cursor.execute(f"EXECUTE {name} ({places})", [params[parameter] for parameter in order])
        return list(cursor.fetchall())


def insert_rows(rows: Iterable[M]) -> list[M]:
    """Insert new rows of one model, as `bulk_create` does, and return them with their ids."""
    rows = list(rows)
    if not rows:
        return rows
    sql, fields = _inserting(type(rows[0]))
    values = {
        field.attname: [_plain(field, getattr(row, field.attname)) for row in rows]
        for field in fields
    }
    for row, (pk,) in zip(rows, fetch_rows(sql, values), strict=True):
        row.pk = pk
        row._state.adding, row._state.db = False, connection.alias
    return rows


@lru_cache(maxsize=64)
def _inserting(model: type[models.Model]) -> tuple[str, Sequence[Any]]:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    # Without the length of a varchar: a cast to it would cut the text, a column refuses it.
    types = [str(field.cast_db_type(connection)).split("(")[0] for field in fields]
    arrays = ", ".join(
        f"%({field.attname})s::{'text' if kind == 'jsonb' else kind}[]"
        for field, kind in zip(fields, types, strict=True)
    )
    names = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(
        f'row."{field.column}"::{kind}' for field, kind in zip(fields, types, strict=True)
    )
    return (
        f'INSERT INTO "{model._meta.db_table}" ({names}) '  # noqa: S608 - names of our columns
        f"SELECT {values} FROM unnest({arrays}) AS row ({names}) RETURNING id"
    ), fields


def update_row_if(
    row: models.Model, changes: Mapping[str, Any], *, only: str, among: list[str]
) -> bool:
    """Change columns of the stored row if its column `only` has one of these values.

    Returns whether it had. The instance in hand stays as it is.
    """
    sql = _updating(type(row), only, tuple(sorted(changes)))
    field_of: Any = row._meta.get_field
    values = {f"new_{name}": _plain(field_of(name), value) for name, value in changes.items()}
    return bool(fetch_rows(sql, {**values, "row": row.pk, "among": among}))


@lru_cache(maxsize=64)
def _updating(model: type[models.Model], only: str, names: Sequence[str]) -> str:
    field_of: Any = model._meta.get_field
    columns = ", ".join(f'"{field_of(name).column}" = %(new_{name})s' for name in names)
    return (
        f'UPDATE "{model._meta.db_table}" SET {columns} '  # noqa: S608 - names of our columns
        f'WHERE id = %(row)s AND "{only}" = ANY(%(among)s) RETURNING id'
    )


def _plain(field: Any, value: Any) -> Any:
    """Return the value as it is sent: JSON as text. The driver knows every other type."""
    return json.dumps(value) if isinstance(field, models.JSONField) else value


@lru_cache(maxsize=256)
def _numbered(sql: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the statement's name, its text with $1, $2 … and the parameters in that order."""
    order: list[str] = []

    def place(found: re.Match[str]) -> str:
        if found[1] not in order:
            order.append(found[1])
        return f"${order.index(found[1]) + 1}"

    body = _PARAMETER.sub(place, sql)
    return f"ambit_{hashlib.sha256(body.encode()).hexdigest()[:16]}", body, tuple(order)
