"""What long answers adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    Citation,
    LogEntries,
)
from annotation.long_answers.models import Knowledge

EXTENSION = Extension(
    key="annotation.long_answers",
    citations=(
        Citation(Knowledge, "long_answers__knowledge", "long_answer__question__project_id"),
    ),
    log=(
        LogEntries(
            {
                "long_answers_replaced": "{who} imported the long answers of [{what}] again.",
            },
        ),
    ),
)
