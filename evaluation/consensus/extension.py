"""What consensus adds to the rooms below."""

from annotation.core.models.people import Role
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
)

EXTENSION = Extension(
    key="evaluation.consensus",
    tabs=(Tab("consensus", "Consensus", "consensus-list", "quality", 107, role=Role.EXPERT.value),),
    log=(
        LogEntries(
            {
                "consensus_changed": "{who} changed a [consensus] of experts: {verdict}.",
                "consensus_reached": "{who} wrote a [consensus] of experts: {verdict}.",
            },
            pages={"consensus": "consensus-list"},
        ),
    ),
)
