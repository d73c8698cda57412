"""The stored figures of a study: how old they are, what is new since, which job runs.

Nothing here computes a figure; a job does (evaluation.results.services).
"""

from dataclasses import dataclass
from typing import Any

from annotation.jobs.services import UNFINISHED
from annotation.models import Job
from evaluation.consensus.models import Consensus
from evaluation.results.models import Results
from evaluation.studies.models import Judgment, Study
from evaluation.studies.results_job import job_of

MOST_COUNTED = 1_000


@dataclass(frozen=True)
class StoredResults:
    """The stored figures, if there are any, and the newest job that computes them.

    since: how many judgments were made since, counted up to MOST_COUNTED; agreed: on how many
    items experts found a consensus since.
    """

    stored: Results | None
    job: Job | None
    since: int
    agreed: int = 0

    @property
    def figures(self) -> dict[str, Any]:
        """What the job stored; empty without it."""
        return self.stored.figures if self.stored else {}

    @property
    def computing(self) -> bool:
        """Whether a job is computing new figures."""
        return self.job is not None and self.job.state in UNFINISHED

    @property
    def problem(self) -> str:
        """Why there are no newer figures: the sentence of the last job if it failed."""
        return self.job.problem if self.job and self.job.state == Job.State.FAILED else ""

    @property
    def many(self) -> bool:
        """Whether there are more judgments since than were counted."""
        return self.since == MOST_COUNTED


def results_of(study: Study) -> StoredResults:
    """Return the stored figures of a study. Three queries, four where experts judge."""
    # Read the job first: if it has ended, the figures read next include its own.
    job = job_of(study)
    stored = Results.objects.filter(study=study).first()
    after = stored.last_judgment if stored else 0
    newer = Judgment.objects.filter(item__study=study, pk__gt=after)
    return StoredResults(stored, job, newer[:MOST_COUNTED].count(), _agreed(study, stored))


def _agreed(study: Study, stored: Results | None) -> int:
    if stored is None or study.pairing != Study.Pairing.EXPERT:
        return 0
    rows = Consensus.objects.filter(item__study=study, created_at__gt=stored.computed_at)
    return rows.count()
