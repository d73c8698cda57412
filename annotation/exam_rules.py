"""The kinds of qualification of a protocol, and the rules that each can ask for.

An exam has no log of reading: rules that look at pages read or at time cannot be asked in one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.checks.generation import RULES as GENERATION
from annotation.checks.report import Rules
from annotation.checks.values import Check
from annotation.long_answers.checks import RULES as LONG_ANSWERS
from annotation.qualifying import JUDGING, LONG, WRITING

NEED_READING = frozenset(
    {"pages-unread", "too-quick", "not-on-page", "long-answer-too-quick", "piece-not-found"}
)
_OF_KIND: Mapping[str, Sequence[Rules[Any, Any]]] = {
    WRITING: [GENERATION],
    LONG: [LONG_ANSWERS],
    JUDGING: [],
}


# Long answers are written in a project of their own; the rest belongs to one.
_OF_PROTOCOL: Mapping[str, tuple[str, ...]] = {
    "ambigqa": (WRITING, JUDGING),
    "asqa": (LONG,),
}


def kinds_of(protocol: str) -> tuple[str, ...]:
    """Return the kinds of qualification that make sense in a project of a protocol."""
    return _OF_PROTOCOL[protocol]


def checks_of(kind: str) -> list[Check[Any, Any]]:
    """Return the rules that can be asked in a qualification of a kind, in their order."""
    return [
        check for rules in _OF_KIND[kind] for check in rules.checks if check.key not in NEED_READING
    ]


def keys_of(kind: str) -> list[str]:
    """Return their keys."""
    return [check.key for check in checks_of(kind)]
