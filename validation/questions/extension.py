"""What the team's actions on questions add to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="validation.questions",
    log=(
        LogEntries(
            {
                "question_excluded": "{who} excluded [{what}]{because}.",
                "question_restored": "{who} restored [{what}]{because}.",
                "question_sent_back": "{who} sent [{what}] back to validation{because}.",
            },
        ),
    ),
)
