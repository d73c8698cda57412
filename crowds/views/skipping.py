"""The page before a skip that costs a participant their completion code."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.access.loaders import UserRequest
from annotation.models import Assignment
from crowds import queries
from crowds.models import Participation
from crowds.services.participations import tally_work


def ask_before_skipping(request: HttpRequest, assignment_id: int) -> HttpResponse | None:
    """Ask whoever is about to skip or release too many questions; None if no one has to be asked.

    The answer is the same request with `surely`. What is decided here is only whether to ask:
    what happened is what counts, wherever a participation is settled.
    """
    if request.method != "POST" or "surely" in request.POST:
        return None
    row = queries.of_user(cast(UserRequest, request).user)
    if row is None or row.status != Participation.Status.WORKING:
        return None
    work = tally_work(row).with_one_more()
    in_hand = Assignment.objects.filter(pk=assignment_id, state=Assignment.State.ACTIVE)
    if not work.too_many_skipped or not in_hand.exists():
        return None
    sent = {name: request.POST.get(name, "") for name in ("reason", "feedback", "then")}
    context = {"row": row, "recruitment": row.recruitment, "work": work, "sent": sent}
    context |= {"address": request.path, "assignment_id": assignment_id}
    return render(request, "crowds/skipping.html", context)
