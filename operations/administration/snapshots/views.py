"""The page of the installation's Wikipedias."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from operations.administration.frame import for_administrators, render_section
from operations.administration.snapshots import queries, services
from wikipedia.models import Snapshot


@for_administrators
@require_safe
def snapshot_page(request: UserRequest) -> HttpResponse:
    """Show every snapshot with its archive, index and vectors, and what is being built."""
    context = {"rows": queries.list_snapshots()}
    return render_section(request, "wikipedia", "wikipedia.html", context)


@for_administrators
@require_POST
def snapshot_build(request: UserRequest, name: str) -> HttpResponse:
    """Start the job that builds the index of a snapshot."""
    snapshot = get_object_or_404(Snapshot, name=name)
    services.start_build(snapshot=snapshot, by=request.user, now=timezone.now())
    messages.success(request, "Its index is being built. People can go on searching meanwhile.")
    return redirect("administration-wikipedia")
