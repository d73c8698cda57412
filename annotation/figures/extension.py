"""What figures add to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import Tab
from annotation.figures.queries import REPORT_KIND
from annotation.figures.services import build_job_kind

EXTENSION = Extension(
    key="annotation.figures",
    jobs=(build_job_kind(REPORT_KIND),),
    tabs=(Tab("reports", "Reports", "project-reports", "quality", 70),),
)
