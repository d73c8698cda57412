"""Measure the answers of systems on a split; what was measured is stored, and made once.

Measured values are stored figures (ADR 25) of a system on a split. They count while nothing that
they are made from has changed: texts, details, what they are scored against, this program.
"""

import datetime as dt
import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from django.conf import settings

import metrics
from annotation.figures import counts as stored_counts
from annotation.models import Project, Question, StoredFigures
from evaluation.scores.registry import scoring_of
from evaluation.scores.values import SystemMeasures, SystemScores
from evaluation.systems.models import Output, System
from evaluation.systems.stored_scores import place_of


class Scale:
    """What the answers to a split are measured against; read once for all systems.

    Raises KeyError where the answers of systems are not scored in the project.
    """

    def __init__(self, project: Project, split: str) -> None:
        self.project, self.split = project, split
        self.scoring = scoring_of(project)
        rows = Question.objects.filter(project=project, split=split)
        self.questions = rows.exclude(state=Question.State.EXCLUDED).in_bulk()
        self.scorer = self.scoring.open_split(project, split, self.questions)
        facts = [
            [(row.external_id, row.prompt, row.context) for row in self.questions.values()],
            self.scorer.facts,
            [project.protocol, sorted(self.scoring.kinds), settings.VERSION, metrics.VERSION],
        ]
        self.digest = _digest(facts)

    def measure_system(self, system: System) -> tuple[SystemMeasures, StoredFigures | None]:
        """Return what is stored of a system, or measure it and return what can be stored.

        Two queries, and those of the scorer.
        """
        rows = Output.objects.filter(system=system, question__in=self.questions)
        outputs = list(rows.select_related("system").order_by("question_id"))
        more = self.scorer.read_more(outputs)
        state = _digest(
            [
                self.digest,
                [(row.question_id, row.text, row.details, row.author_id) for row in outputs],
                more,
            ]
        )
        place = place_of(system, self.split)
        stored = StoredFigures.objects.filter(**place, data_state=state).first()
        if stored is not None:
            return SystemMeasures(**stored.figures), None
        started = time.perf_counter()
        made = self._measured(outputs, more)
        return made, StoredFigures(
            **place,
            figures=asdict(made),
            data_state=state,
            seconds=time.perf_counter() - started,
        )

    def _measured(self, outputs: Sequence[Output], more: Any) -> SystemMeasures:
        columns, options = self.scorer.measure_outputs(outputs, more)
        return SystemMeasures(len(outputs), len(self.questions), columns, options)

    def store_measures(self, system: System, *, now: dt.datetime) -> bool:
        """Measure a system and store it, unless nothing has changed; return whether it has."""
        _, row = self.measure_system(system)
        if row is not None:
            row.counted_at = now
            stored_counts.store_figures(row)
        return row is not None


def measure_systems(
    project: Project, split: str, systems: Sequence[System]
) -> Iterator[tuple[System, SystemMeasures]]:
    """Give what the answers of these systems measure, stored or measured now."""
    scale = Scale(project, split)
    for system in systems:
        yield system, scale.measure_system(system)[0]


def score_systems(project: Project, split: str, systems: Sequence[System]) -> list[SystemScores]:
    """Return the figures of these systems on a split, each with its 95 % interval.

    All are percentages but lengths, which are in words.
    """
    kinds = scoring_of(project).kinds
    return [
        SystemScores(system, row.answers, row.questions, row.score_figures(kinds))
        for system, row in measure_systems(project, split, systems)
    ]


def _digest(facts: Any) -> str:
    data = orjson.dumps(facts, option=orjson.OPT_NON_STR_KEYS, default=list)
    return hashlib.sha256(data).hexdigest()
