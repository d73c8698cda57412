"""Save and delete views of the list of questions."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.questions import view_services
from annotation.questions.saved_query import build_query
from annotation.questions.view_queries import ViewChoice, views_seen_by


@never_cache
@require_POST
def save_view(request: UserRequest, slug: str) -> HttpResponse:
    """Save the filters, order and columns that are shown under a name."""
    project = get_project(request, slug, check_can_manage)
    query = build_query(QueryDict(request.POST.get("query", "")))
    try:
        view = view_services.save_view(
            project=project,
            name=request.POST.get("name", ""),
            query=query,
            shared=bool(request.POST.get("shared")),
            opens=bool(request.POST.get("opens")),
            by=request.user,
            now=timezone.now(),
        )
    except Conflict as conflict:
        messages.error(request, str(conflict))
        return _list(slug, f"view=&{query}")
    messages.success(request, f"The view “{view.name}” is saved.")
    return _list(slug, ViewChoice(view, own=True).address)


@never_cache
@require_POST
def delete_view(request: UserRequest, slug: str, view_id: int) -> HttpResponse:
    """Delete a view; the list shows what it showed, so that it can be saved again."""
    project = get_project(request, slug, check_can_manage)
    view = views_seen_by(request.user, project).select_related("project").filter(pk=view_id).first()
    if view is None:
        raise Http404
    view_services.delete_view(view=view, by=request.user)
    messages.success(request, f"The view “{view.name}” is deleted. The list still shows it.")
    return _list(slug, f"view=&{view.query}")


def _list(slug: str, query: str) -> HttpResponseRedirect:
    return redirect(f"{reverse('project-questions', args=[slug])}?{query}")
