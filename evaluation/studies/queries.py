"""Reads across rows of studies and judgments, each with a fixed number of statements."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.db.models import Q

from annotation.exports.rows import Names, Row, fetch_chunks, fetch_rows
from annotation.exports.selection import Selection
from annotation.extensions.parts import RowUse
from annotation.models import Project
from evaluation.studies import models
from evaluation.studies.judgment_values import CHOICES, ItemJudgment
from evaluation.studies.models import Study
from evaluation.studies.statements import EXPORTED_JUDGMENTS

AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class CountedJudgment:
    """One judgment that counts, with everything known about it, sides as they were shown.

    position: of its item; repeats: the position of the item that it repeats. left, right: names of
    systems, right "" where there is one answer alone. The response is as stages keep it.
    """

    study: int
    position: int
    repeats: int | None
    question: str
    text: str
    split: str
    context: str
    left: str
    right: str
    judge: str
    response: Mapping[str, Any]
    assignment: int | None
    submission: int | None
    started: dt.datetime | None
    submitted: dt.datetime
    seconds: int
    guideline: int | None

    def as_judgment(self, study: Study) -> ItemJudgment:
        """Return it as the value that figures are computed from."""
        response = self.response
        keys = [criterion["key"] for criterion in study.criteria]
        choices = zip(keys, response.get("choices", []), strict=False)
        return ItemJudgment(
            question=self.question,
            pair=self.position if self.repeats is None else self.repeats,
            left=self.left,
            right=self.right,
            judge=self.judge,
            repeat=self.repeats is not None,
            left_found=_found(response.get("left", [])) if study.accuracy else (),
            right_found=_found(response.get("right", [])) if study.accuracy else (),
            choices={key: CHOICES[c["better"]] for key, c in choices if c["better"] in CHOICES},
            verdict=response.get("verdict", ""),
            reason=response.get("why", ""),
            seconds=self.seconds,
        )


def list_uses_of_systems(systems: Collection[int]) -> list[RowUse]:
    """Return which studies use these systems, the oldest first. One query."""
    rows = Study.systems.through.objects.filter(system__in=systems).order_by("study_id")
    uses = rows.values_list("system_id", "study__title", "study__started_at")
    return [RowUse(system, title, started is not None) for system, title, started in uses]


def list_counted_judgments(study: Study) -> list[ItemJudgment]:
    """Return the judgments that count: submitted and used, or imported. One query."""
    names = Names(study.project)
    rows = fetch_rows(EXPORTED_JUDGMENTS, _values(study, Selection()))
    return [_judgment(row, names).as_judgment(study) for row in rows]


def read_full_judgments(
    study: Study, selection: Selection, names: Names
) -> Iterator[CountedJudgment]:
    """Yield the same with all that is known about each. Only within `snapshot`."""
    for rows in fetch_chunks(EXPORTED_JUDGMENTS, _values(study, selection), AT_ONCE):
        for row in rows:
            yield _judgment(row, names)


def count_judgments(project: Project, studies: Collection[int] | None = None) -> int:
    """Return how many judgments count, of these studies alone and without repeats if given."""
    rows = models.Judgment.objects.filter(item__study__project=project)
    if studies is not None:
        rows = rows.filter(item__study__in=studies, item__repeats=None)
    used = {"submission__assignment__state": "submitted", "submission__assignment__used": True}
    return rows.filter(Q(submission=None) | Q(**used)).count()


def _values(study: Study, selection: Selection) -> dict[str, Any]:
    return selection.values(study.project) | {"study": study.pk}


def _judgment(row: Row, names: Names) -> CountedJudgment:
    study, position, repeats, question, text, split, context = row[:7]
    first, second, swapped, key, name = row[7:12]
    response = orjson.loads(row[12])
    return CountedJudgment(
        study=study,
        position=position,
        repeats=repeats,
        question=question,
        text=text,
        split=split,
        context=context,
        left=second if swapped else first,
        right=first if swapped else second or "",
        judge=names[key] if key else name,
        response=response,
        assignment=row[13],
        submission=row[14],
        started=row[15],
        submitted=row[16] or row[18],
        seconds=response.get("seconds", 0) if row[17] is None else row[17],
        guideline=row[19],
    )


def _found(answers: Iterable[Mapping[str, Any]]) -> tuple[bool, ...]:
    return tuple(answer["found"] == "yes" for answer in answers)
