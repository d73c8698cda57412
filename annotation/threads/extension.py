"""What writing to the team adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
)
from annotation.log.sentences import prompt_name
from annotation.threads.models import Thread

EXTENSION = Extension(
    key="annotation.threads",
    log=(
        LogEntries(
            {
                "thread_answered": "{who} replied about [{what}].",
                "thread_opened": "{who} wrote to the team about [{what}].",
                "thread_reopened": "{who} reopened the question about [{what}].",
                "thread_withdrawn": "{who} withdrew what they asked about [{what}].",
            },
            targets={
                "thread": LogTarget(
                    Thread,
                    ("assignment__task__question__text",),
                    "claim-view",
                    "pk",
                    name=prompt_name,
                )
            },
        ),
    ),
)
