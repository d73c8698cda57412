"""What gold items adds to the rooms below."""

from typing import Any

from psycopg2.sql import SQL

from annotation.core.models.work import Assignment
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
    TaskRule,
    TurnColumn,
)
from annotation.golds import services
from annotation.golds.statements import (
    ASKS_AGAIN,
    MET_BEFORE,
    SETTLED_BESIDE,
    SHOWN_OF_GOLD,
)


def _keep_shown(assignment: Assignment, shown: Any) -> None:
    """Keep the unit and the content that a gold item shows in place of its task's."""
    assignment.task.gold_shown = shown


EXTENSION = Extension(
    key="annotation.golds",
    tabs=(Tab("golds", "Gold items", "project-golds", "quality", 90),),
    task_rules=(
        TaskRule(
            asks_again=SQL(ASKS_AGAIN), not_for=SQL(MET_BEFORE), settled_on=SQL(SETTLED_BESIDE)
        ),
    ),
    submitted=(services.judge_submission,),
    turn_columns=(
        TurnColumn(
            sql=SHOWN_OF_GOLD,
            keep=_keep_shown,
        ),
    ),
    log=(
        LogEntries(
            {
                "gold_flagged": "{user} missed {missed} of {seen} [gold items].",
                "gold_settings": "{who} changed the settings of [gold items].",
                "gold_item_restored": "{who} let an item of [gold items] count again.",
                "gold_item_retired": "{who} retired an item of [gold items].",
                "golds_drawn": "[Gold items] were drawn at {rate} %: {items}.",
            },
            pages={
                "goldflag": "project-golds",
                "golditem": "project-golds",
                "goldplan": "project-golds",
            },
        ),
    ),
)
