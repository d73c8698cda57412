"""Compute the figures of agreement and store them, in a job or the command (ADR 21)."""

import datetime as dt
from dataclasses import asdict

from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.consistent_view import snapshot
from annotation.core.data_state import data_state
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Split
from validation.agreement.models import Agreement
from validation.agreement.project_report import report_of
from validation.agreement.stored import JOB_KIND, StoredAgreement, agreement_of


def look(*, project: Project, by: User, now: dt.datetime) -> StoredAgreement:
    """Return the stored figures, and start a job if they are out of date."""
    agreement = agreement_of(project)
    return (
        agreement.with_job(start(project=project, by=by, now=now)) if agreement.due else agreement
    )


def start(*, project: Project, by: User, now: dt.datetime) -> Job:
    """Start a job to compute the figures; return the running one if there is one."""
    check_can_manage(by, project)
    return jobs_services.the_only_one(project=project, kind=JOB_KIND, unit="splits", by=by, now=now)


def up_to_date(*, project: Project, now: dt.datetime) -> StoredAgreement:
    """Return current figures; if those stored are not, compute them now, which can be slow."""
    agreement = agreement_of(project)
    if agreement.current:
        return agreement
    store(compute(project=project, now=now))
    return agreement_of(project)


def compute(*, project: Project, now: dt.datetime) -> Agreement:
    """Compute every figure of the project and of each split, all from one state of its data."""
    splits: list[str] = ["", *Split.values]
    with snapshot():
        return Agreement(
            project=project,
            data_state=data_state(project),
            reports={split: asdict(report_of(project, split or None)) for split in splits},
            computed_at=now,
        )


def store(computed: Agreement) -> None:
    """Store the figures in place of the earlier ones."""
    Agreement.objects.bulk_create(
        [computed],
        update_conflicts=True,
        unique_fields=["project"],
        update_fields=["reports", "data_state", "computed_at"],
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Run the job, always from the start."""
    with jobs_services.keep_heartbeat(work):
        computed = compute(project=work.job.project, now=work.clock())
    with transaction.atomic():
        work.save(done=len(computed.reports), total=len(computed.reports))
        store(computed)
