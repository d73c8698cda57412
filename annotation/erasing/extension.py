"""What erasing a person adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="annotation.erasing",
    log=(
        LogEntries(
            {
                "person_erased": "{who} erased a person.",
            },
        ),
    ),
)
