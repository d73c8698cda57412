"""Figures that a job computes and stores: where, how old they are, which job runs (ADR 21).

Nothing here computes a figure; `annotation.figures.services` does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Self, cast

from django.db.models import QuerySet
from django.utils.module_loading import import_string

from annotation.core.data_state import data_state
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.extensions.parts import JobWords
from annotation.figures.filters import Filters
from annotation.figures.models import StoredFigures
from annotation.figures.readers import MANAGERS, Readers
from annotation.figures.registry import find_readers
from annotation.jobs.services import UNFINISHED

State = Literal["current", "failed", "computing", "outdated"]
# Reads the state of the data that figures are computed from.
ReadState = Callable[["FigurePlace"], str]
# Computes what is stored under the name of a place, and under the names of its parts.
Parts = Mapping[str, Any]
Compute = Callable[["FigurePlace", datetime, "Progress"], Parts]


@dataclass
class Progress:
    """How many steps are done of computing figures; `total` is None until that is known."""

    done: int = 0
    total: int | None = None

    def step(self, steps: int = 1) -> None:
        """Count steps that are done."""
        self.done += steps


def read_project_state(place: "FigurePlace") -> str:
    """Return the state of all data of the project."""
    return data_state(place.project)


@dataclass(frozen=True, kw_only=True)
class FigureKind:
    """A kind of figures, computed by jobs of the kind `key`.

    unit: what the progress of the job counts. compute, state: dotted paths of a `Compute` and of a
    `ReadState`, so that a page does not load what computes. subject: what in the project each of
    these figures is about, as the options of the job name it; empty where it is the whole project.
    """

    key: str
    unit: str
    words: JobWords
    compute: str
    state: str = "annotation.figures.stored.read_project_state"
    readers: Readers = MANAGERS
    subject: str = ""

    def place_of_job(self, job: Job) -> "FigurePlace":
        """Return which figures a job computes."""
        return FigurePlace(
            kind=self,
            project=job.project,
            report=job.options.get("report", ""),
            subject=job.options.get(self.subject, 0),
            filters=Filters.of(job.options.get("filters", {})),
        )


@dataclass(frozen=True)
class FigurePlace:
    """Which figures: of what kind, project, report and subject (an id), with which filters."""

    kind: FigureKind
    project: Project
    report: str = ""
    subject: int = 0
    filters: Filters = field(default_factory=Filters)

    @property
    def name(self) -> str:
        """The name that the figures are stored under."""
        return f"{self.kind.key}.{self.report}" if self.report else self.kind.key

    @property
    def key(self) -> dict[str, str]:
        """What tells the figures from others of the same name."""
        return {"subject": str(self.subject or ""), "filters": self.filters.key}

    @property
    def readers(self) -> Readers:
        """Who may read the figures."""
        return find_readers(self.report) if self.report else self.kind.readers

    @property
    def options(self) -> dict[str, Any]:
        """The options of the job that computes the figures."""
        if self.report:
            return {"report": self.report, "filters": self.filters.plain()}
        return {self.kind.subject: self.subject} if self.kind.subject else {}

    def name_part(self, part: str) -> str:
        """Return the name of a part that is stored beside the whole, which is the part ""."""
        return f"{self.name}.{part}" if part else self.name

    def find_job(self) -> Job | None:
        """Return the newest job that computes, or computed, the figures."""
        jobs = Job.objects.filter(project=self.project, kind=self.kind.key, options=self.options)
        return jobs.order_by("-pk").first()

    def find_rows(self) -> QuerySet[StoredFigures]:
        """Return what is stored under the name: one row, or none."""
        return StoredFigures.objects.filter(project=self.project, report=self.name, **self.key)

    def read_state(self) -> str:
        """Return the state of the data that the figures would be computed from now."""
        return cast(ReadState, import_string(self.kind.state))(self)

    def compute(self, now: datetime, progress: Progress) -> Parts:
        """Compute the figures, with what is stored beside them."""
        return cast(Compute, import_string(self.kind.compute))(self, now, progress)


@dataclass(frozen=True)
class ComputedFigures:
    """Stored figures, and the newest job that computes them.

    `current`: nothing has changed since they were computed, from data in the state `data_state`.
    `computed_at` is None, and what follows is empty, where there are none.
    """

    place: FigurePlace
    computed_at: datetime | None
    current: bool
    job: Job | None
    payload: Mapping[str, Any]
    data_state: str

    @classmethod
    def find(cls, place: FigurePlace) -> Self:
        """Return what is stored. Three queries, two where that is nothing."""
        # Read the job first: if it has ended, the figures read next include its own.
        job, row = place.find_job(), place.find_rows().first()
        return cls(
            place=place,
            computed_at=row.counted_at if row else None,
            current=row is not None and cls.is_current(place, row.data_state),
            job=job,
            payload=row.figures if row else {},
            data_state=row.data_state if row else "",
        )

    @staticmethod
    def is_current(place: FigurePlace, data_state: str) -> bool:
        """Whether the data are still in the state that figures were computed from."""
        return data_state == place.read_state()

    @property
    def computing(self) -> bool:
        """Whether a job is computing new figures."""
        return self.job is not None and self.job.state in UNFINISHED

    @property
    def problem(self) -> str:
        """Why there are no newer figures: the sentence of the failed job, otherwise empty."""
        failed = not self.current and self.job is not None and self.job.state == Job.State.FAILED
        return self.job.problem if failed and self.job else ""

    @property
    def due(self) -> bool:
        """Whether a job has to be started. Only people start a failed one again."""
        return not (self.current or self.computing or self.problem)

    @property
    def state(self) -> State:
        """Whether the figures are current, and if not, what becomes of them."""
        if self.current:
            return "current"
        return "failed" if self.problem else "computing" if self.computing else "outdated"

    def with_job(self, job: Job) -> Self:
        """Return a copy with the job that was just started."""
        return replace(self, job=job)
