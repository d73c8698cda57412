"""A rehearsal as it is kept in a session: the design, a few items, and what was typed on them."""

import datetime as dt
from dataclasses import asdict, dataclass, field
from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from annotation.models import Project
from evaluation.studies.models import Study
from evaluation.studies.pool import draw_questions, plan_study_items, read_eligible_questions
from evaluation.systems.models import System

KEY = "rehearsal"
MOST_ITEMS = 3
"""Enough to see every kind of question on the form, and few enough to be done in minutes."""


@dataclass
class RehearsedItem:
    """An item of a rehearsal and its draft: what a desk needs of a row."""

    question: int
    first: int
    second: int | None
    swapped: bool
    draft: dict[str, Any] = field(default_factory=dict)
    draft_version: int = 0
    saved: str = ""
    done: bool = False

    @property
    def draft_saved_at(self) -> dt.datetime | None:
        """When the draft was saved last."""
        return dt.datetime.fromisoformat(self.saved) if self.saved else None


@dataclass
class Rehearsal:
    """The first items of a design that need not be saved. study: the id of its draft, 0 if none."""

    project: int
    study: int
    title: str
    split: str
    stage: str
    shown: str
    steps: int
    accuracy: bool
    criteria: list[dict[str, str]]
    turns: list[RehearsedItem]

    @property
    def following(self) -> int | None:
        """The number of the first item that is not done, from 1; None if all are."""
        return next((n for n, turn in enumerate(self.turns, start=1) if not turn.done), None)

    def keep_in(self, session: SessionBase) -> None:
        """Keep it in a session, in the place of an earlier one."""
        session[KEY] = asdict(self)


def plan_rehearsal(study: Study, systems: list[System], *, draft: Study | None) -> Rehearsal:
    """Return a rehearsal of the first items that this design, saved or not, would begin with.

    Raises `DesignError` where it can have none.
    """
    questions = draw_questions(study, read_eligible_questions(study, systems))
    items = plan_study_items(study, systems, questions)[:MOST_ITEMS]
    return Rehearsal(
        project=study.project_id,
        study=draft.pk if draft else 0,
        title=study.title,
        split=study.split,
        stage=study.stage,
        shown=study.shown,
        steps=study.steps,
        accuracy=study.accuracy,
        criteria=study.criteria,
        turns=[
            RehearsedItem(item.question, item.first, item.second, item.swapped) for item in items
        ],
    )


def find_rehearsal(session: SessionBase, project: Project) -> Rehearsal | None:
    """Return the rehearsal of a project that a session holds, None if it holds none."""
    kept = session.get(KEY)
    if kept is None or kept["project"] != project.pk:
        return None
    return Rehearsal(**kept | {"turns": [RehearsedItem(**turn) for turn in kept["turns"]]})
