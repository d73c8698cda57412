"""What the rules and the page of an ordinary sheet may know of an assignment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.sheets.parts import OwnQuotes, no_quotes


@dataclass(frozen=True)
class WorkContext:
    """The question and the assignment; `annotation.work.json_stage.given_of` makes one.

    context: the question's context from its file; quotes: the person's own among some ids;
    settings: the project's settings of rules.
    """

    prompt: str
    context: Mapping[str, Any] = field(default_factory=dict)
    seconds_on_task: int = 0
    minimum_seconds: int = 0
    quotes: OwnQuotes = no_quotes
    settings: Mapping[str, object] = field(default_factory=dict)
