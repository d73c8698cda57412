"""Read rows for exports: plain tuples through a server-side cursor, in one snapshot."""

import uuid
from collections.abc import Iterator
from typing import Any

from django.db import connection

from accounts.models import User
from accounts.pseudonyms import derive_pseudonym
from annotation.core.models.projects import Project

Row = tuple[Any, ...]
Values = list[Any] | dict[str, Any]


def fetch_chunks(sql: str, values: Values, size: int) -> Iterator[list[Row]]:
    """Run the statement and yield its rows `size` at a time. Only within `snapshot`."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, values)
        while rows := cursor.fetchmany(size):
            yield rows


def fetch_rows(sql: str, values: Values) -> list[Row]:
    """Run the statement and return all its rows, for the rows related to one chunk."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[Row] = cursor.fetchall()
        return rows


class Names(dict[uuid.UUID, str]):
    """The pseudonyms of a project's people by their keys, each computed once."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        self._scope = project.slug

    def __missing__(self, key: uuid.UUID) -> str:
        self[key] = derive_pseudonym(User(key=key), scope=self._scope)
        return self[key]
