"""What the clock forgets: addresses of people who were invited and never came."""

import datetime as dt

from django.db import transaction
from django.db.models import Q

from annotation.core import audit
from annotation.core.models.audit import AuditEntry
from annotation.core.models.people import Invitation

# Until then an admin can see that an invitation ran out, and invite again.
KEPT = dt.timedelta(days=30)
_AT_ONCE = 1_000


def clear_invitations(*, now: dt.datetime) -> int:
    """Delete invitations that ended unused `KEPT` ago, with their addresses in the log.

    Return how many. Those that were used stay, with the account they made.
    """
    before = now - KEPT
    over = Q(expires_at__lt=before) | Q(revoked_at__lt=before) | Q(declined_at__lt=before)
    cleared = 0
    while count := _clear(over):
        cleared += count
    return cleared


@transaction.atomic
def _clear(over: Q) -> int:
    rows = Invitation.objects.select_for_update().filter(over, accepted_at=None).order_by("pk")
    chosen = list(rows.values_list("pk", flat=True)[:_AT_ONCE])
    if not chosen:
        return 0
    targets = [f"invitation:{pk}" for pk in chosen]
    audit.replace_address(AuditEntry.objects.filter(target__in=targets), "someone")
    Invitation.objects.filter(pk__in=chosen).delete()
    return len(chosen)
