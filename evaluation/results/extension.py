"""What results of studies adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
)
from evaluation.results import services
from evaluation.studies.results_job import JOB_KIND

EXTENSION = Extension(
    key="evaluation.results",
    jobs=(
        JobKind(
            key=JOB_KIND,
            run=services.run_job,
            logged=False,
            words=JobWords(
                title="Results of a study",
                failed="The results could not be computed",
                stop="Stop",
            ),
        ),
    ),
)
