"""Which questions a study can have, and which of them it draws."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from annotation.models import Question
from evaluation.studies import design
from evaluation.studies.models import Study
from evaluation.studies.statements import POOL
from evaluation.systems.models import System


def asks_accuracy(study: Study) -> bool:
    """Whether people are asked what each answer says, which takes disambiguations."""
    return study.accuracy and study.stage != "expert"


def read_eligible_questions(study: Study, systems: Sequence[System]) -> dict[int, int]:
    """Return the questions a study can have: by id the number of their disambiguations. One query.

    They are not excluded, have an answer from every one of these systems, and have disambiguations
    where people are asked about them.
    """
    if not systems:
        return {}
    values: dict[str, Any] = {
        "project": study.project_id,
        "split": study.split,
        "systems": [system.pk for system in systems],
        "number": len(systems),
        "excluded": Question.State.EXCLUDED.value,
        "disambiguated": asks_accuracy(study),
    }
    with connection.cursor() as cursor:
        cursor.execute(POOL, values)
        return dict(cursor.fetchall())


def draw_questions(study: Study, questions: Mapping[int, int]) -> list[int]:
    """Return the questions that the study draws from its pool, in the order of the work.

    Raises `DesignError` where there are too few.
    """
    # Places, not ids, so that the draw does not depend on the database.
    places = list(questions)
    sizes = {place: questions[question] for place, question in enumerate(places)}
    sample = design.sample_questions(
        sizes, size=study.size, seed=study.seed, stratified=study.stratified
    )
    return [places[place] for place in sample]


def plan_study_items(
    study: Study, systems: Sequence[System], questions: Sequence[int]
) -> list[design.PlannedItem]:
    """Return the items of the study: its systems, in the order of their names, on these questions.

    Raises `DesignError` where nothing can be planned.
    """
    places = {system.pk: place for place, system in enumerate(systems, start=1)}
    ids: dict[int | None, int] = {place: system for system, place in places.items()}
    items = design.plan_items(
        questions,
        list(places.values()),
        pairing=study.pairing,
        reference=places.get(study.reference_id or 0),
        repeats=study.repeats,
        seed=study.seed,
    )
    return [replace(item, first=ids[item.first], second=ids.get(item.second)) for item in items]
