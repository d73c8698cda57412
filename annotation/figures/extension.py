"""What figures add to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    Tab,
)
from annotation.figures import services
from annotation.figures.queries import JOB_KIND

EXTENSION = Extension(
    key="annotation.figures",
    jobs=(
        JobKind(
            key=JOB_KIND,
            run=services.run_job,
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
