"""What doubting a question adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    Tab,
)
from annotation.log.sentences import prompt_name
from annotation.long_answers.concerns import queries
from annotation.long_answers.concerns.models import Concern
from annotation.protocols.registry import Feature

EXTENSION = Extension(
    key="annotation.long_answers.concerns",
    tabs=(
        Tab(
            "concerns",
            "Concerns",
            "concern-list",
            "work",
            40,
            needs=Feature.CONCERNS,
            waiting=queries.count_waiting,
        ),
    ),
    log=(
        LogEntries(
            {
                "concern_changed": "{who} changed the concern about [{what}]{because}.",
                "concern_dismissed": "{who} dismissed the concern about [{what}]{because}.",
                "concern_raised": "{who} raised a concern about [{what}]{because}.",
                "concern_reopened": "{who} reopened the concern about [{what}].",
                "concern_upheld": "{who} excluded [{what}] after a concern{because}.",
                "concern_withdrawn": "{who} withdrew the concern about [{what}].",
            },
            targets={
                "concern": LogTarget(
                    Concern, ("question__text",), "question-view", "question", name=prompt_name
                )
            },
        ),
    ),
)
