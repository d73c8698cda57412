"""Which facts of an item were true on a day. Pure.

Times are as `wikipedia.wikidata` writes them: 1971, 1971-05 or 1971-05-03, to the precision they
have; None where nothing is said, and "" for an end at a time that nobody knows.
"""

from collections.abc import Sequence

from wikipedia.wikidata.graph import StatementOf


def holds_on(statements: Sequence[StatementOf], prop: int, value: int, day: str) -> bool:
    """Return whether an item has a value on a day, as 2024-01-02.

    statements: all that are made of the item. What has not begun, or has ended, does not count, and
    where one that does is preferred, the others give way to it, as Wikidata means it. A time that
    is less exact than a day counts as far as it goes: what ended in the year of the day has ended
    by then, and what began in it has begun.
    """
    current = [each for each in statements if each.property == prop and _is_current(each, day)]
    best = max((each.rank for each in current), default=0)
    return any(each.value == value and each.rank == best for each in current)


def _is_current(statement: StatementOf, day: str) -> bool:
    if statement.start is not None and _is_after(statement.start, day):
        return False
    return statement.end is None or (statement.end != "" and _is_after(statement.end, day))


def _is_after(time: str, day: str) -> bool:
    """Return whether a time is after a day, as far as it is exact."""
    if time.startswith("-"):
        return False
    return time[: len(day)] > day[: len(time)]
