"""What the pages of studies show."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Avg, Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotation.models import Project, Question, Split
from evaluation.studies.models import KEPT_FOR, DeletedDraft, Item, Judgment, Study
from evaluation.studies.statements import COUNTED_ANSWERS
from evaluation.systems.models import System

PACE_DAYS = 7


@dataclass(frozen=True)
class StudySummary:
    """A study in the list: how many items it has, how many judgments it asks for, and has."""

    study: Study
    systems: int
    items: int
    asked: int
    done: int


def studies_of(project: Project) -> list[StudySummary]:
    """Return the studies of a project, newest first. One query."""
    # Item by item: joined, PostgreSQL would read the judgments of all projects.
    items = Item.objects.filter(study=OuterRef("pk")).order_by().values("study")
    one = _count(Judgment.objects.filter(item=OuterRef("pk")), "item")
    judged = items.annotate(number=Sum(one)).values("number")
    rows = Study.objects.filter(project=project).annotate(
        number=_count(Study.systems.through.objects.filter(study=OuterRef("pk")), "study"),
        asked=_count(Item.objects.filter(study=OuterRef("pk")), "study"),
        done=Coalesce(Subquery(judged), 0),
    )
    return [
        StudySummary(row, row.number, row.asked, row.asked * row.raters, row.done)
        for row in rows.order_by("-pk")
    ]


def list_deleted_drafts(project: Project, *, now: dt.datetime) -> list[DeletedDraft]:
    """Return the deleted drafts that can be brought back, the last one first. One query."""
    rows = DeletedDraft.objects.filter(project=project, deleted_at__gt=now - KEPT_FOR)
    return list(rows.select_related("deleted_by"))


def _count(rows: QuerySet[Any], field: str) -> Coalesce:
    counted = rows.order_by().values(field).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


@dataclass(frozen=True)
class Answerer:
    """A system as the design page offers it: its answers on a split, and their mean length."""

    system: System
    answers: int
    words: int


@dataclass(frozen=True)
class AnswersThereAre:
    """What there is to compare. questions: how many there are, by split, without excluded ones;
    answerers: by split all systems of the project, by name.
    """

    questions: Mapping[str, int]
    answerers: Mapping[str, Sequence[Answerer]]

    def list_answering(self, split: str) -> list[Answerer]:
        """Return those that have answers on a split."""
        return [row for row in self.answerers[split] if row.answers]

    def count_most(self, split: str) -> int:
        """Return how many questions of a split the system with most answers has answered."""
        return max((row.answers for row in self.answerers[split]), default=0)


def read_answers_there_are(project: Project) -> AnswersThereAre:
    """Return which systems of a project have answered how much of which split. Three queries."""
    with connection.cursor() as cursor:
        cursor.execute(COUNTED_ANSWERS, {"project": project.pk})
        counted = {(split, system): rest for split, system, *rest in cursor.fetchall()}
    rows = Question.objects.filter(project=project).exclude(state=Question.State.EXCLUDED)
    questions = dict(rows.order_by().values_list("split").annotate(Count("pk")))
    systems = list(System.objects.filter(project=project))
    return AnswersThereAre(
        questions={split: questions.get(split, 0) for split in Split.values},
        answerers={
            split: [Answerer(row, *counted.get((split, row.pk), (0, 0))) for row in systems]
            for split in Split.values
        },
    )


@dataclass(frozen=True)
class RaterDone:
    """What one person has judged: how many items, seconds each on average, the last one when.

    `seconds` is None for judgments made elsewhere.
    """

    name: str
    done: int
    seconds: float | None
    last: dt.datetime


@dataclass(frozen=True)
class StudyProgress:
    """How far a study is. a_day: judgments a day in the last `days`; end: when it is done at that
    pace.
    """

    items: int
    asked: int
    done: int
    days: int
    a_day: float
    end: dt.datetime | None
    raters: tuple[RaterDone, ...]

    @property
    def percent(self) -> int:
        """How much of it is done."""
        return 100 * self.done // self.asked if self.asked else 0


def progress_of(study: Study, *, now: dt.datetime) -> StudyProgress:
    """Return how far a study is, and who has judged. Two queries."""
    items = study.items.count()
    since = now - (study.started_at or now)
    days = min(PACE_DAYS, max(1, since.days))
    rows = (
        Judgment.objects.filter(item__study=study)
        .values("judge", name=Coalesce(F("judge__name"), F("judge_name")))
        .annotate(
            done=Count("pk"),
            recent=Count("pk", filter=Q(created_at__gte=now - dt.timedelta(days=days))),
            seconds=Avg("submission__assignment__active_seconds"),
            last=Max("created_at"),
        )
        .order_by("-done", "name")
    )
    people = list(rows)
    asked, done = items * study.raters, sum(row["done"] for row in people)
    a_day = sum(row["recent"] for row in people) / days
    left = max(0, asked - done)
    running = study.state == Study.State.RUNNING
    return StudyProgress(
        items=items,
        asked=asked,
        done=done,
        days=days,
        a_day=a_day,
        end=now + dt.timedelta(days=left / a_day) if running and left and a_day else None,
        raters=tuple(
            RaterDone(row["name"], row["done"], row["seconds"], row["last"]) for row in people
        ),
    )


def list_questions_in_order(study: Study, questions: Sequence[int]) -> list[Question]:
    """Return questions in this order. One query."""
    rows = Question.objects.filter(pk__in=questions).in_bulk()
    return [rows[pk] for pk in questions if pk in rows]


def questions_in(study: Study) -> list[int]:
    """Return the questions of a study that has started, in the order of its items. One query."""
    items = study.items.filter(repeats=None).order_by("position").values_list("question")
    return list(dict.fromkeys(question for (question,) in items))
