"""What systems adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="evaluation.systems",
    log=(
        LogEntries(
            {
                "system_deleted": "{who} deleted the system [{system}] with {texts} answers.",
            },
            pages={"system": "system-list"},
        ),
    ),
)
