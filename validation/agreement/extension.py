"""What agreement adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
)
from validation.agreement import services
from validation.agreement.stored import JOB_KIND

EXTENSION = Extension(
    key="validation.agreement",
    jobs=(
        JobKind(
            key=JOB_KIND,
            run=services.run_job,
            logged=False,
            words=JobWords(
                title="Figures of agreement",
                failed="The figures could not be computed",
                stop="Stop",
            ),
        ),
    ),
)
