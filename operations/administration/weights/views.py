"""The page of models and weights."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access.loaders import UserRequest
from config.filters import file_size
from operations.administration.frame import (
    for_administrators,
    for_administrators_asked_again,
    render_section,
)
from operations.administration.weights import queries, services


@for_administrators
@require_safe
def weights_page(request: UserRequest) -> HttpResponse:
    """Show the weights of this host by name, with the roles that run on them."""
    rows = queries.list_weights()
    context = {
        "machine": queries.describe_machine(),
        "rows": rows,
        "bytes": sum(row.bytes or 0 for row in rows),
        "converted": queries.converted_bytes(),
    }
    return render_section(request, "models", "models.html", context)


@for_administrators_asked_again
def weights_remove(request: UserRequest) -> HttpResponse:
    """Delete weights that no role names."""
    name = request.POST.get("name", "")
    size = services.remove_weights(name=name, by=request.user, now=timezone.now())
    messages.success(request, f"{name} is removed: {file_size(size)} are free again.")
    return redirect("administration-models")
