"""What agreement adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.figures.services import build_job_kind
from validation.agreement.stored import AGREEMENT_KIND

EXTENSION = Extension(key="validation.agreement", jobs=(build_job_kind(AGREEMENT_KIND),))
