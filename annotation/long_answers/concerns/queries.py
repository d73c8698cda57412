"""Concerns about questions: the writer's own, those waiting for the team, and decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from annotation.contexts.inputs import Disambiguation, inputs_of
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.models import LongAnswer

PAGE = 20
LATELY = 5
NEWS_SHOWN = 10
State = Concern.State
DECIDED = (State.UPHELD, State.DISMISSED)


# --- the writer's side -------------------------------------------------------------------------


def own_open(assignment: Assignment) -> Concern | None:
    """Return the writer's concern about this question that waits for the team. One query."""
    return Concern.objects.filter(
        question_id=assignment.task.question_id, author_id=assignment.user_id, state=State.OPEN
    ).first()


def list_own_concerns(assignment: Assignment) -> list[Concern]:
    """Return every concern of the writer about this question, newest first. One query."""
    rows = Concern.objects.filter(
        question_id=assignment.task.question_id, author_id=assignment.user_id
    )
    return list(rows.order_by("-pk"))


def find_exclusion(question: Question) -> Concern | None:
    """Return the concern that excludes a question; its note says why. At most one query."""
    if question.state != Question.State.EXCLUDED:
        return None
    upheld = Concern.objects.filter(question=question, state=State.UPHELD)
    return upheld.order_by("-decided_at", "-pk").first()


def list_decision_news(user: User) -> list[Concern]:
    """Return the writer's concerns with a decision they have not read, newest first. One query."""
    rows = Concern.objects.filter(
        author=user, state__in=DECIDED, read_at__isnull=True, assignment__isnull=False
    )
    rows = rows.select_related("question", "assignment", "question__project")
    return list(rows.order_by("-decided_at", "-pk")[:NEWS_SHOWN])


# --- the team's side ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """A concern as the team sees it.

    disambiguations: the question's disambiguations, each with whether it is doubted; written:
    number of submitted long answers; held: number of people who have the question in hand;
    others: the other concerns about it that are open or exclude it.
    """

    concern: Concern
    disambiguations: Sequence[tuple[Disambiguation, bool]]
    written: int = 0
    held: int = 0
    others: Sequence[Concern] = ()

    @property
    def open_others(self) -> int:
        """The number of other open concerns about the question."""
        return sum(each.state == State.OPEN for each in self.others)


def count_waiting(project_id: int) -> int:
    """Return the number of concerns of a project that wait for the team. One query."""
    return Concern.objects.filter(question__project=project_id, state=State.OPEN).count()


def count_by_state(project: Project) -> Mapping[str, int]:
    """Return the number of concerns in each state. One query."""
    rows = Concern.objects.filter(question__project=project).order_by().values_list("state")
    return dict(rows.annotate(n=Count("pk")))


def list_concerns(
    project: Project, *, state: str, place: int = 0, most: int = PAGE
) -> list[Listed]:
    """Return concerns in a state: open ones with the longest wait first, others latest first.

    From `place` on, up to `most` + 1. Always four queries.
    """
    order = ("created_at", "pk") if state == State.OPEN else ("-decided_at", "-pk")
    rows = Concern.objects.filter(question__project=project, state=state)
    rows = rows.select_related("question__project", "author", "decided_by")
    return with_work(list(rows.order_by(*order)[place : place + most + 1]))


def list_recent_decisions(project: Project) -> list[Listed]:
    """Return the last decisions, latest first. Four queries, or one if there are none."""
    rows = Concern.objects.filter(question__project=project, state__in=DECIDED)
    rows = rows.select_related("question__project", "author", "decided_by")
    return with_work(list(rows.order_by("-decided_at", "-pk")[:LATELY]))


def of_question(question: Question) -> list[Listed]:
    """Return every concern about a question, newest first. Four queries, or one if none."""
    rows = Concern.objects.filter(question=question)
    rows = rows.select_related("question__project", "author", "decided_by")
    return with_work(list(rows.order_by("-pk")))


def with_work(rows: Sequence[Concern]) -> list[Listed]:
    """Return concerns with the facts the team needs to decide. Three queries."""
    if not rows:
        return []
    questions = {each.question_id for each in rows}
    written = _per_question(
        LongAnswer.objects.filter(question__in=questions).filter(
            Q(assignment__isnull=True) | Q(assignment__used=True)
        ),
        "question",
    )
    held = _per_question(
        Assignment.objects.filter(task__question__in=questions, state__in=HELD), "task__question"
    )
    beside = list(
        Concern.objects.filter(question__in=questions, state__in=[State.OPEN, State.UPHELD])
        .select_related("author")
        .order_by("pk")
    )
    return [
        Listed(
            concern=each,
            disambiguations=list_disambiguation_doubts(each),
            written=written.get(each.question_id, 0),
            held=held.get(each.question_id, 0),
            others=[
                other
                for other in beside
                if other.question_id == each.question_id and other.pk != each.pk
            ],
        )
        for each in rows
    ]


def list_disambiguation_doubts(concern: Concern) -> list[tuple[Disambiguation, bool]]:
    """Return the question's disambiguations, each with whether the concern doubts it."""
    doubted = set(concern.disambiguations)
    return [(each, each.position in doubted) for each in list_disambiguations(concern.question)]


def list_disambiguations(question: Question) -> tuple[Disambiguation, ...]:
    """Return the disambiguations as imported, without paragraphs. No query."""
    return inputs_of(question.prompt, question.context, {}).disambiguations


def _per_question(rows: QuerySet[Any], field: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(field).annotate(n=Count("pk")))
