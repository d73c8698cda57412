"""What judgments adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
)
from evaluation.judgments import import_jobs

EXTENSION = Extension(
    key="evaluation.judgments",
    jobs=(
        JobKind(
            key=import_jobs.JUDGMENTS,
            run=import_jobs.run_judgments,
            words=JobWords(
                title="Import of judgments",
                failed="The judgments were not imported",
                stop="Stop the import",
                counts=(
                    ("judgments", "judgments"),
                    ("questions", "questions"),
                    ("judges", "raters"),
                ),
            ),
        ),
    ),
    log=(
        LogEntries(
            {
                "judgments_imported": (
                    "{who} imported {judgments} judgments as the study [{title}]."
                ),
            },
        ),
    ),
)
