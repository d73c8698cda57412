"""The stored figures of a study, and what is new since they were computed."""

from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from annotation.figures.stored import ComputedFigures, FigurePlace
from annotation.models import Job
from evaluation.consensus.models import Consensus
from evaluation.studies.models import Judgment, Study
from evaluation.studies.results_job import place_results

MOST_COUNTED = 1_000


class StoredResults(ComputedFigures):
    """The stored figures of a study, and the newest job that computes them."""

    @staticmethod
    def is_current(place: FigurePlace, data_state: str) -> bool:
        """Whether no judgment has come since: their newest is too much to look for on a page."""
        return not _list_newer_judgments(place, data_state).exists()

    @property
    def figures(self) -> dict[str, Any]:
        """What the job stored; empty without it."""
        figures: dict[str, Any] = self.payload.get("figures", {})
        return figures

    @property
    def judgments(self) -> int:
        """From how many judgments they were computed."""
        return int(self.payload.get("judgments", 0))

    @property
    def problem(self) -> str:
        """Why there are no newer figures: the sentence of the last job if it failed."""
        return self.job.problem if self.job and self.job.state == Job.State.FAILED else ""

    @cached_property
    def since(self) -> int:
        """How many judgments were made since, counted up to MOST_COUNTED. One query."""
        return _list_newer_judgments(self.place, self.data_state)[:MOST_COUNTED].count()

    @cached_property
    def agreed(self) -> int:
        """On how many items experts found a consensus since. One query."""
        if self.computed_at is None:
            return 0
        rows = Consensus.objects.filter(item__study=self.place.subject)
        rows = rows.filter(item__study__pairing=Study.Pairing.EXPERT)
        return rows.filter(created_at__gt=self.computed_at).count()

    @property
    def many(self) -> bool:
        """Whether there are more judgments since than were counted."""
        return self.since == MOST_COUNTED


def _list_newer_judgments(place: FigurePlace, data_state: str) -> QuerySet[Judgment]:
    newer = Judgment.objects.filter(pk__gt=int(data_state or 0))
    return newer.filter(item__study=place.subject)


def find_results(study: Study) -> StoredResults:
    """Return the stored figures of a study. Three queries, two where there are none."""
    return StoredResults.find(place_results(study))
