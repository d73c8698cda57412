"""Reports of the demo: computed while it is loaded, so that a first visit finds figures."""

import datetime as dt
from collections.abc import Sequence

from django.utils import timezone

from accounts.models import User
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.queries import REPORT_KIND, find_stored_report
from annotation.figures.registry import list_reports
from annotation.figures.stored import ComputedFigures
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Split
from evaluation.models import Study
from evaluation.reports.entries import SYSTEMS
from evaluation.results.stored import find_results
from evaluation.studies.results_job import RESULTS_KIND
from validation.agreement.stored import AGREEMENT_KIND, find_agreement

KINDS = tuple(kind.key for kind in (REPORT_KIND, RESULTS_KIND, AGREEMENT_KIND))


def start_reports(projects: Sequence[Project], *, by: User, now: dt.datetime) -> None:
    """Make the jobs that compute what is missing or out of date, of the fullest project first.

    The page of scores shows the report of systems on a split.
    """
    for project in projects:
        for report in list_reports(project):
            found: list[ComputedFigures] = [find_stored_report(project, report, Filters())]
            if report.key == SYSTEMS and project.systems.exists():
                found.append(find_stored_report(project, report, Filters(split=Split.DEV)))
            for stored in found:
                figures_services.open_figures(stored, by=by, now=now)
        for study in project.studies.filter(state=Study.State.CLOSED):
            figures_services.open_figures(find_results(study), by=by, now=now)
        figures_services.open_figures(find_agreement(project), by=by, now=now)


def compute_waiting_reports() -> None:
    """Do the jobs of `start_reports` here, so that nobody has to wait for a worker."""
    waiting = Job.objects.filter(kind__in=KINDS, state=Job.State.QUEUED)
    for job_id in waiting.order_by("pk").values_list("pk", flat=True):
        jobs_services.claim_and_run(job_id=job_id, clock=timezone.now)
