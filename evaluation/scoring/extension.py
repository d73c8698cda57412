"""What scoring systems adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
)
from evaluation.scoring import services

EXTENSION = Extension(
    key="evaluation.scoring",
    jobs=(
        JobKind(
            key=services.SCORE,
            run=services.run_job,
            logged=False,
            task=services.task_of,
            retry=services.start_again,
            words=JobWords(
                title="Scores of systems",
                failed="The systems could not be scored",
                stop="Stop, and keep what is read",
                counts=(
                    ("read", "texts read"),
                    ("unchanged", "read before"),
                    ("scored", "systems scored"),
                ),
            ),
        ),
    ),
    log=(
        LogEntries(
            {
                "reader_answers_stored": (
                    "{who} stored what [{reader}] answered from {texts} texts."
                ),
            },
            pages={"reader_answers_stored": "system-list"},
        ),
    ),
)
