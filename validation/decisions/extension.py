"""What deciding on questions adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    LogEntries,
    Panel,
)
from annotation.imports.words import IMPORT_WORDS
from validation.decisions import copying
from validation.decisions.copy_views import bring_panel

EXTENSION = Extension(
    key="validation.decisions",
    jobs=(JobKind(key=copying.JOB_KIND, run=copying.run_job, words=IMPORT_WORDS),),
    panels=(Panel("validation/_bring.html", bring_panel),),
    log=(
        LogEntries(
            {
                "decision_replaced": "{who} imported the accepted answers of [{what}] again.",
                "question_excluded": "{who} excluded [{what}]{because}.",
                "question_restored": "{who} restored [{what}]{because}.",
                "question_sent_back": "{who} sent [{what}] back to validation{because}.",
            },
        ),
    ),
)
