"""What the work on questions adds to the rooms below."""

from annotation.core.models.work import Assignment
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
)
from annotation.log.sentences import prompt_name

EXTENSION = Extension(
    key="annotation.work",
    log=(
        LogEntries(
            {
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
