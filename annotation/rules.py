"""Which rules a protocol's writers are held to, for the pages that set and explain them."""

from collections.abc import Mapping
from typing import Any

from annotation.checks.generation import RULES as GENERATION
from annotation.checks.report import Rules
from annotation.checks.values import Check
from annotation.long_answers.checks import RULES as LONG_ANSWERS
from annotation.models import Project

_OF_PROTOCOL: Mapping[str, Rules[Any, Any]] = {
    Project.Protocol.AMBIGQA.value: GENERATION,
    Project.Protocol.ASQA.value: LONG_ANSWERS,
}


def rules_of(protocol: str) -> Rules[Any, Any]:
    """Return the rules of a protocol's first stage."""
    return _OF_PROTOCOL[protocol]


def rule_of(key: str) -> Check[Any, Any] | None:
    """Return the rule with a key, whatever its protocol; None where there is none."""
    return next((r.registry[key] for r in _OF_PROTOCOL.values() if key in r.registry), None)
