"""What Natural Questions adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="natural_questions",
    log=(
        LogEntries(
            {
                "annotations_replaced": "{who} imported the annotations of [{what}] again.",
            },
        ),
    ),
)
