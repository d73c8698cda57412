"""The result of each submission of one person.

Nothing here says who validated, or which other annotator wrote what: of the work of others, only
accepted texts are read.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Case, Count, F, Max, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.core.states import HELD
from annotation.feedback.queries import attach_feedback
from annotation.long_answers.concerns import queries as concerns_queries
from annotation.models import Annotation, Assignment, AuditEntry, KeptWarning
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from validation.decisions.accepted_answers import read_annotation_sets, sets_of
from validation.decisions.models import Decision, ExcludedAnswer
from validation.outcomes import gold_results
from validation.outcomes.values import ACCEPTED, COMPARED, Status
from validation.verdicts.comparing import ComparedPair, Texts, compare_with_nearest

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

PAGE = 30
# Counts, and one page of a filtered list, look at this number of submissions.
MOST_LOOKED_AT = 1000
State = Assignment.State


@dataclass(frozen=True)
class ListedSubmission:
    """One line of the list."""

    assignment: Assignment
    status: Status

    @property
    def named(self) -> bool:
        """Whether the list names its stage, which it does if that is not the first one."""
        return not stages.get_stage(self.assignment.stage).first


class _Result(TypedDict):
    result: str


def _mine(
    user: int, *, project: int = 0
) -> "QuerySet[WithAnnotations[Assignment, _Result], WithAnnotations[Assignment, _Result]]":
    """Return the submissions of a person, each with its `result`, a Status.

    Work of stages that do not produce data (an audit is blind) is left out.
    """
    returned = Q(state__in=HELD) & ~Q(staff_note="")
    rows = Assignment.objects.filter(
        Q(state=State.SUBMITTED) | returned, user=user, stage__in=protocols.data_stages()
    )
    if project:
        rows = rows.filter(project=project)
    return rows.annotate(
        result=Case(
            When(~Q(state=State.SUBMITTED), then=Value(Status.RETURNED.value)),
            When(gold=True, then=gold_results.RESULT),
            When(used=False, then=Value(Status.LEFT_OUT.value)),
            default=Coalesce("outcome__status", Value(Status.WAITING.value)),
        )
    )


def list_submissions(
    user: User, *, project: int = 0, status: str = "", before: int = 0
) -> list[ListedSubmission]:
    """Return up to PAGE + 1 submissions of a person, newest first. Three queries.

    Each comes with its threads and feedback. Those with one status are looked for among the
    newest MOST_LOOKED_AT before `before`; `looked_at_until` says where to look on.
    """
    rows = _before(_mine(user.pk, project=project), before)
    if status:
        rows = rows.filter(pk__in=_newest(rows)).filter(result=status)
    rows = rows.select_related("task__question", "project").prefetch_related("threads")
    turns = list(rows.order_by("-pk")[: PAGE + 1])
    attach_feedback(turns)
    return [ListedSubmission(turn, Status(turn.result)) for turn in turns]


def looked_at_until(user: User, *, project: int = 0, before: int = 0) -> int:
    """Return the last of the submissions looked at, 0 if there are no older ones. One query."""
    rows = _before(_mine(user.pk, project=project), before).order_by("-pk")
    ends = list(rows.values_list("pk", flat=True)[MOST_LOOKED_AT - 1 : MOST_LOOKED_AT + 1])
    return ends[0] if len(ends) > 1 else 0


def _before(rows: QuerySet[Any], before: int) -> QuerySet[Any]:
    return rows.filter(pk__lt=before) if before else rows


def _newest(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.order_by("-pk").values("pk")[:MOST_LOOKED_AT]


def count_by_status(user: User, *, project: int = 0) -> dict[Status, int]:
    """Return the number of the newest submissions by status, without zeros. One query.

    They add up to MOST_LOOKED_AT where there are that many or more.
    """
    mine = _mine(user.pk, project=project)
    rows = mine.filter(pk__in=_newest(mine)).order_by().values_list("result")
    numbers = dict(rows.annotate(Count("pk")))
    return {status: numbers[status.value] for status in Status if status.value in numbers}


def read_outcome_labels(user: User, assignments: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return (label, tone) for a person's submissions, except audits. One query."""
    if not assignments:
        return {}
    rows = _mine(user.pk).filter(pk__in=assignments).values_list("pk", "result")
    return {pk: (Status(status).label, Status(status).tone) for pk, status in rows}


def count_results(user: User, *, since: dt.datetime) -> tuple[int, int]:
    """Return how many submissions of a person since then have a result, and how many are accepted.

    Submissions on excluded questions do not count. One query.
    """
    numbers = (
        _mine(user.pk)
        .filter(state=State.SUBMITTED, submitted_at__gte=since)
        .aggregate(
            decided=Count("pk", filter=Q(result__in=COMPARED)),
            accepted=Count("pk", filter=Q(result__in=ACCEPTED)),
        )
    )
    return numbers["decided"], numbers["accepted"]


@dataclass(frozen=True)
class OutcomeDetails:
    """The result of one submission, with everything its author may read about it.

    `settled_in` is the state of the question that decides on it. `decided_at` is shown as a day
    only: the minute could give the validator away. `sets` are the accepted sets except one's own;
    `pairs` compare one's own pairs with the nearest set, with the reason for an excluded one.
    `kept` are the warnings that the author kept.
    """

    status: Status
    settled_in: str = ""
    reason: str = ""
    decided_at: dt.datetime | None = None
    by_team: bool = False
    own: tuple[Texts, ...] = ()
    none_reason: str = ""
    pairs: tuple[ComparedPair, ...] = ()
    sets: tuple[tuple[Texts, ...], ...] = field(default=())
    kept: tuple[KeptWarning, ...] = ()

    @property
    def accepted(self) -> int:
        """Number of one's own answers that are accepted."""
        return sum(pair.own is not None and pair.accepted is not None for pair in self.pairs)


def outcome_of(assignment: Assignment) -> OutcomeDetails | None:
    """Return the outcome of an assignment for its owner; None if it was never submitted."""
    settled = _mine(assignment.user_id).filter(pk=assignment.pk)
    settled = settled.annotate(on=gold_results.SETTLED_ON, settled_in=gold_results.SETTLED_IN)
    row = settled.values_list("result", "on", "settled_in").first()
    if row is None:
        return None
    status, on = Status(row[0]), row[1]
    annotation = (
        Annotation.objects.filter(assignment=assignment).prefetch_related("kept_warnings").first()
    )
    decisions = _decisions({on, assignment.task.question_id})
    decision, answered = decisions.get(on), decisions.get(assignment.task.question_id)
    own = read_annotation_sets([annotation.pk])[annotation.pk].pairs if annotation else ()
    sets = sets_of([answered.pk]).get(answered.pk, ()) if answered and annotation else ()
    others = tuple(
        accepted.pairs for accepted in sets if annotation and accepted.annotation != annotation.pk
    )
    compared = status in COMPARED
    pairs = (
        compare_with_nearest(own, [accepted.pairs for accepted in sets])
        if compared and sets
        else []
    )
    reasons = _reasons(answered, annotation) if pairs and answered and annotation else {}
    return OutcomeDetails(
        status=status,
        settled_in=row[2],
        reason=_reason(assignment, status, decision),
        decided_at=_decided_at(assignment, status, decision, on=on),
        by_team=decision is not None and decision.source == Decision.Source.STAFF,
        own=own,
        none_reason=annotation.none_reason if annotation else "",
        pairs=tuple(
            replace(pair, reason=reasons.get(pair.own.pk, "")) if pair.own else pair
            for pair in pairs
        ),
        sets=others if compared else (),
        kept=tuple(annotation.kept_warnings.all()) if annotation else (),
    )


def _reasons(decision: Decision, annotation: Annotation) -> dict[int, str]:
    """Return the validator's reasons for excluding one's own pairs, by pair. One query."""
    rows = ExcludedAnswer.pairs.through.objects.filter(
        excludedanswer__decision=decision, qapair__annotation=annotation
    )
    return dict(rows.values_list("qapair_id", "excludedanswer__reason"))


def _reason(assignment: Assignment, status: Status, decision: Decision | None) -> str:
    """Return the reason for the result. Questions of long answers are excluded by a concern."""
    if status in (Status.WAITING, Status.RETURNED):
        return ""
    if status == Status.EXCLUDED and protocols.protocol_of(assignment.project).has_feature(
        Feature.CONCERNS
    ):
        upheld = concerns_queries.find_exclusion(assignment.task.question)
        return upheld.note if upheld else ""
    return _told(decision)


def _told(decision: Decision | None) -> str:
    """Return the reason meant for annotators: for an exclusion, or for the team's change."""
    if decision is None:
        return ""
    excluded = decision.outcome == Decision.Outcome.EXCLUDED
    return decision.reason if excluded or decision.source == Decision.Source.STAFF else ""


def _decisions(questions: Collection[int]) -> Mapping[int, Decision]:
    """Return the decisions in force, by question. One query."""
    rows = Decision.objects.filter(
        question__in=questions, in_force=True, outcome=F("question__state")
    )
    return {row.question_id: row for row in rows}


def _decided_at(
    assignment: Assignment, status: Status, decision: Decision | None, *, on: int
) -> dt.datetime | None:
    """Return the time of the result; None while there is none."""
    if status in (Status.WAITING, Status.RETURNED):
        return None
    if status == Status.LEFT_OUT:
        entries = AuditEntry.objects.filter(
            target=f"assignment:{assignment.pk}", action="assignment_left_out"
        )
        left_out: dt.datetime | None = entries.aggregate(at=Max("at"))["at"]
        return left_out or assignment.submitted_at
    if decision is not None:
        return decision.created_at
    # Decided automatically, by the last of the answers.
    writing = [stage.key for stage in stages.list_stages() if stage.first]
    answers = Assignment.objects.filter(
        task__question=on, stage__in=writing, state="submitted", used=True
    )
    last: dt.datetime | None = answers.aggregate(at=Max("submitted_at"))["at"]
    return last


def build_status_filters(
    found: dict[Status, int], chosen: str
) -> Sequence[tuple[str, str, str, bool]]:
    """Return the filters of the list: (value, label, count in words, whether it is chosen).

    The count of a status without submissions is "". Where there may be more than were counted,
    "12+" says so, and "0+" that there may be some.
    """
    total = sum(found.values())
    more = "+" if total >= MOST_LOOKED_AT else ""
    return [
        ("", "All", f"{total:,}{more}", not chosen),
        *(
            (
                status.value,
                status.label,
                f"{number:,}{more}" if (number := found.get(status, 0)) or more else "",
                status.value == chosen,
            )
            for status in Status
        ),
    ]
