"""Post to the pay ledger: pay for work, automatically; corrections and bonuses, by staff.

`settle_pay` is the only place where work becomes money. It is called wherever the state of a
question is computed again, under the question's lock, and posts the difference between what each
assignment is worth now and what the ledger says: nothing when called twice, the opposite amount
when work no longer counts.
"""

import datetime as dt
import uuid
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db import transaction

from accounts import prepared
from accounts.models import User
from annotation.core import audit, states
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.refusals import Conflict
from annotation.extensions.parts import Follower, SettledQuestion
from annotation.golds.queries import ON_QUESTIONS
from annotation.pay.models import PayEntry
from annotation.pay.policies import check_can_correct
from annotation.protocols import registry as protocols

CENT = Decimal("0.01")
HOUR = 3600
MOST = Decimal("99999.99")
LONGEST_REASON = 1000


# --- work --------------------------------------------------------------------------------------


def submission_pay(policy: StagePolicy, *, active_seconds: int) -> dict[str, Any]:
    """Return the pay of a submission made now, as columns of the assignment.

    By the hour, active time counts up to the length of the lease; rounded half up to cents.
    """
    pay = policy.pay
    if policy.pay_basis == StagePolicy.PayBasis.HOUR:
        seconds = min(max(active_seconds, 0), policy.lease_seconds)
        pay = (policy.pay * seconds / HOUR).quantize(CENT, ROUND_HALF_UP)
    return {"pay": pay, "pay_accepted": policy.pay_accepted, "currency": policy.currency}


# For each assignment, what it is worth less what was posted, per kind and currency. A negative
# entry names the entry it takes back. A gold item is accepted with the question that it was handed
# out beside.
_SETTLE = f"""
    WITH mine AS (
        SELECT a.id, a.user_id, a.project_id, a.state, a.currency, a.pay, a.pay_accepted,
               a.active_seconds,
               a.id = ANY(%(credited)s::bigint[]) AND (NOT a.gold OR EXISTS (
                   SELECT 1 FROM annotation_golditem i
                   LEFT JOIN annotation_task h ON h.id = i.host_id
                   JOIN annotation_question b ON b.id = COALESCE(h.question_id, t.question_id)
                   WHERE i.task_id = t.id AND b.state = ANY(%(finished)s))) AS accepted
        FROM annotation_assignment a JOIN annotation_task t ON t.id = a.task_id
        WHERE t.id IN ({ON_QUESTIONS})),
    sides AS (
        SELECT a.id, a.user_id, a.project_id, k.kind, a.currency, k.amount, k.seconds, 1 AS units
        FROM mine a CROSS JOIN LATERAL (VALUES
            ('submitted', a.pay, a.active_seconds),
            ('accepted', CASE WHEN a.accepted THEN a.pay_accepted ELSE 0 END, 0)
            ) k (kind, amount, seconds)
        WHERE a.state = 'submitted' AND k.amount <> 0
        UNION ALL
        SELECT a.id, a.user_id, a.project_id, e.kind, e.currency, -e.amount, -e.seconds, -e.units
        FROM mine a JOIN annotation_payentry e ON e.assignment_id = a.id),
    due AS (
        SELECT id, user_id, project_id, kind, currency, sum(amount) AS amount,
               sum(seconds) AS seconds, sum(units) AS units
        FROM sides GROUP BY id, user_id, project_id, kind, currency HAVING sum(amount) <> 0)
    INSERT INTO annotation_payentry (
        user_id, project_id, assignment_id, kind, number, amount, currency, units, seconds, note,
        at, corrects_id)
    SELECT d.user_id, d.project_id, d.id, d.kind,
           (SELECT coalesce(max(e.number), 0) FROM annotation_payentry e
            WHERE e.assignment_id = d.id AND e.kind = d.kind)
               + row_number() OVER (PARTITION BY d.id, d.kind ORDER BY d.currency),
           d.amount, d.currency, d.units, d.seconds, '', %(now)s::timestamptz,
           CASE WHEN d.amount < 0 THEN (
               SELECT max(e.id) FROM annotation_payentry e WHERE e.assignment_id = d.id
               AND e.kind = d.kind AND e.currency = d.currency AND e.amount > 0) END
    FROM due d ORDER BY d.id, d.kind DESC
    RETURNING id
"""  # noqa: S608 - a constant


def settle_pay(
    *, question_ids: Sequence[int], decided: Sequence[int], protocol: str, now: dt.datetime
) -> int:
    """Post the difference between what the work on these questions is worth and the ledger.

    The caller has locked the questions. `decided` are those whose acceptance may be worth money:
    only for them is accepted work looked up. One statement, and one query for `decided`.
    Returns how many entries were posted.
    """
    credited = protocols.get_protocol(protocol).credit(decided) if decided else ()
    values = {
        "questions": list(question_ids),
        "credited": sorted(credited),
        "finished": sorted(states.FINISHED),
        "now": now,
    }
    return len(prepared.fetch_rows(_SETTLE, values))


def _follow(questions: Sequence[SettledQuestion], /, *, protocol: str, now: dt.datetime) -> object:
    """Settle the pay of questions; acceptance is paid once a question is finished."""
    decided = [
        row.question_id
        for row in questions
        if row.fact == "accepted" and row.state in states.FINISHED
    ]
    ids = [row.question_id for row in questions]
    return settle_pay(question_ids=ids, decided=decided, protocol=protocol, now=now)


# What may be paid on the question: "accepted" where acceptance is, "submitted" where only
# submitting is or something was posted before.
FOLLOWER = Follower(
    place=20,
    fact="""(
        SELECT CASE WHEN bool_or(w.pay_accepted <> 0) THEN 'accepted'
                    WHEN bool_or(w.pay <> 0 OR EXISTS (
                        SELECT 1 FROM annotation_payentry e WHERE e.assignment_id = w.id))
                    THEN 'submitted' END
        FROM annotation_task mt JOIN annotation_assignment w ON w.task_id = mt.id
        WHERE mt.question_id = q.id)""",
    follow=_follow,
)


# --- staff -------------------------------------------------------------------------------------


@transaction.atomic
def post_entry(
    *,
    project: Project,
    user: User,
    kind: str,
    amount: Decimal,
    currency: str,
    reason: str,
    key: uuid.UUID,
    corrects: PayEntry | None = None,
    by: User,
    now: dt.datetime,
) -> PayEntry:
    """Post a correction or a bonus with its reason. The same `key` twice is the same entry.

    Raises Denied for one's own pay, Conflict for an invalid amount, reason or correction.
    """
    check_can_correct(by, user, project)
    reason = _checked(kind, amount, reason)
    if corrects is not None:
        if kind != PayEntry.Kind.CORRECTION:
            raise Conflict("A bonus corrects nothing. Choose correction, or leave the entry out.")
        if (corrects.user_id, corrects.project_id) != (user.pk, project.pk):
            raise Conflict("The entry to correct belongs to another person or project.")
        if corrects.currency != currency:
            raise Conflict(f"The entry is in {corrects.currency}; correct it in that currency.")
    # Serialises two copies of one form; the second then sees the entry of the first by its key.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    made, new = PayEntry.objects.get_or_create(
        key=key,
        defaults={
            "user": user,
            "project": project,
            "kind": kind,
            "amount": amount,
            "currency": currency,
            "note": reason,
            "corrects": corrects,
            "by": by,
            "at": now,
        },
    )
    if not new:
        if (made.user_id, made.project_id, made.amount) != (user.pk, project.pk, amount):
            raise Conflict("This form was already sent with other content. Reload the page.")
        return made
    audit.record_action(
        "pay_entered",
        made,
        by=by,
        now=now,
        project=project,
        user=user.pk,
        kind=kind,
        amount=str(amount),
        currency=currency,
        reason=reason,
        corrects=corrects.pk if corrects else None,
    )
    return made


def _checked(kind: str, amount: Decimal, reason: str) -> str:
    if kind not in (PayEntry.Kind.CORRECTION, PayEntry.Kind.BONUS):
        raise Conflict("Choose correction or bonus.")
    if amount == 0 or amount != amount.quantize(CENT) or abs(amount) > MOST:
        raise Conflict(f"Give an amount in whole cents, not 0, of at most {MOST}.")
    if kind == PayEntry.Kind.BONUS and amount < 0:
        raise Conflict("A bonus must be above 0. To take money back, post a correction.")
    reason = reason.replace("\x00", "").strip()
    if not reason:
        raise Conflict("Give a reason: the person sees it next to the amount.")
    if len(reason) > LONGEST_REASON:
        raise Conflict(f"The reason has {len(reason)} characters. The maximum is {LONGEST_REASON}.")
    return reason
