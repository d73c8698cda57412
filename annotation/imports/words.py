"""The words for jobs that import questions."""

from annotation.extensions.parts import JobWords

IMPORT_WORDS = JobWords(
    title="Import of questions",
    failed="The import did not finish",
    stop="Stop, and keep what is imported",
    counts=(
        ("created", "new"),
        ("updated", "updated"),
        ("unchanged", "unchanged"),
        ("rejected", "rejected"),
    ),
)
