"""The figures of a study: where they are stored, and which job computes them.

Room results computes them; a study that is closed starts the job.
"""

import datetime as dt

from accounts.models import User
from annotation.extensions.parts import JobWords
from annotation.figures import services as figures_services
from annotation.figures.stored import FigureKind, FigurePlace
from annotation.models import Job
from evaluation.studies.models import Study

RESULTS_KIND = FigureKind(
    key="study_results",
    unit="judgments",
    words=JobWords(
        title="Results of a study", failed="The results could not be computed", stop="Stop"
    ),
    compute="evaluation.results.services.compute_results",
    state="evaluation.results.services.read_state",
    subject="study",
)


def place_results(study: Study) -> FigurePlace:
    """Return where the figures of a study are stored."""
    return FigurePlace(RESULTS_KIND, study.project, subject=study.pk)


def start_results_job(*, study: Study, by: User, now: dt.datetime) -> Job:
    """Start a job to compute the figures of a study; return the unfinished one if there is one."""
    return figures_services.start_figures_job(place_results(study), by=by, now=now)
