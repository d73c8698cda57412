"""What the list of questions adds to the rooms below."""

from annotation.core.models.questions import Question
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    Tab,
)
from annotation.log.sentences import prompt_name
from annotation.questions.view_services import forget_views

EXTENSION = Extension(
    key="annotation.questions",
    forget=(forget_views,),
    tabs=(Tab("questions", "Questions", "project-questions", "work", 20),),
    log=(
        LogEntries(
            {
                "question_moved": "{who} moved [{what}] from {before} to {after}.",
                "question_priority": "{who} changed the place of [{what}] in the queue: {after}.",
                "question_state": "[{what}]: {before} → {after}.",
            },
            targets={
                "question": LogTarget(
                    Question,
                    ("text",),
                    "question-view",
                    "pk",
                    name=prompt_name,
                    gone="a question that was removed",
                )
            },
        ),
    ),
)
