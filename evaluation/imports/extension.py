"""What importing answers and judgments adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
)
from evaluation.imports import services

EXTENSION = Extension(
    key="evaluation.imports",
    jobs=(
        JobKind(
            key=services.OUTPUTS,
            run=services.run_outputs,
            words=JobWords(
                title="Import of answers",
                failed="The answers were not imported",
                stop="Stop the import",
                counts=(
                    ("created", "new"),
                    ("changed", "changed"),
                    ("unchanged", "unchanged"),
                    ("rejected", "not matched"),
                ),
                refused="not matched",
            ),
        ),
        JobKind(
            key=services.JUDGMENTS,
            run=services.run_judgments,
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
                "outputs_imported": (
                    "{who} imported {created} new and {changed} changed answers of [{system}]."
                ),
            },
        ),
    ),
)
