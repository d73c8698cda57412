"""What studies adds to the rooms below."""

from annotation.core.models.people import Role
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
)
from annotation.protocols.registry import Feature

EXTENSION = Extension(
    key="evaluation.studies",
    tabs=(
        Tab("studies", "Studies", "study-list", "quality", 106, needs=Feature.STUDIES),
        Tab("consensus", "Consensus", "consensus-list", "quality", 107, role=Role.EXPERT.value),
    ),
    log=(
        LogEntries(
            {
                "consensus_changed": "{who} changed a [consensus] of experts: {verdict}.",
                "consensus_reached": "{who} wrote a [consensus] of experts: {verdict}.",
                "study_changed": "{who} changed the design of [{title}].",
                "study_closed": "{who} closed [{title}].",
                "study_created": "{who} made a draft of [{title}].",
                "study_deleted": "{who} deleted {title} under [Studies].",
                "study_started": "{who} started [{title}]: {items} items.",
            },
            pages={
                "consensus": "consensus-list",
                "study_created": "study-list",
                "study_changed": "study-list",
                "study_deleted": "study-list",
            },
            numbered={"study": "study-view"},
        ),
    ),
)
