"""What studies adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
    Usage,
)
from annotation.protocols.registry import Feature
from evaluation.studies import queries
from evaluation.systems.models import System

EXTENSION = Extension(
    key="evaluation.studies",
    tabs=(Tab("studies", "Studies", "study-list", "quality", 106, needs=Feature.STUDIES),),
    usages=(Usage(System, queries.list_uses_of_systems),),
    log=(
        LogEntries(
            {
                "study_changed": "{who} changed the design of [{title}].",
                "study_closed": "{who} closed [{title}].",
                "study_created": "{who} made a draft of [{title}].",
                "study_deleted": "{who} deleted {title} under [Studies].",
                "study_restored": "{who} brought the draft [{title}] back.",
                "study_started": "{who} started [{title}]: {items} items.",
            },
            pages={
                "study_created": "study-list",
                "study_changed": "study-list",
                "study_deleted": "study-list",
            },
            numbered={"study": "study-view"},
        ),
    ),
)
