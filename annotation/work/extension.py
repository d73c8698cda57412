"""What the work on questions adds to the rooms below."""

import datetime as dt
from typing import Any

from annotation.core.models.work import Assignment
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    TurnColumn,
)
from annotation.log.sentences import prompt_name
from annotation.work.statements import CHANGING_UNTIL


def _keep_end_of_change(assignment: Assignment, at: Any) -> None:
    assignment.changing_until = dt.datetime.fromisoformat(at) if at else None


EXTENSION = Extension(
    key="annotation.work",
    turn_columns=(TurnColumn(sql=CHANGING_UNTIL, keep=_keep_end_of_change),),
    log=(
        LogEntries(
            {
                "assignment_change_begun": "{who} began to change what they submitted on [{what}].",
                "assignment_change_left": "{who} left what they submitted on [{what}] as it was.",
                "assignment_changed": "{who} changed what they submitted on [{what}].",
                "assignment_expired": "The time of {whose} for [{what}] ran out.",
                "assignment_extended": "{who} extended the time for [{what}].",
                "assignment_left_out": "{who} excluded the work of {whose} on [{what}]{because}.",
                "assignment_parked": "{who} parked [{what}]{because}.",
                "assignment_reopened": "{who} took up [{what}] again.",
                "assignment_resumed": "{who} resumed [{what}].",
                "assignment_returned": "{who} gave [{what}] back.",
                "assignment_returned_to_author": "{who} returned [{what}] to {whose}{because}.",
                "assignment_skipped": "{who} skipped [{what}]{because}.",
                "assignment_submitted": "{who} submitted [{what}].",
                "assignment_taken": "{who} took [{what}].",
                "assignment_taken_back": "{who} took back [{what}] to change it.",
                "assignment_used_again": (
                    "{who} included the work of {whose} on [{what}] again{because}."
                ),
            },
            targets={
                "assignment": LogTarget(
                    Assignment,
                    ("task__question__text",),
                    "question-view",
                    "task__question",
                    "user__name",
                    name=prompt_name,
                )
            },
        ),
    ),
)
