"""Statements that the database plans once per connection.

psycopg2 sends plain text, so PostgreSQL plans each statement every time. For the few that every
cycle of work runs, planning costs more than running; those go through here. A pooler in front of
the database must therefore pool sessions, not transactions.
"""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection

_PARAMETER = re.compile(r"%\((\w+)\)s")
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def fetch(sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
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


@lru_cache(maxsize=64)
def _numbered(sql: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the statement's name, its text with $1, $2 … and the parameters in that order."""
    order: list[str] = []

    def place(found: re.Match[str]) -> str:
        if found[1] not in order:
            order.append(found[1])
        return f"${order.index(found[1]) + 1}"

    body = _PARAMETER.sub(place, sql)
    return f"ambit_{hashlib.sha256(body.encode()).hexdigest()[:16]}", body, tuple(order)
