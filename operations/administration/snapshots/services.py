"""Builds the search index of a snapshot by a job, which people can see and stop.

A job belongs to a project, so a snapshot that none uses is built by the command alone.
"""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from operations.administration.people.policies import check_administers
from operations.administration.snapshots.queries import find_builds
from operations.administration.snapshots.values import INDEX
from wikipedia.archives.zim import ArchiveError
from wikipedia.models import Snapshot


@transaction.atomic
def start_build(*, snapshot: Snapshot, by: User, now: dt.datetime) -> Job:
    """Make the job that builds the index, or return the one under way.

    Only for administrators of the installation. Raises Conflict for a live wiki, and for a snapshot
    of no project.
    """
    check_administers(by)
    snapshot = Snapshot.objects.select_for_update(no_key=True).get(pk=snapshot.pk)
    if snapshot.kind != Snapshot.Kind.ZIM:
        raise Conflict("A live wiki has no index here.")
    for job in find_builds().order_by("pk"):
        if job.options["snapshot"] == snapshot.name:
            return job
    project = Project.objects.filter(snapshot=snapshot).order_by("pk").first()
    if project is None:
        raise Conflict("No project uses this snapshot. Build its index on the server.")
    return jobs_services.create_job(
        project=project,
        kind=INDEX,
        options={"snapshot": snapshot.name},
        file_name=f"Search index, {snapshot}",
        unit="entries",
        by=by,
        now=now,
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Build the index from where a killed job stopped. It is files of the worker's machine."""
    from wikipedia.search.index import IndexProblem  # loads the search engine
    from wikipedia.snapshots.services import index_snapshot

    snapshot = Snapshot.objects.filter(name=work.job.options["snapshot"]).first()
    if snapshot is None:
        raise jobs_services.JobProblem("The snapshot is gone.")
    try:
        with jobs_services.keep_heartbeat(work):
            index_snapshot(
                snapshot=snapshot, progress=lambda done, total: work.save(done=done, total=total)
            )
    except (ArchiveError, IndexProblem) as problem:
        raise jobs_services.JobProblem(str(problem)) from None
    except OSError as error:
        raise jobs_services.JobProblem(
            f"The index cannot be written: {error.strerror or error}."
        ) from None


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    """Start a build like one that ended. Raises Conflict if the snapshot is gone."""
    snapshot = Snapshot.objects.filter(name=job.options["snapshot"]).first()
    if snapshot is None:
        raise Conflict("The snapshot is gone.")
    return start_build(snapshot=snapshot, by=by, now=now)
