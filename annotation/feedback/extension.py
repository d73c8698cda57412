"""What feedback adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="annotation.feedback",
    log=(
        LogEntries(
            {
                "feedback_given": "{who} gave {whose} feedback on [{what}].",
                "feedback_taken_back": "{who} took back the feedback to {whose} on [{what}].",
            },
        ),
    ),
)
