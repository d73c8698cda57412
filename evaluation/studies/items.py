"""The items of a study that starts: written from its plan, and opened as tasks."""

import datetime as dt
from collections.abc import Sequence

from annotation.models import StagePolicy
from annotation.work import tasks
from evaluation.studies import design
from evaluation.studies.models import Item, Study
from evaluation.systems.models import Output

_BATCH = 5_000


def write_items(study: Study, plan: Sequence[design.PlannedItem]) -> list[Item]:
    """Write the planned items: those that are repeated first, so that the others can name them."""
    items = [
        Item(
            study=study,
            position=position,
            question_id=planned.question,
            first_id=planned.first,
            second_id=planned.second,
            swapped=planned.swapped,
        )
        for position, planned in enumerate(plan)
    ]
    once = [item for item, row in zip(items, plan, strict=True) if row.repeats is None]
    again = [
        (item, row.repeats)
        for item, row in zip(items, plan, strict=True)
        if row.repeats is not None
    ]
    Item.objects.bulk_create(once, batch_size=_BATCH)
    for item, place in again:
        item.repeats = items[place]
    Item.objects.bulk_create([item for item, _ in again], batch_size=_BATCH)
    return items


def open_items(study: Study, items: Sequence[Item], now: dt.datetime) -> None:
    """Open a task for each item, which the authors of its texts never get."""
    ensure_policy(study)
    rows = Output.objects.filter(
        system__in=study.systems.all(), author__isnull=False, question__split=study.split
    )
    authors = {
        (system, question): author
        for system, question, author in rows.values_list("system", "question", "author")
    }

    def barred(item: Item) -> tuple[int, ...]:
        texts = ((system, item.question_id) for system in (item.first_id, item.second_id) if system)
        return tuple(sorted({authors[text] for text in texts if text in authors}))

    units = [
        tasks.SpecialTask(
            question=item.question_id,
            unit=item.unit,
            place=item.position,
            people=study.raters,
            barred=barred(item),
            after=item.repeats.unit if item.repeats else "",
        )
        for item in items
    ]
    tasks.open_special(stage=study.stage, project=study.project, units=units, now=now)


def ensure_policy(study: Study) -> None:
    """Make the policy of the study's stage on its split, if there is none."""
    StagePolicy.objects.get_or_create(
        project=study.project,
        stage=study.stage,
        split=study.split,
        defaults={"people": 1, "minimum_seconds": 0},
    )
