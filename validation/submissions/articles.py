"""The pages that somebody read for a submission, as shown then, for their reader alone."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.access.loaders import UserRequest, get_assignment_of_member
from annotation.models import Assignment, Event
from annotation.reading.queries import quotes_in
from annotation.reading.quotes import stands_in
from annotation.reading.shown import read_as_shown
from annotation.reading.visits import Visit, shown_in
from wikipedia.articles import stored_articles
from wikipedia.models import Quote, ShownPage

NOT_KEPT = "What was shown then was not kept: it was logged by an older version of Ambit."


@require_GET
@never_cache
def submission_quote(request: UserRequest, assignment_id: int, quote_id: int) -> HttpResponse:
    """Show a quote of one's own in its article as it was quoted."""
    assignment = get_assignment_of_member(request, assignment_id)
    quote = next(iter(quotes_in(assignment, [quote_id])), None)
    if quote is None:
        raise Http404
    return _show(request, assignment, quote.page, quote.page.title, quote)


@require_GET
@never_cache
def submission_page(request: UserRequest, assignment_id: int, event_id: int) -> HttpResponse:
    """Show a page that one read, as it was shown then."""
    assignment = get_assignment_of_member(request, assignment_id)
    event = get_object_or_404(Event, pk=event_id, kind=Event.Kind.PAGE_OPEN, assignment=assignment)
    page = shown_in(Visit(event), assignment.project)
    return _show(request, assignment, page, event.data["title"], None)


def _show(
    request: UserRequest,
    assignment: Assignment,
    page: ShownPage | None,
    title: str,
    quote: Quote | None,
) -> HttpResponse:
    article, problem = None, NOT_KEPT
    if page is not None:
        try:
            article = read_as_shown(page, assignment.project.snapshot.name)
        except stored_articles.DamagedPage as damaged:
            problem = str(damaged)
    context = {
        "section": "work",
        "assignment": assignment,
        "question": assignment.task.question,
        "title": title,
        "quote": quote,
        "place": stands_in(quote, article) if quote and article else None,
        "article": article,
        "source": page and stored_articles.source_of(page, "", because=""),
        "snapshot": assignment.project.snapshot,
        "problem": problem,
    }
    return render(request, "validation/submissions/article.html", context)
