"""The list of a project's questions: filters, order, and neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Avg,
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.functions import Coalesce, Upper

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.generation.models import KeptWarning
from annotation.imports.opening import CLOSED, CLOSED_LABEL, is_closed
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.models import LongAnswer
from annotation.progress.queries import ASIDE
from annotation.protocols import registry as protocols
from annotation.threads.models import Thread

PAGE = 50
# Beyond this number of questions, the place of one in the list is not counted.
MOST_COUNTED = 1000
ORDERS = (
    ("", "In order of import"),
    ("newest", "Newest import first"),
    ("work", "Newest work first"),
    ("state", "By state"),
)
ABOUT = (
    ("claim", "With a claim"),
    ("open_claim", "With an open claim"),
    ("asked", "With a question to the team"),
)
CONCERNS = (("concern", "With a concern"), ("open_concern", "With an open concern"))
_STATES = list(Question.State.values)
_EXCLUDED = Question.State.EXCLUDED.value


@dataclass(frozen=True)
class QuestionFilters:
    """The filters and order of the list; empty values filter nothing. `person` is a user's id."""

    split: str = ""
    state: str = ""
    text: str = ""
    person: int = 0
    warning: str = ""
    about: str = ""
    order: str = ""

    @property
    def filters(self) -> bool:
        """Whether any filter is set."""
        return any((self.split, self.state, self.text, self.person, self.warning, self.about))


@dataclass(frozen=True)
class QuestionNeighbours:
    """The place of a question in the list, from 1, the length of the list, and its neighbours.

    Place and length are counted up to MOST_COUNTED + 1.
    """

    place: int
    total: int
    before: int | None
    after: int | None

    @property
    def words(self) -> str:
        """Place and length: 3 of 120, 17 of 1,000+, or "" where the place was not counted."""
        if self.place > MOST_COUNTED:
            return ""
        more = self.total > MOST_COUNTED
        return f"{self.place:,} of {f'{MOST_COUNTED:,}+' if more else f'{self.total:,}'}"


def list_questions(project: Project, wanted: QuestionFilters) -> QuerySet[Question]:
    """Return the filtered questions in the wanted order, each with its sort `key`."""
    return _in_order(_filtered(project, wanted), wanted.order)


def _filtered(project: Project, wanted: QuestionFilters) -> QuerySet[Question]:
    questions = Question.objects.filter(project=project)
    if wanted.split:
        questions = questions.filter(split=wanted.split)
    if wanted.state:
        questions = _of_state(project, questions, wanted.state)
    if text := wanted.text.strip():
        questions = questions.filter(search_text__contains=Upper(Value(text)))
    if wanted.person:
        worked = Assignment.objects.filter(project=project, user=wanted.person)
        questions = questions.filter(pk__in=worked.values("task__question"))
    if wanted.warning:
        questions = questions.filter(pk__in=_with_warning(project, wanted.warning))
    if wanted.about:
        questions = questions.filter(pk__in=_about(project, wanted.about))
    return questions


def _of_state(project: Project, questions: QuerySet[Question], state: str) -> QuerySet[Question]:
    aside = protocols.protocol_of(project).aside
    if state == CLOSED:
        return questions.filter(is_closed(project))
    if aside and state == ASIDE:
        return questions.filter(aside.which)
    questions = questions.filter(state=state)
    return questions.exclude(aside.which) if aside and state == _EXCLUDED else questions


def with_state_names(project: Project, page: Sequence[Question]) -> list[Question]:
    """Set `state_name` on questions: their state as staff read it. At most one query."""
    aside = protocols.protocol_of(project).aside
    names = {Question.State.IMPORTED.value: CLOSED_LABEL}
    which = is_closed(project)
    if aside:
        names[_EXCLUDED], which = aside.label, which | aside.which
    asked = [question.pk for question in page if question.state in names]
    rows = Question.objects.filter(which, pk__in=asked)
    waiting = set(rows.values_list("pk", flat=True)) if asked else set()
    for question in page:
        name = names[question.state] if question.pk in waiting else question.get_state_display()
        question.state_name = name  # type: ignore[attr-defined]
    return list(page)


def _with_warning(project: Project, rule: str) -> QuerySet[Any]:
    short = KeptWarning.objects.filter(annotation__question__project=project, rule=rule)
    long = LongAnswer.objects.filter(question__project=project, keeps__contains=[{"rule": rule}])
    return short.values("annotation__question").union(long.values("question"))


def _about(project: Project, about: str) -> QuerySet[Any]:
    if about in ("concern", "open_concern"):
        concerns = Concern.objects.filter(question__project=project)
        if about == "open_concern":
            concerns = concerns.filter(state=Concern.State.OPEN)
        return concerns.values("question")
    threads = Thread.objects.filter(project=project)
    if about == "asked":
        threads = threads.exclude(kind=Thread.Kind.CLAIM)
    else:
        threads = threads.filter(kind=Thread.Kind.CLAIM)
        if about == "open_claim":
            threads = threads.filter(state=Thread.State.OPEN)
    return threads.values("assignment__task__question")


_LATEST_FIRST = frozenset({"newest", "work"})


def _in_order(found: QuerySet[Question], order: str) -> QuerySet[Question]:
    key: Any = F("created_at")
    if order == "state":
        places = [When(state=state, then=Value(at)) for at, state in enumerate(_STATES)]
        key = Case(*places, default=Value(len(_STATES)), output_field=IntegerField())
    elif order == "work":
        turns = Assignment.objects.filter(task__question=OuterRef("pk")).order_by("-pk")
        key = Coalesce(Subquery(turns.values("pk")[:1]), Value(0))
    found = found.annotate(key=key)
    if order in _LATEST_FIRST:
        return found.order_by("-key", "-created_at", "-pk")
    return found.order_by("key", "created_at", "pk")


def read_question_page(
    project: Project,
    wanted: QuestionFilters,
    *,
    after: Question | None = None,
    before: bool = False,
) -> tuple[list[Question], bool]:
    """Return up to PAGE questions of the list, and whether there are more in this direction.

    Those after a question, or with `before` those in front of it, in the order of the list. At
    most three queries, which read about as many rows as they return where nothing is filtered.
    """
    ids = _walk(project, wanted, after, before=before, most=PAGE + 1)
    rows = _rows(ids[:PAGE])
    return (rows[::-1] if before else rows), len(ids) > PAGE


def _rows(ids: Sequence[int]) -> list[Question]:
    by_id = Question.objects.in_bulk(ids)
    return [by_id[pk] for pk in ids if pk in by_id]


def first_page(
    project: Project, wanted: QuestionFilters, most: int
) -> tuple[list[Question], bool, int]:
    """Return what `page` gives from the start, and the length of the list, up to `most`.

    In the order of import one walk answers both, since a filter may have to look at every question.
    """
    if wanted.order not in ("", "newest") or not wanted.filters:
        return (*read_question_page(project, wanted), count_matching(project, wanted, most))
    ids = _walk(project, wanted, None, before=False, most=max(most, PAGE + 1))
    return _rows(ids[:PAGE]), len(ids) > PAGE, min(len(ids), most)


def count_matching(project: Project, wanted: QuestionFilters, most: int) -> int:
    """Return the length of the list, up to `most`. One query."""
    return _filtered(project, wanted)[:most].count()


def locate_question(
    project: Project, wanted: QuestionFilters, question: Question
) -> QuestionNeighbours:
    """Return the question's place in the list, even if the filter leaves it out.

    At most seven queries.
    """
    sooner = _walk(project, wanted, question, before=True, most=MOST_COUNTED)
    later = _walk(project, wanted, question, before=False, most=1)
    return QuestionNeighbours(
        place=len(sooner) + 1,
        total=count_matching(project, wanted, MOST_COUNTED + 1),
        before=sooner[0] if sooner else None,
        after=later[0] if later else None,
    )


def _walk(
    project: Project, wanted: QuestionFilters, start: Question | None, *, before: bool, most: int
) -> list[int]:
    """Return the ids of the questions that come after `start`, or before it, nearest first."""
    if wanted.order == "work":
        return _walk_by_work(project, wanted, start, before=before, most=most)
    if wanted.order == "state":
        return _walk_by_state(project, wanted, start, before=before, most=most)
    falling = before != (wanted.order == "newest")
    questions = _from(_filtered(project, wanted), start, falling=falling)
    return list(questions.values_list("pk", flat=True)[:most])


def _from(
    questions: QuerySet[Question], start: Question | None, *, falling: bool
) -> QuerySet[Question]:
    """Return the questions beyond `start` in the order of import, or the other way round."""
    if start is not None:
        # Compared as a row, which is where to begin in the index.
        compare = TupleLessThan if falling else TupleGreaterThan
        beyond: Any = compare(Tuple(F("created_at"), F("pk")), (start.created_at, start.pk))
        questions = questions.filter(beyond)
    return questions.order_by(*(("-created_at", "-pk") if falling else ("created_at", "pk")))


def _walk_by_state(
    project: Project, wanted: QuestionFilters, start: Question | None, *, before: bool, most: int
) -> list[int]:
    """The same state by state, since no index has the states in their order."""
    states = _STATES[::-1] if before else _STATES
    ids: list[int] = []
    for state in states[states.index(start.state) if start else 0 :]:
        questions = _filtered(project, wanted).filter(state=state)
        begin = start if start and start.state == state else None
        ids += _from(questions, begin, falling=before).values_list("pk", flat=True)[
            : most - len(ids)
        ]
        if len(ids) == most:
            break
    return ids


def _walk_by_work(
    project: Project, wanted: QuestionFilters, start: Question | None, *, before: bool, most: int
) -> list[int]:
    """The same in the order of the newest work, then those that no one has had.

    From the newest turn of each question, since no index has questions in this order.
    """
    questions = _filtered(project, wanted)
    later = Assignment.objects.filter(
        task__question=OuterRef("task__question"), pk__gt=OuterRef("pk")
    )
    # A range of one and both columns of the index in the order: with an equality, PostgreSQL may
    # walk the primary key through the work of all other projects.
    turns = Assignment.objects.filter(
        ~Exists(later), project__gte=project.pk, project__lte=project.pk
    )
    turns = turns.order_by("project", "-pk")
    if wanted.filters:
        turns = turns.filter(task__question__in=questions)
    had = Assignment.objects.filter(task__question=OuterRef("pk"))
    untouched = questions.filter(~Exists(had))
    turn = 0
    if start is not None:
        own = Assignment.objects.filter(task__question=start)
        turn = own.aggregate(newest=Max("pk"))["newest"] or 0
        if turn:
            turns = turns.filter(pk__gt=turn) if before else turns.filter(pk__lt=turn)
    worked = (turns.reverse() if before else turns).values_list("task__question", flat=True)
    begin = start if start is not None and not turn else None
    rest = _from(untouched, begin, falling=not before).values_list("pk", flat=True)
    parts: list[Any] = [rest, worked] if before else [worked, rest]
    if before and turn:
        parts = [worked]
    elif begin and not before:
        parts = [rest]
    ids: list[int] = []
    for part in parts:
        if len(ids) < most:
            ids += part[: most - len(ids)]
    return ids


def with_turns(page: Sequence[Question]) -> list[Question]:
    """Set `turns` on each question of a page: the counts of assignments, when the latest was
    submitted, and the mean of the active seconds of those submitted. One query.
    """
    counts = {
        row["task__question"]: row
        for row in Assignment.objects.filter(
            task__question__in=[each.pk for each in page], gold=False
        )
        .values("task__question")
        .annotate(
            done=Count("id", filter=Q(state=Assignment.State.SUBMITTED)),
            in_work=Count("id", filter=Q(state__in=HELD)),
            skipped=Count("id", filter=Q(state=Assignment.State.SKIPPED)),
            latest=Max("submitted_at"),
            seconds=Avg("active_seconds", filter=Q(state=Assignment.State.SUBMITTED)),
        )
    }
    nothing = {"done": 0, "in_work": 0, "skipped": 0, "latest": None, "seconds": None}
    for question in page:
        question.turns = counts.get(question.pk, nothing)  # type: ignore[attr-defined]
    return list(page)
