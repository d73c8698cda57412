"""A page as a person saw it, for staff to check where an answer was taken from."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.access.work import check_can_see_answers
from annotation.core.models.work import Event
from annotation.pages.views import project_page
from annotation.reading.queries import quotes_in
from annotation.reading.quotes import proving_among
from annotation.reading.shown import read_as_shown
from annotation.reading.visits import shown_in, visits_of
from wikipedia.articles import stored_articles


@never_cache
@require_safe
def visit_view(request: UserRequest, slug: str, event_id: int) -> HttpResponse:
    """Show the page of one visit from the stored copy, without asking Wikipedia."""
    project = get_project(request, slug, check_can_manage)
    events = Event.objects.select_related("assignment__user", "assignment__task__question")
    event = get_object_or_404(
        events, pk=event_id, kind=Event.Kind.PAGE_OPEN, assignment__project=project
    )
    assignment = event.assignment
    check_can_see_answers(request.user, assignment.task.question)
    visit = next(v for v in visits_of([assignment.pk])[assignment.pk] if v.event.pk == event.pk)
    kept, article, problem = shown_in(visit, project), None, ""
    if kept is None:
        problem = "What this visit showed was not kept: it was logged by an older version of Ambit."
    else:
        try:
            article = read_as_shown(kept, project.snapshot.name)
        except stored_articles.DamagedPage as damaged:
            problem = str(damaged)
    quotes = [quote for quote in quotes_in(assignment) if quote.page.path == visit.data["path"]]
    context = project_page(request, project, "questions") | {
        "assignment": assignment,
        "question": assignment.task.question,
        "visit": visit,
        "kept": kept,
        "source": kept and stored_articles.source_of(kept, "", because=""),
        "snapshot": project.snapshot,
        "article": article,
        "problem": problem,
        "quotes": quotes,
        "proving": proving_among(project, quotes),
    }
    return render(request, "annotation/reading/visit_view.html", context)
