"""What Natural Questions adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)
from natural_questions.entries import REPORT_PANELS

EXTENSION = Extension(
    key="natural_questions",
    report_panels=REPORT_PANELS,
    log=(
        LogEntries(
            {
                "annotations_replaced": "{who} imported the annotations of [{what}] again.",
            },
        ),
    ),
)
