"""Vectors of a snapshot's passages, made by a job."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from evaluation.systems.policies import check_can_import_outputs
from modeling.base import MissingModel
from wikipedia.models import Snapshot

VECTORS: Final = "vectors"
LABELS: Final[Mapping[str, str]] = {"minilm": "MiniLM", "dpr": "DPR"}  # of encoders
_TASK = "modeling.tasks.run_job"


def list_missing_vectors(project: Project) -> list[tuple[str, str]]:
    """Return key and label of each encoder that is here and whose vectors are not."""
    rows = []
    for encoder, label in LABELS.items():
        try:
            _check_can_be_made(project.snapshot, encoder)
        except (Conflict, MissingModel):
            continue
        rows.append((encoder, label))
    return rows


@transaction.atomic
def make_vectors(*, project: Project, encoder: str, by: User, now: dt.datetime) -> Job:
    """Make the job that makes vectors for a project's snapshot, or return the one under way.

    Staff only. Raises Conflict where they are there already or cannot be made here.
    """
    check_can_import_outputs(by, project)
    try:
        _check_can_be_made(project.snapshot, encoder)
    except MissingModel as problem:
        raise Conflict(str(problem)) from None
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks, one job
    open_ones = Job.objects.filter(
        project=project, kind=VECTORS, state__in=jobs_services.UNFINISHED
    )
    for job in open_ones.order_by("pk"):
        if job.options["encoder"] == encoder:
            return job
    return jobs_services.create_job(
        project=project,
        kind=VECTORS,
        options={"snapshot": project.snapshot.name, "encoder": encoder},
        file_name=f"Vectors by {LABELS[encoder]}, {project.snapshot}",
        unit="passages",
        by=by,
        now=now,
    )


def _check_can_be_made(snapshot: Snapshot, encoder: str) -> None:
    """Refuse where vectors need not be made, or cannot be made and searched here."""
    from modeling.vectors import store  # loads the search engine

    if snapshot.kind == Snapshot.Kind.LIVE:
        raise MissingModel("A live wiki has no index of passages.")
    store.passages_of(snapshot.name)
    store.question_weights(encoder)
    store.passage_weights(encoder)
    try:
        store.require_vectors(snapshot.name, encoder)
    except MissingModel:
        return
    raise Conflict(f"The vectors of {snapshot} by {LABELS[encoder]} are up to date.")


def run_job(work: jobs_services.RunningJob) -> None:
    """Make vectors from where a killed job stopped. They are files of the worker's machine."""
    from modeling.vectors.building import build_vectors  # loads the search engine
    from wikipedia.search.index import IndexProblem

    options = work.job.options
    try:
        with jobs_services.keep_heartbeat(work):
            build_vectors(
                options["snapshot"],
                options["encoder"],
                progress=lambda done, total: work.save(done=done, total=total),
            )
    except (MissingModel, IndexProblem) as problem:
        raise jobs_services.JobProblem(str(problem)) from None
    except OSError as error:
        raise jobs_services.JobProblem(
            f"The vectors cannot be written: {error.strerror}."
        ) from None


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    return make_vectors(project=job.project, encoder=job.options["encoder"], by=by, now=now)


def task_of(options: Mapping[str, Any]) -> str:
    """Return the Celery task that runs such jobs: that of workers with models."""
    return _TASK
