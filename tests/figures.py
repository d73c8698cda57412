"""Computed figures, for tests that look at what is stored."""

from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.queries import find_stored_report, place_report
from annotation.models import StoredFigures
from evaluation.results.stored import find_results
from evaluation.studies.results_job import place_results
from validation.agreement.stored import find_agreement


def bring_report_up_to_date(project, report, now, filters=None):
    """Return the current figures of a report, as `StoredReport`; compute them if they are not."""
    stored = find_stored_report(project, report, filters or Filters())
    return figures_services.bring_up_to_date(stored, now=now)


def compute_report(project, report, now, filters=None):
    """Compute the rows of a report; nothing is stored."""
    place = place_report(project, report, filters or Filters())
    return figures_services.compute_figures(place, now=now)


def compute_results(study, now):
    """Compute the row of the figures of a study; nothing is stored."""
    return figures_services.compute_figures(place_results(study), now=now)


def store_results(study, now):
    """Compute and store the figures of a study, and return them as `StoredResults`."""
    figures_services.store_computed(compute_results(study, now))
    return find_results(study)


def bring_agreement_up_to_date(project, now):
    """Return the current figures of agreement; compute them if they are not."""
    return figures_services.bring_up_to_date(find_agreement(project), now=now)


def start_agreement_job(project, by, now):
    """Start a job to compute the figures of agreement, or return the unfinished one."""
    return figures_services.start_figures_job(find_agreement(project).place, by=by, now=now)


def make_results(study, figures, now):
    """Store figures of a study that nothing computed."""
    place = place_results(study)
    StoredFigures.objects.create(
        project=study.project, report=place.name, **place.key, seconds=1, counted_at=now,
        figures={"figures": figures, "judgments": 2}, data_state="0",
    )  # fmt: skip
