"""What disputes adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
)
from annotation.threads import queries as threads_queries

EXTENSION = Extension(
    key="validation.claims",
    tabs=(Tab("claims", "Inbox", "claim-list", "work", 30, waiting=threads_queries.count_waiting),),
    log=(
        LogEntries(
            {
                "claim_changed": "{who} changed the result of [{what}] after a dispute{because}.",
                "claim_ruling_undone": (
                    "{who} took back the decision on the dispute about [{what}]."
                ),
                "claim_upheld": "{who} kept the result of [{what}] after a dispute{because}.",
            },
        ),
    ),
)
