"""Reads about snapshots and their indexes, as they are on this host."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db.models import QuerySet

from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.jobs.services import UNFINISHED
from operations.administration.snapshots.values import INDEX
from operations.administration.storage.measuring import measure_folder
from wikipedia.models import Snapshot
from wikipedia.snapshots.queries import index_advice, index_problem


@dataclass(frozen=True)
class VectorsSize:
    """Vectors of a snapshot's passages by one encoder."""

    encoder: str
    bytes: int


@dataclass(frozen=True)
class SnapshotRow:
    """A snapshot. archive and index: bytes, None where there is none.

    problem: why it cannot be used; advice: why its index is to be built again. job: the one that
    builds it now. command: what builds it on the server.
    """

    snapshot: Snapshot
    archive: int | None
    index: int | None
    vectors: Sequence[VectorsSize]
    projects: Sequence[Project]
    problem: str | None
    advice: str | None
    job: Job | None
    command: str

    @property
    def can_be_built(self) -> bool:
        """Whether a job may build it: a job belongs to a project, and one builds at a time."""
        is_archive = self.snapshot.kind == Snapshot.Kind.ZIM
        return is_archive and bool(self.projects) and self.job is None

    @property
    def percent(self) -> int | None:
        """How far the build is; None before it has begun."""
        if self.job is None or not self.job.total:
            return None
        return min(100, 100 * self.job.done // self.job.total)


def list_snapshots() -> list[SnapshotRow]:
    """Return all snapshots by name. Three queries, and a look at the disk for each."""
    projects = defaultdict(list)
    for project in Project.objects.order_by("title", "pk"):
        projects[project.snapshot_id].append(project)
    jobs = {job.options.get("snapshot"): job for job in find_builds().select_related("project")}
    return [
        _describe(snapshot, projects[snapshot.pk], jobs.get(snapshot.name))
        for snapshot in Snapshot.objects.order_by("name")
    ]


def find_builds() -> QuerySet[Job]:
    """Return the jobs that build an index now or wait to."""
    return Job.objects.filter(kind=INDEX, state__in=UNFINISHED)


def _describe(snapshot: Snapshot, projects: Sequence[Project], job: Job | None) -> SnapshotRow:
    from wikipedia.providers.zim import index_dir  # loads the search engine

    folder = index_dir(snapshot.name)
    vectors = [
        VectorsSize(each.name, measure_folder(each)[0])
        for each in (
            sorted((folder / "vectors").iterdir()) if (folder / "vectors").is_dir() else ()
        )
    ]
    whole = measure_folder(folder)[0] if folder.is_dir() else None
    return SnapshotRow(
        snapshot=snapshot,
        archive=_size_of(Path(snapshot.archive)) if snapshot.archive else None,
        index=None if whole is None else whole - sum(each.bytes for each in vectors),
        vectors=vectors,
        projects=projects,
        problem=_find_problem(snapshot),
        advice=index_advice(snapshot),
        job=job,
        command=f"python manage.py index_wikipedia {snapshot.archive} --name {snapshot.name}",
    )


def _find_problem(snapshot: Snapshot) -> str | None:
    try:
        return index_problem(snapshot)
    except Exception as error:  # one bad archive must not hide the others
        return f"It cannot be looked at: {type(error).__name__}."


def _size_of(file: Path) -> int | None:
    try:
        return file.stat().st_size
    except OSError:
        return None
