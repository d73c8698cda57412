"""What importing questions adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    LogEntries,
)
from annotation.imports.words import IMPORT_WORDS
from annotation.jobs.services import RunningJob


def _run(work: RunningJob) -> None:
    # Loaded by the worker alone: most commands need none of it.
    from annotation.imports.services import run_job

    run_job(work)


EXTENSION = Extension(
    key="annotation.imports",
    jobs=(JobKind(key="import", run=_run, words=IMPORT_WORDS),),
    log=(
        LogEntries(
            {
                "import_undone": (
                    "{who} undid the import of [{what}]: {questions} questions removed."
                ),
                "question_text_changed": "{who} imported [{what}] again with another text.",
                "questions_opened": "{who} opened imported [questions] to annotators: {questions}.",
                "questions_imported": "{who} imported [questions]{counts}.",
            },
            pages={
                "questions_imported": "project-questions",
                "questions_opened": "project-questions",
            },
        ),
    ),
)
