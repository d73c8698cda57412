"""What results of studies adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.figures.services import build_job_kind
from evaluation.studies.results_job import RESULTS_KIND

EXTENSION = Extension(key="evaluation.results", jobs=(build_job_kind(RESULTS_KIND),))
