"""The job that computes the figures of a study, which room results runs."""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.jobs import services as jobs_services
from annotation.models import Job
from evaluation.studies.models import Study

JOB_KIND = "study_results"


def job_of(study: Study) -> Job | None:
    """Return the newest job that computes, or computed, the figures of a study."""
    jobs = Job.objects.filter(project_id=study.project_id, kind=JOB_KIND)
    return jobs.filter(options={"study": study.pk}).order_by("-pk").first()


@transaction.atomic
def start_results_job(*, study: Study, by: User, now: dt.datetime) -> Job:
    """Start a job to compute the figures of a study; return the unfinished one if there is one."""
    check_can_manage(by, study.project)
    # Of two presses at once, the second waits here and then sees the job of the first.
    Study.objects.select_for_update(of=["self"]).get(pk=study.pk)
    job = job_of(study)
    if job is not None and job.state in jobs_services.UNFINISHED:
        return job
    options = {"study": study.pk}
    return jobs_services.create_job(
        project=study.project, kind=JOB_KIND, options=options, unit="judgments", by=by, now=now
    )
