"""The rules that a kind of qualification can ask for.

An exam has no log of reading: rules that look at pages read or at time cannot be asked in one.
"""

from typing import Any

from annotation import protocols
from annotation.sheets.rules import Check

NEED_READING = frozenset(
    {"pages-unread", "too-quick", "not-on-page", "long-answer-too-quick", "piece-not-found"}
)


def checks_of(kind: str) -> list[Check[Any, Any]]:
    """Return the rules that can be asked in a qualification of a kind, in their order."""
    asked = next(each.exams[kind] for each in protocols.every() if kind in each.exams)
    return [check for rules in asked for check in rules.checks if check.key not in NEED_READING]


def keys_of(kind: str) -> list[str]:
    """Return their keys."""
    return [check.key for check in checks_of(kind)]
