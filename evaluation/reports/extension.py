"""What reports adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    Tab,
)
from evaluation.reports import computing
from evaluation.reports.stored import JOB_KIND

EXTENSION = Extension(
    key="evaluation.reports",
    jobs=(
        JobKind(
            key=JOB_KIND,
            run=computing.run_job,
            logged=False,
            words=JobWords(
                title="Figures of a report",
                failed="The figures could not be computed",
                stop="Stop",
            ),
        ),
    ),
    tabs=(Tab("reports", "Reports", "project-reports", "quality", 70),),
)
