"""Actions of the team on whole questions: exclude, restore, send back to validation.

Order of locks as in `annotation.work.seats`: questions first, then (by the engine) their tasks.
"""

import datetime as dt
from collections.abc import Collection, Sequence

from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.generation.stage import GENERATION
from annotation.models import Annotation, Assignment, Project, Question, StagePolicy, Task
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from annotation.work import seats, tasks
from validation.claims.queries import excluded_by_team
from validation.decisions import services as decisions_services
from validation.decisions.models import Decision
from validation.decisions.queries import decision_of
from validation.verdicts.values import VALIDATION

MOST = 5000
LONGEST = 2000
State = Question.State


@transaction.atomic
def exclude_questions(
    *, project: Project, question_ids: Collection[int], reason: str, by: User, now: dt.datetime
) -> int:
    """Exclude questions with a reason; return how many. Skip those already excluded.

    No one else is given them. People who hold one can finish it and are paid.
    """
    reason = _checked(project, question_ids, reason, by)
    states = _lock(project, question_ids)
    excluded = [pk for pk, state in states.items() if state != State.EXCLUDED]
    if not excluded:
        raise Conflict("Every question you chose is excluded already. Nothing was changed.")
    before = dict(
        Decision.objects.filter(question__in=excluded, in_force=True).values_list("question", "pk")
    )
    decisions_services.set_aside(excluded)
    covers: dict[int, list[int]] = {}
    used = Annotation.objects.filter(
        question__in=excluded, assignment__state="submitted", assignment__used=True
    )
    for question, annotation in used.order_by("pk").values_list("question", "pk"):
        covers.setdefault(question, []).append(annotation)
    Decision.objects.bulk_create(
        Decision(
            question_id=question,
            source=Decision.Source.STAFF,
            outcome=Decision.Outcome.EXCLUDED,
            change=Decision.Change.EXCLUSION,
            made_by=by,
            reason=reason,
            covers=covers.get(question, []),
            replaces_id=before.get(question),
            created_at=now,
        )
        for question in excluded
    )
    _settle("question_excluded", project, excluded, by=by, now=now, reason=reason)
    return len(excluded)


@transaction.atomic
def restore_questions(
    *, project: Project, question_ids: Collection[int], by: User, now: dt.datetime
) -> int:
    """Take exclusions by the team back; return how many.

    The previous decision is in force again if it still fits the answers. Exclusions by a
    validator or by a ruling on a claim are not changed.
    """
    check_can_manage(by, project)
    _check_number(question_ids)
    states = _lock(project, question_ids)
    ours = excluded_by_team(list(states))
    if not ours:
        raise Conflict(
            "The team has excluded none of these questions. Send a question that a validator "
            "excluded back to validation instead."
        )
    made = Decision.objects.filter(question__in=ours, in_force=True)
    former = [pk for pk in made.values_list("replaces", flat=True) if pk is not None]
    decisions_services.set_aside(ours)
    Decision.objects.filter(pk__in=former).update(in_force=True)
    _settle("question_restored", project, ours, by=by, now=now)
    return len(ours)


@transaction.atomic
def send_back(*, question: Question, reason: str, by: User, now: dt.datetime) -> None:
    """Set the decision on a question aside, so that another validator decides.

    The validator's work stays paid and no longer counts.
    """
    project = question.project
    reason = _checked(project, [question.pk], reason, by)
    _lock(project, [question.pk])
    decision = decision_of(question.pk)
    if decision is None or not can_send_back(question):
        raise Conflict(
            "There is no decision to reconsider, or this split has no validation. Nothing "
            "was changed."
        )
    decisions_services.set_aside([question.pk])
    Assignment.objects.filter(
        task__question=question, stage=VALIDATION, state=Assignment.State.SUBMITTED, used=True
    ).update(used=False, staff_note=reason)
    _settle("question_sent_back", project, [question.pk], by=by, now=now, reason=reason)


def can_send_back(question: Question) -> bool:
    """Whether a validator could decide again: the split asks for one, and there are answers."""
    asks = StagePolicy.objects.filter(
        project=question.project_id, split=question.split, stage=VALIDATION
    )
    answered = Task.objects.filter(question=question, policy__stage=GENERATION)
    return asks.exists() and answered.exists()


def _checked(project: Project, question_ids: Collection[int], reason: str, by: User) -> str:
    check_can_manage(by, project)
    if not protocols.protocol_of(project).has_feature(Feature.EXCLUSION):
        raise Conflict("To exclude a long-answer question, raise a concern about it.")
    _check_number(question_ids)
    reason = reason.replace("\x00", "").strip()
    if not reason:
        raise Conflict("Give a reason. The people who answered the question will see it too.")
    if len(reason) > LONGEST:
        raise Conflict(f"The reason can have at most {LONGEST:,} characters.")
    return reason


def _check_number(question_ids: Collection[int]) -> None:
    if not question_ids:
        raise Conflict("Choose at least one question.")
    if len(question_ids) > MOST:
        raise Conflict(f"Choose at most {MOST:,} questions at a time.")


def _lock(project: Project, question_ids: Collection[int]) -> dict[int, str]:
    """Lock the questions; return the states of those that are the project's."""
    own = Question.objects.filter(project=project, pk__in=list(question_ids))
    seats.lock_questions(own.values_list("pk", flat=True))
    return dict(own.values_list("pk", "state"))


def _settle(
    action: str,
    project: Project,
    question_ids: Sequence[int],
    *,
    by: User,
    now: dt.datetime,
    **data: object,
) -> None:
    """Bring states and seats up to date, and write the log."""
    protocol = project.protocol
    changed = seats.settle_questions(question_ids, protocol, now=now)
    changed |= _settle_without_tasks(question_ids, protocol, now)
    tasks.open_following(changed=changed, protocol=protocol, now=now)
    entries = [seats.PendingAuditRow(action, f"question:{pk}", data) for pk in question_ids]
    entries += seats.question_entries(changed)
    seats.write_entries(entries, by=by, now=now, project=project.pk)


def _settle_without_tasks(
    question_ids: Sequence[int], protocol: str, now: dt.datetime
) -> dict[int, tuple[str, str]]:
    """Set the states of questions without tasks: most were imported as finished work.

    Opening their tasks locks policies after questions, which is safe only here: a change of policy
    waits only for questions with tasks.
    """
    first = stages.first_of(protocol)
    asked = Task.objects.filter(question__in=question_ids, policy__stage=first.key if first else "")
    rest = set(question_ids) - set(asked.values_list("question", flat=True))
    if not rest:
        return {}
    in_force = dict(
        Decision.objects.filter(question__in=rest, in_force=True).values_list("question", "outcome")
    )
    changed: dict[int, tuple[str, str]] = {}
    for pk, old in Question.objects.filter(pk__in=rest).values_list("pk", "state"):
        new = in_force.get(pk, State.IMPORTED.value)
        if new != old:
            changed[pk] = (old, new)
    for state in {new for _, new in changed.values()}:
        Question.objects.filter(
            pk__in=[pk for pk, (_, new) in changed.items() if new == state]
        ).update(state=state)
    tasks.open_tasks(
        question_ids=[pk for pk, (_, new) in changed.items() if new == State.IMPORTED], now=now
    )
    return changed
