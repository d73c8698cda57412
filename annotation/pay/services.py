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
from psycopg2.sql import SQL

from accounts import prepared_statements
from accounts.models import User
from annotation.core import audit, states
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.refusals import Conflict
from annotation.extensions.parts import Follower, SettledQuestion
from annotation.pay.models import PayEntry
from annotation.pay.policies import check_can_correct
from annotation.pay.statements import PAYABLE, SETTLE_PAY
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
    return {
        "pay": pay,
        "pay_accepted": policy.pay_accepted,
        "pay_pair": policy.pay_pair,
        "pay_pairs_max": policy.pay_pairs_max,
        "pay_match": policy.pay_match,
        "currency": policy.currency,
    }


def settle_pay(
    *,
    question_ids: Sequence[int],
    decided: Sequence[int],
    by_pair: Sequence[int] = (),
    by_match: Sequence[int] = (),
    protocol: str,
    now: dt.datetime,
) -> int:
    """Post the difference between what the work on these questions is worth and the ledger.

    The caller has locked the questions. `decided` are those whose acceptance may be worth money:
    only for them is accepted work looked up. `by_pair` are those where accepted pairs are paid, and
    `by_match` those where decisions are that an audit matches (A60). One statement, one query each
    for `decided` and `by_pair`, and up to three for `by_match`. Returns how many entries were
    posted.
    """
    rules = protocols.get_protocol(protocol)
    credited = rules.credit(decided) if decided else ()
    pairs = rules.credit_pairs(by_pair) if rules.credit_pairs and by_pair else {}
    matched = rules.credit_matches(by_match) if rules.credit_matches and by_match else ()
    values = {
        "questions": list(question_ids),
        "credited": sorted(credited),
        "paired": list(pairs),
        "pairs": list(pairs.values()),
        "matched": sorted(matched),
        "finished": sorted(states.FINISHED),
        "now": now,
    }
    return len(prepared_statements.fetch_rows(SETTLE_PAY, values))


def _follow(questions: Sequence[SettledQuestion], /, *, protocol: str, now: dt.datetime) -> object:
    """Settle the pay of questions; acceptance is paid once a question is finished."""
    finished = [row for row in questions if row.state in states.FINISHED]
    return settle_pay(
        question_ids=[row.question_id for row in questions],
        decided=[row.question_id for row in finished if "accepted" in row.fact],
        by_pair=[row.question_id for row in finished if "pairs" in row.fact],
        by_match=[row.question_id for row in finished if "match" in row.fact],
        protocol=protocol,
        now=now,
    )


FOLLOWER = Follower(
    place=20,
    fact=SQL(PAYABLE),
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
