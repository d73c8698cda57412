"""Compute the panels of a report and store them, in a job or the command (ADR 31)."""

import datetime as dt
import time
from typing import Any

from django.db import transaction

from accounts.models import User
from annotation.models import Job, Project, StoredFigures
from annotation.policies.projects import check_can_manage
from annotation.queries.log import data_state
from annotation.services import figures, jobs
from annotation.services.exports.rows import snapshot
from evaluation.reports import pictures
from evaluation.reports.filters import Filters
from evaluation.reports.panel import plain
from evaluation.reports.registry import Report, Request, report_of
from evaluation.reports.stored import (
    JOB_KIND,
    StoredReport,
    job_of,
    name_of,
    options_of,
    stored_of,
)

# Filtered figures are made for somebody who looks at them; of each report these many are kept.
KEPT = 50


def look(
    *, project: Project, report: Report, filters: Filters, by: User, now: dt.datetime
) -> StoredReport:
    """Return the stored figures, and start a job if they are out of date."""
    stored = stored_of(project, report, filters)
    if not stored.due:
        return stored
    return stored.with_job(ask(project=project, report=report, filters=filters, by=by, now=now))


@transaction.atomic
def ask(*, project: Project, report: Report, filters: Filters, by: User, now: dt.datetime) -> Job:
    """Start a job to compute a report; return the unfinished one if there is one."""
    check_can_manage(by, project)
    # Of two visitors at once, the second waits here and then sees the job of the first.
    Project.objects.select_for_update(no_key=True, of=["self"]).get(pk=project.pk)
    job = job_of(project, report, filters)
    if job is not None and job.state in jobs.UNFINISHED:
        return job
    options = options_of(report, filters)
    return jobs.create(
        project=project, kind=JOB_KIND, options=options, unit="panels", by=by, now=now
    )


def up_to_date(
    *, project: Project, report: Report, filters: Filters, now: dt.datetime
) -> StoredReport:
    """Return current figures; if those stored are not, compute them now, which can be slow."""
    stored = stored_of(project, report, filters)
    if stored.current:
        return stored
    store(compute(project=project, report=report, filters=filters, now=now))
    return stored_of(project, report, filters)


def compute(
    *, project: Project, report: Report, filters: Filters, now: dt.datetime
) -> StoredFigures:
    """Compute the panels of a report, all from one state of the data; nothing is stored."""
    started = time.perf_counter()
    request = Request(project, filters, now)
    with snapshot():
        state = data_state(project)
        computed = [(entry, entry.panel(request)) for entry in report.entries(project)]
    panels: list[dict[str, Any]] = []
    for entry, panel in computed:
        row = plain(panel) | {
            "key": entry.key,
            "title": entry.title,
            "ignored": filters.unknown_to(entry.filters),
        }
        panels.append(row | {"svg": pictures.svg_of(row)})
    return StoredFigures(
        project=project,
        report=name_of(report),
        filters=filters.key,
        figures={"panels": panels, "drawn": pictures.available()},
        data_state=state,
        seconds=time.perf_counter() - started,
        counted_at=now,
    )


@transaction.atomic
def store(computed: StoredFigures) -> None:
    """Store figures in place of earlier ones, and forget the oldest that were filtered."""
    figures.store(computed)
    rows = StoredFigures.objects.filter(project=computed.project, report=computed.report)
    filtered = rows.exclude(filters="").order_by("-counted_at", "-pk")
    StoredFigures.objects.filter(pk__in=list(filtered.values_list("pk", flat=True)[KEPT:])).delete()


def run_job(work: jobs.Running) -> None:
    """Run the job, always from the start."""
    project, options = work.job.project, work.job.options
    report = report_of(project, options["report"])
    if report is None:
        raise jobs.JobProblem("This project no longer has this report.")
    filters = Filters.of(options["filters"])
    with jobs.beating(work):
        computed = compute(project=project, report=report, filters=filters, now=work.clock())
    done = len(computed.figures["panels"])
    with transaction.atomic():
        work.save(done=done, total=done)
        store(computed)


jobs.register(JOB_KIND, run_job, logged=False)
