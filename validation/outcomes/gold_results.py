"""What My submissions shows of a gold item: what it would show of other work.

Its result comes when the question that it was handed out beside is decided, and says whether it was
missed in the words in which that decision judges answers.
"""

from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from annotation.core.states import DECIDED
from annotation.models import GoldItem, GoldVerdict
from validation.decisions.models import Decision
from validation.outcomes.values import Status

_BESIDE = GoldItem.objects.filter(task=OuterRef("task"))
_QUESTION = Subquery(_BESIDE.values(pk_=Coalesce("host__question", "task__question")))
_STATE = Subquery(_BESIDE.values(state=Coalesce("host__question__state", "task__question__state")))
# The question that decides on an assignment, and its state.
SETTLED_ON = Case(When(gold=True, then=_QUESTION), default=F("task__question"))
SETTLED_IN = Case(When(gold=True, then=_STATE), default=F("task__question__state"))

_missed = GoldVerdict.objects.filter(
    assignment=OuterRef("pk"), missed=True, item__void_at__isnull=True
)
_decision = Decision.objects.filter(
    question__tasks__gold_beside__task=OuterRef("task"),
    in_force=True,
    outcome=F("question__state"),
)


def _is(state: Q) -> Exists:
    beside = _BESIDE.annotate(state=Coalesce("host__question__state", "task__question__state"))
    return Exists(beside.filter(state))


RESULT = Case(
    When(_is(Q(state="excluded")), then=Value(Status.EXCLUDED.value)),
    When(~_is(Q(state__in=DECIDED)), then=Value(Status.WAITING.value)),
    When(~Exists(_missed), then=Value(Status.WRITTEN.value)),
    When(Exists(_decision.filter(validation__isnull=False)), then=Value(Status.INCORRECT.value)),
    When(Exists(_decision), then=Value(Status.OTHER.value)),
    default=Value(Status.WRITTEN.value),
)
