"""What systems adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
)
from evaluation.systems import import_jobs

EXTENSION = Extension(
    key="evaluation.systems",
    jobs=(
        JobKind(
            key=import_jobs.OUTPUTS,
            run=import_jobs.run_outputs,
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
    ),
    log=(
        LogEntries(
            {
                "outputs_imported": (
                    "{who} imported {created} new and {changed} changed answers of [{system}]."
                ),
                "system_deleted": "{who} deleted the system [{system}] with {texts} answers.",
            },
            pages={"system": "system-list"},
        ),
    ),
)
