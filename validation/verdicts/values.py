"""The key of validation, what is expected of validators, and what they see of annotators."""

from dataclasses import dataclass

VALIDATION = "validation"
# The shares the paper's guidance expects of validators (A48).
EXPECTED_MULTIPLE, EXPECTED_NONE = 0.30, 0.05


@dataclass(frozen=True)
class PageRead:
    """A page that a generator opened."""

    path: str
    title: str


@dataclass(frozen=True)
class KeptReason:
    """A warning that an annotator kept, and why; `pair` from 0, None if it is about several."""

    rule: str
    reason: str
    pair: int | None = None
