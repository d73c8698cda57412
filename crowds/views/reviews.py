"""The pages where the team decides about participants."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest, parse_number
from annotation.core.refusals import Conflict, is_allowed
from crowds import queries
from crowds.forms.recruitments import BonusForm, RejectForm
from crowds.models import Participation
from crowds.policies import participations as policy
from crowds.services import reviews as services
from crowds.views.recruitments import UNPROCESSABLE, get_recruitment, page_of


@require_POST
def participations_approve(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Approve the participants that are ticked, or all without a flag."""
    recruitment = get_recruitment(request, slug, pk)
    if request.POST.get("press") == "unflagged":
        where = queries.SHOWN["review"][1]
        rows = recruitment.participations.filter(where, flagged=False)
        keys = list(rows.values_list("pk", flat=True))
    else:
        keys = [parse_number(text) for text in request.POST.getlist("participation")]
    if not keys:
        raise Conflict("Tick the participants to approve.")
    approved, refused = services.approve_all(
        recruitment=recruitment, keys=keys, by=request.user, now=timezone.now()
    )
    people = "1 participant" if approved == 1 else f"{approved} participants"
    messages.success(request, f"Approved {people}.")
    if len(keys) > services.MOST_AT_ONCE:
        messages.info(request, f"That was the first {services.MOST_AT_ONCE}. Press again for more.")
    if refused:
        messages.warning(request, f"{refused} could not be approved: open them to see why.")
    return redirect("recruitment-view", slug, pk)


def get_participation(request: UserRequest, slug: str, pk: int, row_id: int) -> Participation:
    """Return a participation in a recruitment of a project that the person runs."""
    recruitment = get_recruitment(request, slug, pk)
    rows = recruitment.participations.select_related("user", "briefing", "reviewed_by")
    row = get_object_or_404(rows, pk=row_id)
    row.recruitment = recruitment
    return row


@never_cache
@require_safe
def participation_view(request: UserRequest, slug: str, pk: int, row_id: int) -> HttpResponse:
    """What one participant said and did, and the decision on them."""
    return _page(request, get_participation(request, slug, pk, row_id))


def _page(
    request: UserRequest,
    row: Participation,
    *,
    reject: RejectForm | None = None,
    bonus: BonusForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = page_of(request, row.recruitment.project) | {
        "row": row,
        "recruitment": row.recruitment,
        "work": queries.work_of(row),
        "following": queries.next_to_review(row),
        "can_approve": row.review != Participation.Review.APPROVED
        and is_allowed(policy.check_can_approve, request.user, row),
        "can_reject": row.review == "" and is_allowed(policy.check_can_reject, request.user, row),
        "can_review": is_allowed(policy.check_can_review, request.user, row),
        "can_erase": row.erased_at is None
        and is_allowed(policy.check_can_erase, request.user, row),
        "reject": reject or RejectForm(),
        "bonus": bonus or BonusForm(initial={"key": uuid.uuid4()}),
    }
    return render(request, "crowds/participation.html", context, status=status)


@require_POST
def participation_review(request: UserRequest, slug: str, pk: int, row_id: int) -> HttpResponse:
    """Approve or reject one participant, give a bonus, or delete what they said."""
    row, now, by = get_participation(request, slug, pk, row_id), timezone.now(), request.user
    press = request.POST.get("press", "")
    if press == "approve":
        services.approve_participation(participation=row, by=by, now=now)
        messages.success(request, "Approved.")
    elif press == "reject":
        reject = RejectForm(request.POST)
        if not reject.is_valid():
            return _page(request, row, reject=reject, status=UNPROCESSABLE)
        services.reject_participation(participation=row, **reject.cleaned_data, by=by, now=now)
        messages.success(request, "Rejected.")
    elif press == "bonus":
        bonus = BonusForm(request.POST)
        if not bonus.is_valid():
            return _page(request, row, bonus=bonus, status=UNPROCESSABLE)
        services.give_bonus(participation=row, **bonus.cleaned_data, by=by, now=now)
        messages.success(request, "Bonus noted.")
    elif press == "erase":
        leave_out = "leave_out" in request.POST
        services.erase_participation(participation=row, leave_out=leave_out, by=by, now=now)
        messages.success(request, "Deleted.")
    else:
        raise Conflict("Choose what to do with this participant.")
    return redirect("participation-view", slug, pk, row_id)
