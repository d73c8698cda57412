"""What deciding on questions adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="validation.decisions",
    log=(
        LogEntries(
            {
                "decision_replaced": "{who} imported the accepted answers of [{what}] again.",
            },
        ),
    ),
)
