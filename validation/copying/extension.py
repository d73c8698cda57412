"""What copying of accepted work adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    ProjectPanel,
)
from annotation.imports.words import IMPORT_WORDS
from validation.copying import services
from validation.copying.views import bring_panel

EXTENSION = Extension(
    key="validation.copying",
    jobs=(JobKind(key=services.JOB_KIND, run=services.run_job, words=IMPORT_WORDS),),
    panels=(ProjectPanel("validation/copying/_bring.html", bring_panel),),
)
