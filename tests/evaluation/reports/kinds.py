"""Reports of the tests' own, so that they depend on no panel of the program."""

from django.urls import reverse

from annotation.figures.registry import Entry, Report
from annotation.jobs import services as jobs_services

HERE = "tests.evaluation.reports.samples"


def entry(key, **fields):
    return Entry(key, key.capitalize(), f"{HERE}.{key}", **fields)


def report(*panels):
    filters = ("split", "period", "people")
    return Report("sample", "Sample", "Panels to test with.", filters=filters, panels=list(panels))


def every_kind():
    """A panel for each kind of picture."""
    return report(*map(entry, ("shares", "groups", "weeks", "pairs", "scatter", "words", "empty")))


def page(project, query=""):
    return reverse("project-report", args=[project.slug, "sample"]) + query


def file(project, panel, format, query=""):
    return reverse("report-file", args=[project.slug, "sample", panel, format]) + query


def run(job, now):
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    job.refresh_from_db()
    return job
