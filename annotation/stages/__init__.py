"""The stage registry: one engine serves every stage; a stage is one module that registers."""

from typing import Any, Protocol


class Stage(Protocol):
    """What the engine needs to know of a stage."""

    key: str
    label: str
    protocol: str


_stages: dict[str, Stage] = {}


def register(stage: Stage) -> None:
    """Make a stage known under its key."""
    _stages[stage.key] = stage


def get(key: str) -> Any:
    """Return the registered stage."""
    return _stages[key]
