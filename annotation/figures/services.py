"""Compute the panels of a report and store them, in a job or the command (ADR 31)."""

import datetime as dt
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Q

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.consistent_view import snapshot
from annotation.core.data_state import data_state
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.figures import counts as stored_counts
from annotation.figures import pictures
from annotation.figures.filters import Filters
from annotation.figures.models import StoredFigures
from annotation.figures.panel import Panel, panel_to_json
from annotation.figures.queries import (
    JOB_KIND,
    ROWS,
    StoredReport,
    find_report_job,
    find_stored_report,
    job_options,
    name_report,
    name_rows,
    shorten_panel,
)
from annotation.figures.registry import Entry, Report, Request, find_report
from annotation.jobs import services as jobs_services

logger = logging.getLogger(__name__)

# Filtered figures are made for somebody who looks at them; of each report these many are kept.
KEPT = 50
PROBLEM = (
    "This panel could not be computed because of a fault in the program ({}). The worker’s log has "
    "the details."
)


def open_report(
    *, project: Project, report: Report, filters: Filters, by: User, now: dt.datetime
) -> StoredReport:
    """Return the stored figures, and start a job if they are out of date."""
    stored = find_stored_report(project, report, filters)
    if not stored.due:
        return stored
    return stored.with_job(
        start_report_job(project=project, report=report, filters=filters, by=by, now=now)
    )


@transaction.atomic
def start_report_job(
    *, project: Project, report: Report, filters: Filters, by: User, now: dt.datetime
) -> Job:
    """Start a job to compute a report; return the unfinished one if there is one."""
    check_can_manage(by, project)
    # Of two visitors at once, the second waits here and then sees the job of the first.
    Project.objects.select_for_update(no_key=True, of=["self"]).get(pk=project.pk)
    job = find_report_job(project, report, filters)
    if job is not None and job.state in jobs_services.UNFINISHED:
        return job
    options = job_options(report, filters)
    return jobs_services.create_job(
        project=project, kind=JOB_KIND, options=options, unit="panels", by=by, now=now
    )


def bring_up_to_date(
    *, project: Project, report: Report, filters: Filters, now: dt.datetime
) -> StoredReport:
    """Return current figures; if those stored are not, compute them now, which can be slow."""
    stored = find_stored_report(project, report, filters)
    if stored.current:
        return stored
    store_report(compute_report(project=project, report=report, filters=filters, now=now))
    return find_stored_report(project, report, filters)


def compute_report(
    *,
    project: Project,
    report: Report,
    filters: Filters,
    now: dt.datetime,
    step: Callable[[], object] = lambda: None,
) -> list[StoredFigures]:
    """Compute the panels of a report, all from one state of the data; nothing is stored.

    Returns the report, then all rows of each panel that is long. `step` is called after each
    panel.
    """
    started = time.perf_counter()
    request = Request(project, filters, now)
    panels: list[dict[str, Any]] = []
    rows: dict[str, dict[str, Any]] = {}
    with snapshot():
        state = data_state(project)
        for entry in report.entries(project):
            panel = _panel(entry, request)
            panels.append(shorten_panel(panel) | _draw_pictures(panel))
            if len(panel["rows"]) > ROWS:
                rows[name_rows(report, entry.key)] = {"rows": panel["rows"]}
            step()
    parts = {name_report(report): {"panels": panels, "drawn": pictures.can_draw()}, **rows}
    seconds = time.perf_counter() - started
    return [
        StoredFigures(
            project=project,
            report=name,
            filters=filters.key,
            figures=part,
            data_state=state,
            seconds=seconds,
            counted_at=now,
        )
        for name, part in parts.items()
    ]


def _panel(entry: Entry, request: Request) -> dict[str, Any]:
    """Compute a panel. One that fails says so in its place, and the others are there."""
    try:
        with transaction.atomic():  # a statement that fails undoes no more than its own panel
            panel = panel_to_json(entry.panel(request))
    except OperationalError:
        raise  # the database is unavailable, and so is every other panel
    except Exception as error:
        logger.exception("panel %s of project %s failed", entry.key, request.project.pk)
        panel = panel_to_json(Panel((), (), 0, "", problem=PROBLEM.format(type(error).__name__)))
    ignored = request.filters.unknown_to(entry.filters)
    return panel | {"key": entry.key, "title": entry.title, "ignored": ignored}


def _draw_pictures(panel: dict[str, Any]) -> dict[str, str]:
    """Draw a panel for screens and for phones; without its pictures it still has its table."""
    try:
        return {
            "svg": pictures.draw_svg(panel),
            "narrow_svg": pictures.draw_svg(panel, narrow=True),
        }
    except Exception:
        logger.exception("the picture of panel %s failed", panel["key"])
        return {"svg": "", "narrow_svg": ""}


@transaction.atomic
def store_report(computed: Sequence[StoredFigures]) -> None:
    """Store what `compute` gave in place of earlier figures; forget the oldest filtered ones."""
    for row in computed:
        stored_counts.store_figures(row)
    head, names = computed[0], [row.report for row in computed]
    rows = StoredFigures.objects.filter(project=head.project)
    rows = rows.filter(Q(report=head.report) | Q(report__startswith=f"{head.report}."))
    rows.filter(filters=head.filters).exclude(report__in=names).delete()
    filtered = rows.filter(report=head.report).exclude(filters="").order_by("-counted_at", "-pk")
    oldest = list(filtered.values_list("filters", flat=True)[KEPT:])
    rows.filter(filters__in=oldest).delete()


class _Progress:
    """How many panels of a job are computed.

    The thread that computes is in a snapshot, where nothing can be written: it counts, and the
    thread that beats writes.
    """

    def __init__(self, job: Job, total: int) -> None:
        self.job, self.done, self.total = job, 0, total
        self.stopped = False

    def step(self) -> None:
        """Count a panel. Raises JobCancelled where the job is to stop."""
        self.done += 1
        if self.stopped:
            raise jobs_services.JobCancelled

    def write(self, now: dt.datetime) -> None:
        """Write the count, and find out whether the job is to stop."""
        row = Job.objects.filter(
            pk=self.job.pk, state=Job.State.RUNNING, attempts=self.job.attempts
        )
        row.update(done=self.done, total=self.total)
        self.stopped = row.filter(cancel_asked_at__isnull=False).exists()


def run_job(work: jobs_services.RunningJob) -> None:
    """Run the job, always from the start."""
    project, options = work.job.project, work.job.options
    report = find_report(project, options["report"])
    if report is None:
        raise jobs_services.JobProblem("This project no longer has this report.")
    filters = Filters.of(options["filters"])
    total = len(report.entries(project))
    progress = _Progress(work.job, total)
    with jobs_services.keep_heartbeat(work, also=progress.write):
        computed = compute_report(
            project=project, report=report, filters=filters, now=work.clock(), step=progress.step
        )
    with transaction.atomic():
        work.save(done=total, total=total)
        store_report(computed)
