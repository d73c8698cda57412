"""The work page of whatever stage a turn belongs to.

Every address carries its assignment, so that a late or second POST lands on the current step and
changes nothing. Looking at the page never changes state.
"""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.access.loaders import UserRequest, get_assignment
from annotation.core.states import HELD
from annotation.work.assignment_page import AssignmentPage
from annotation.work.next_page import brings_next_page


@require_GET
@never_cache
def work_page(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Show the work, or its outcome."""
    assignment = get_assignment(request, assignment_id)
    if assignment.leads_to and assignment.state in HELD:
        return redirect(f"{assignment.leads_to}?next={request.path}")
    return AssignmentPage(request, assignment).show_work()


@require_POST
@never_cache
def work_draft(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Save the form; reply with a fragment of the rules' findings, or redirect to the page."""
    assignment = get_assignment(request, assignment_id)
    return AssignmentPage(request, assignment).save_draft()


@require_POST
@never_cache
@brings_next_page(work_page)
def work_step(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Finish the step in hand or go back; submit the work if none follows."""
    assignment = get_assignment(request, assignment_id)
    return AssignmentPage(request, assignment).step_on()


@require_POST
@never_cache
@brings_next_page(work_page)
def work_submit(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Submit the work and continue with the next question."""
    assignment = get_assignment(request, assignment_id)
    return AssignmentPage(request, assignment).submit()
