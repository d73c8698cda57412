"""The types of items: a class stands for all classes below it, through any number of steps (Q9)."""

from __future__ import annotations

import sqlite3

from wikipedia.wikidata.statements import CLOSURE, FILL_CLOSURE, HAS_CLOSURE, LIST_CLOSURE


def close_class(connection: sqlite3.Connection, number: int) -> None:
    """Put a class and all below it (P279) into the connection's own table, once.

    Classes that are below one another in a circle are each below all of the others.
    """
    connection.execute(CLOSURE)
    if connection.execute(HAS_CLOSURE, [number]).fetchone() is None:
        connection.execute(FILL_CLOSURE, {"class": number})
        connection.commit()


def list_classes(connection: sqlite3.Connection, number: int) -> list[int]:
    """Return a class and all below it."""
    close_class(connection, number)
    return [each for (each,) in connection.execute(LIST_CLOSURE, [number])]
