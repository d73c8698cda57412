"""The page on which an administrator of the installation erases a person."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from annotation.access.loaders import UserRequest
from annotation.core.refusals import Conflict
from annotation.erasing.forms import EraseForm
from annotation.erasing.policies import check_can_erase
from annotation.erasing.queries import work_of
from annotation.erasing.services import erase_person


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def person_erase(request: UserRequest, user_id: int) -> HttpResponse:
    """Show what is erased and what stays, and erase it once the address is written."""
    if not request.user.is_superuser:
        raise Http404
    person = get_object_or_404(User, pk=user_id)
    form = EraseForm(request.POST or None, expected=person.email)
    refusal, status = "", HTTPStatus.OK
    try:
        check_can_erase(request.user, person)
        if request.method == "POST":
            if form.is_valid():
                erased = erase_person(user=person, by=request.user, now=timezone.now())
                messages.success(request, f"Erased. Their work now belongs to “{erased.name}”.")
                return redirect("administration-person", person.pk)
            status = HTTPStatus.UNPROCESSABLE_ENTITY
    except Conflict as conflict:
        refusal = str(conflict)
        status = HTTPStatus.OK if request.method != "POST" else HTTPStatus.CONFLICT
    context = {"person": person, "form": form, "refusal": refusal, "work": work_of(person)}
    return render(request, "annotation/erasing/person_erase.html", context, status=status)
