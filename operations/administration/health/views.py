"""The page of how the installation is."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access.loaders import UserRequest
from operations.administration.frame import for_administrators, render_section
from operations.administration.health import queries
from operations.administration.jobs import queries as jobs_queries


@for_administrators
@require_safe
def health_page(request: UserRequest) -> HttpResponse:
    """Look at every part and say how it is; workers and the clock one by one."""
    now = timezone.now()
    context = {"health": queries.look_at_all(now), "workers": jobs_queries.list_workers(now)}
    return render_section(request, "health", "health.html", context)
