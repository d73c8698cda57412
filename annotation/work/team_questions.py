"""Ask the team about a question in hand: it is parked until they answer."""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.core.models.work import Assignment
from annotation.threads.models import Thread
from annotation.threads.services import open_thread
from annotation.work import leases


@transaction.atomic
def park_and_ask(*, assignment: Assignment, reason: str, by: User, now: dt.datetime) -> Assignment:
    """Park a question and ask the team what is unclear about it."""
    parked = leases.park_assignment(assignment=assignment, reason=reason, by=by, now=now)
    open_thread(assignment=parked, kind=Thread.Kind.PARK, text=parked.park_reason, by=by, now=now)
    return parked
