"""The reserve: a question that drops out is replaced until its split has what it should (Q5).

A question in the reserve is set aside by the engine (it is excluded) and has no tasks. It leaves
the reserve once, by a conditional update under a lock for its split, so that two questions that
drop out at once are never replaced by the same one, and a split never gets more than its target.
"""

import datetime as dt
from collections.abc import Iterable, Sequence

from django.db import connection, transaction
from psycopg2.sql import SQL

from annotation.extensions.parts import Follower, SettledQuestion
from annotation.models import Project, Question
from annotation.work import seats, tasks
from qampari import settings
from qampari.models import ListQuestion
from qampari.statements import IS_LISTED, LOCK_SPLIT

State = Question.State
_LOCK = 0x6C69_7374  # any number; with a number for project and split it names our lock


def hold_back(questions: Iterable[Question]) -> None:
    """Put new questions of splits with a target into the reserve, then draw what is missing.

    For questions that no one has seen: they have no tasks yet.
    """
    new = [
        question
        for question in questions
        if settings.get_split_target(question.project, question.split)
    ]
    if not new:
        return
    ids = [question.pk for question in new]
    ListQuestion.objects.filter(pk__in=ids).update(reserve=True)
    Question.objects.filter(pk__in=ids).update(state=State.EXCLUDED)
    for split in sorted({question.split for question in new}):
        fill_split(project=new[0].project, split=split, now=new[0].created_at)


@transaction.atomic
def fill_split(*, project: Project, split: str, now: dt.datetime) -> Sequence[int]:
    """Draw questions from the reserve until the split has its target; return their ids.

    Safe to call at any time and at once with others: whoever waits for the lock counts again.
    """
    target = settings.get_split_target(project, split)
    if not target:
        return []
    with connection.cursor() as cursor:
        place = project.pk * 4 + list(settings.TARGETS).index(split)
        cursor.execute(LOCK_SPLIT, [_LOCK, place])
    own = ListQuestion.objects.filter(question__project=project, question__split=split)
    in_use = own.filter(reserve=False).exclude(question__state=State.EXCLUDED).count()
    waiting = own.filter(reserve=True).order_by("pk").values_list("pk", flat=True)
    chosen = [pk for pk in waiting[: max(target - in_use, 0)] if _draw(pk, now)]
    if chosen:
        Question.objects.filter(pk__in=chosen, state=State.EXCLUDED).update(state=State.IMPORTED)
        tasks.open_tasks(question_ids=chosen, now=now)
        changed = dict.fromkeys(chosen, (State.EXCLUDED.value, State.IMPORTED.value))
        entries = seats.question_entries(changed)
        seats.write_entries(entries, by=None, now=now, project=project.pk)
    return chosen


def _draw(pk: int, now: dt.datetime) -> bool:
    """Take one question out of the reserve, unless someone else has."""
    mine = ListQuestion.objects.filter(pk=pk, reserve=True)
    return bool(mine.update(reserve=False, drawn_at=now))


def _follow(questions: Sequence[SettledQuestion], *, protocol: str, now: dt.datetime) -> None:
    """Replace questions that have just dropped out, once their decision is stored."""
    dropped = [row.question_id for row in questions if row.before != row.state == State.EXCLUDED]
    if dropped:
        transaction.on_commit(lambda: replace_dropped_questions(dropped, now=now), robust=True)


def replace_dropped_questions(question_ids: Sequence[int], *, now: dt.datetime) -> None:
    """Fill the splits of questions that dropped out."""
    splits = Question.objects.filter(pk__in=question_ids).values_list("project", "split")
    for project, split in sorted(set(splits)):
        fill_split(project=Project.objects.get(pk=project), split=split, now=now)


def fill_all(*, now: dt.datetime) -> int:
    """Fill every split that has a reserve; return how many questions were drawn.

    For what a process left behind that died, and for targets that were raised.
    """
    waiting = ListQuestion.objects.filter(reserve=True)
    splits = waiting.values_list("question__project", "question__split").distinct()
    return sum(
        len(fill_split(project=Project.objects.get(pk=project), split=split, now=now))
        for project, split in splits.order_by("question__project", "question__split")
    )


FOLLOWER = Follower(
    _follow,
    place=40,
    fact=SQL(IS_LISTED),
)
