"""Copy accepted questions of an AmbigQA project into an ASQA project (S20).

The worker writes the full release of a split to a file and imports that, so that ids, exclusions
and pages read are the same as with a downloaded file. Doing it again adds what was accepted since.
"""

import datetime as dt
import secrets
import tempfile
from contextlib import closing
from typing import IO

from django.core.files.base import File
from django.db import transaction

from accounts.models import User
from annotation.access.data import check_can_export, check_can_import
from annotation.core.refusals import Conflict, Denied
from annotation.imports import services as imports_services
from annotation.imports.adapters import adapter_of, sources_of
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from validation.decisions.accepted_answers import accepted_counts

JOB_KIND = "bring"


@transaction.atomic
def start_bringing(
    *, project: Project, source: Project, split: str, by: User, now: dt.datetime
) -> Job:
    """Make the job that copies a split of `source`. Only for staff of both projects."""
    check_can_import(by, project)
    check_can_export(by, source)
    if source.protocol not in sources_of(project):
        raise Conflict(
            f"Questions cannot be copied to a project of {project.protocol_label} from one of "
            f"{source.protocol_label}."
        )
    if not accepted_counts(source, split).released:
        raise Conflict(f"{source.title} has no accepted question on {split} yet.")
    return jobs_services.create_job(
        project=project,
        kind=JOB_KIND,
        options={
            "source": source.slug,
            "format": adapter_of(source).gives,
            "split": split,
            "strict": False,
            "finished": False,
        },
        file=f"jobs/{secrets.token_hex(12)}.upload",  # the worker writes it
        file_name=f"{source.title}, {split}",
        unit="records",
        by=by,
        now=now,
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Write the file unless that is done, then import it, continuing an interrupted import."""
    if not work.job.options.get("written"):
        _write(work)
    imports_services.run_job(work)


def _write(work: jobs_services.RunningJob) -> None:
    job = work.job
    source = Project.objects.filter(slug=job.options["source"]).first()
    if source is None:
        raise jobs_services.JobProblem(f"The project {job.options['source']} is gone.")
    with tempfile.TemporaryFile() as file:
        _pour(work, source, file)
        file.seek(0)
        storage, name = job.file.storage, str(job.file.name)
        storage.delete(name)  # left over from an earlier worker
        name = storage.save(name, File(file))
    work.save(file=name, options=job.options | {"written": True})


def _pour(work: jobs_services.RunningJob, source: Project, file: IO[bytes]) -> None:
    """Write the release to the file; `beating` shows meanwhile that the worker is alive.

    This connection cannot: it is inside the snapshot.
    """
    split, by = work.job.options["split"], work.job.created_by
    given = adapter_of(source).give_accepted(source, split, by=by, now=work.clock())
    try:
        with (
            jobs_services.keep_heartbeat(work),
            closing(given) as blocks,
        ):
            for block in blocks:
                file.write(block)
    except Denied as refusal:
        raise jobs_services.JobProblem(f"{source.title}: {refusal}") from None
    work.save()  # raises if the job was stopped meanwhile
