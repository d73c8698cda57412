"""The pages of people, and what is pressed there."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts import letters
from accounts.models import User
from annotation.access.loaders import UserRequest, parse_number
from annotation.core.models.people import Membership
from annotation.core.refusals import Conflict
from annotation.people import services as people_services
from operations.administration.frame import (
    for_administrators,
    for_administrators_asked_again,
    render_section,
)
from operations.administration.people import queries, services
from operations.administration.people.forms import (
    AddRoleForm,
    FactorForm,
    PeopleFilterForm,
    ReasonForm,
)

# The forms of reasons by the start of their fields' names.
REASONS: dict[str, type[ReasonForm]] = {
    "factor": FactorForm,
    "deactivate": ReasonForm,
    "admin": ReasonForm,
}


@for_administrators
@require_safe
def person_list(request: UserRequest) -> HttpResponse:
    """List the people of the installation, narrowed down by the address."""
    form = PeopleFilterForm(request.GET)
    chosen = form.read_filter()
    pages = Paginator(queries.find_people(chosen), queries.PAGE)
    counts = queries.count_people(chosen)
    pages.count = counts.get(chosen.state, counts[""])  # counted already
    page = pages.get_page(parse_number(request.GET.get("page", "")) or 1)
    invitations, participants = queries.count_outsiders(timezone.now())
    kept = request.GET.copy()
    kept.pop("page", None)
    others = kept.copy()
    others.pop("state", None)
    context = {
        "form": form,
        "chosen": chosen,
        "page": page,
        "people": queries.describe_people(page.object_list),
        "states": [(key, label, counts[key]) for key, label in queries.STATES],
        "invitations": invitations,
        "participants": participants,
        "kept": kept.urlencode(),
        "others": others.urlencode(),
    }
    return render_section(request, "people", "people.html", context)


def _get_person(user_id: int) -> User:
    """Return a person with an account, or answer 404."""
    return get_object_or_404(User, pk=user_id, is_participant=False)


@for_administrators
@require_safe
def person_detail(request: UserRequest, user_id: int) -> HttpResponse:
    """Show a person: roles, account, and what happened to it."""
    return _render_person(request, _get_person(user_id))


def _render_person(request: UserRequest, person: User, **more: Any) -> HttpResponse:
    """Render the page of a person; `more` may be a form that was refused, under its name."""
    status = more.pop("status", HTTPStatus.OK)
    [row] = queries.describe_people([person])
    forms = {
        **{f"{key}_form": form(prefix=key) for key, form in REASONS.items()},
        "role_form": AddRoleForm(user=person),
    }
    context = {
        "row": row,
        "person": person,
        "roles": queries.list_roles(person),
        "facts": queries.find_facts(person, now=timezone.now()),
        "events": queries.list_events(person),
        **forms,
        **more,
    }
    return render_section(request, "people", "person.html", context, status=status)


def _refuse(request: UserRequest, person: User, **forms: Any) -> HttpResponse:
    return _render_person(request, person, status=HTTPStatus.UNPROCESSABLE_ENTITY, **forms)


def _return_to(person: User) -> HttpResponse:
    return redirect("administration-person", person.pk)


@for_administrators_asked_again
def password_link(request: UserRequest, user_id: int) -> HttpResponse:
    """Send the person a link on which they choose a password."""
    person = _get_person(user_id)
    path = services.make_password_link(user=person, by=request.user, now=timezone.now())
    if letters.send_password_link(user=person, link=request.build_absolute_uri(path)):
        messages.success(request, f"Sent to {person.email}. The link works once.")
    else:
        messages.error(request, "The e-mail could not be sent. Look at Health, then try again.")
    return _return_to(person)


def _change(
    request: UserRequest, person: User, change: Callable[..., None], said: str, **more: Any
) -> HttpResponse:
    """Change an account, and say on its page what was done."""
    change(user=person, by=request.user, now=timezone.now(), **more)
    messages.success(request, said)
    return _return_to(person)


def _change_for_reason(
    request: UserRequest, person: User, key: str, change: Callable[..., None], said: str
) -> HttpResponse:
    """Change an account with the reason that the form gives, or show what that lacks."""
    form = REASONS[key](request.POST, prefix=key)
    if not form.is_valid():
        return _refuse(request, person, **{f"{key}_form": form})
    return _change(request, person, change, said, reason=form.cleaned_data["reason"])


@for_administrators_asked_again
def factors_reset(request: UserRequest, user_id: int) -> HttpResponse:
    """Delete the second factors of a person who has lost them."""

    def reset_and_tell(*, user: User, **more: Any) -> None:
        services.reset_factors(user=user, **more)
        letters.tell_owner(user=user, change=letters.FACTORS_RESET, request=request)

    person = _get_person(user_id)
    said = f"{person} signs in with the password alone until they add one."
    return _change_for_reason(request, person, "factor", reset_and_tell, said)


@for_administrators
@require_POST
def sessions_end(request: UserRequest, user_id: int) -> HttpResponse:
    """Sign the person out everywhere."""
    person = _get_person(user_id)
    return _change(request, person, services.end_sessions, f"{person} is signed out everywhere.")


@for_administrators_asked_again
def person_deactivate(request: UserRequest, user_id: int) -> HttpResponse:
    """Close an account."""
    person = _get_person(user_id)
    said = f"{person} is deactivated. You can undo this at any time."
    return _change_for_reason(request, person, "deactivate", services.deactivate_person, said)


@for_administrators
@require_POST
def person_activate(request: UserRequest, user_id: int) -> HttpResponse:
    """Open a closed account again."""
    person = _get_person(user_id)
    return _change(request, person, services.activate_person, f"{person} can sign in again.")


@for_administrators_asked_again
def administration_give(request: UserRequest, user_id: int) -> HttpResponse:
    """Make the person an administrator of the installation."""
    person = _get_person(user_id)
    said = f"{person} is an administrator of the installation."
    return _change(request, person, services.give_administration, said)


@for_administrators_asked_again
def administration_take(request: UserRequest, user_id: int) -> HttpResponse:
    """Make an administrator an ordinary person again."""
    person = _get_person(user_id)
    said = f"{person} is not an administrator any more."
    answer = _change_for_reason(request, person, "admin", services.take_administration, said)
    taken = answer.status_code == HTTPStatus.FOUND
    return redirect("home") if taken and person.pk == request.user.pk else answer


@for_administrators
@require_POST
def person_role_add(request: UserRequest, user_id: int) -> HttpResponse:
    """Give the person a role in a project."""
    person = _get_person(user_id)
    form = AddRoleForm(request.POST, user=person)
    if not form.is_valid():
        return _refuse(request, person, role_form=form)
    if person.erased_at or not person.is_active:
        raise Conflict("This account is closed, so nobody could work with the role.")
    people_services.add_role(user=person, by=request.user, now=timezone.now(), **form.cleaned_data)
    messages.success(request, f"{person} has the role.")
    return _return_to(person)


@for_administrators
@require_POST
def person_role_remove(request: UserRequest, user_id: int, membership_id: int) -> HttpResponse:
    """Take a role away from the person."""
    person = _get_person(user_id)
    rows = Membership.objects.select_related("project", "user")
    membership = get_object_or_404(rows, pk=membership_id, user=person)
    people_services.remove_role(membership=membership, by=request.user, now=timezone.now())
    messages.success(request, f"{person} no longer has the role.")
    return _return_to(person)
