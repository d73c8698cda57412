"""What exporting adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="annotation.exports",
    log=(
        LogEntries(
            {
                "exported": "{who} downloaded [an export], {format}{of_split}.",
            },
        ),
    ),
)
