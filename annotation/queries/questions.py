"""The list of a project's questions: filters, order, and neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import (
    Assignment,
    Concern,
    KeptWarning,
    LongAnswer,
    Project,
    Question,
    Thread,
)
from annotation.states import HELD

PAGE = 50
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


@dataclass(frozen=True)
class Wanted:
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
class Beside:
    """The place of a question in the list, from 1, the length of the list, and its neighbours."""

    place: int
    total: int
    before: int | None
    after: int | None


def listed(project: Project, wanted: Wanted) -> QuerySet[Question]:
    """Return the filtered questions in the wanted order, each with its sort `key`."""
    questions = Question.objects.filter(project=project)
    if wanted.split:
        questions = questions.filter(split=wanted.split)
    if wanted.state:
        questions = questions.filter(state=wanted.state)
    if text := wanted.text.strip():
        questions = questions.filter(Q(text__icontains=text) | Q(external_id__icontains=text))
    if wanted.person:
        worked = Assignment.objects.filter(project=project, user=wanted.person)
        questions = questions.filter(pk__in=worked.values("task__question"))
    if wanted.warning:
        questions = questions.filter(pk__in=_with_warning(project, wanted.warning))
    if wanted.about:
        questions = questions.filter(pk__in=_about(project, wanted.about))
    return _in_order(questions, wanted.order)


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
        return found.order_by("-key", "-pk")
    return found.order_by("key", "pk")


def beside(project: Project, wanted: Wanted, question: Question) -> Beside:
    """Return the question's place in the list, even if the filter leaves it out. Five queries."""
    everything = _in_order(Question.objects.filter(pk=question.pk), wanted.order)
    key = everything.get().key  # type: ignore[attr-defined]
    questions = listed(project, wanted)
    later = Q(key__gt=key) | Q(key=key, pk__gt=question.pk)
    sooner = Q(key__lt=key) | Q(key=key, pk__lt=question.pk)
    if wanted.order in _LATEST_FIRST:
        later, sooner = sooner, later
    before = questions.filter(sooner)
    return Beside(
        place=before.count() + 1,
        total=questions.count(),
        before=before.reverse().values_list("pk", flat=True).first(),
        after=questions.filter(later).values_list("pk", flat=True).first(),
    )


def with_turns(page: Sequence[Question]) -> list[Question]:
    """Set `turns`, the counts of assignments, on each question of a page. One query."""
    counts = {
        row["task__question"]: row
        for row in Assignment.objects.filter(task__question__in=[each.pk for each in page])
        .values("task__question")
        .annotate(
            done=Count("id", filter=Q(state=Assignment.State.SUBMITTED)),
            in_work=Count("id", filter=Q(state__in=HELD)),
            skipped=Count("id", filter=Q(state=Assignment.State.SKIPPED)),
        )
    }
    nothing = {"done": 0, "in_work": 0, "skipped": 0}
    for question in page:
        question.turns = counts.get(question.pk, nothing)  # type: ignore[attr-defined]
    return list(page)
