"""Reports of the demo: computed by the worker while people sign in, so that a first visit finds
figures."""

import datetime as dt
from collections.abc import Sequence

from accounts.models import User
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.registry import list_reports
from annotation.models import Project, Split
from evaluation.models import Study
from evaluation.reports.entries import SYSTEMS
from evaluation.results.stored import results_of
from evaluation.studies import results_job
from validation.agreement import services as agreement_services


def start_reports(projects: Sequence[Project], *, by: User, now: dt.datetime) -> None:
    """Make the jobs that compute what is missing or out of date, of the fullest project first.

    The page of scores shows the report of systems on a split.
    """
    for project in projects:
        for report in list_reports(project):
            figures_services.open_report(
                project=project, report=report, filters=Filters(), by=by, now=now
            )
            if report.key == SYSTEMS and project.systems.exists():
                filters = Filters(split=Split.DEV)
                figures_services.open_report(
                    project=project, report=report, filters=filters, by=by, now=now
                )
        for study in project.studies.filter(state=Study.State.CLOSED):
            found = results_of(study)
            if found.since or not found.figures:
                results_job.start_results_job(study=study, by=by, now=now)
        agreement_services.look(project=project, by=by, now=now)
