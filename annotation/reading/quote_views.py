"""A quote that supports an answer, for staff: in the article as shown then, and as it is now."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.access.work import check_can_see_answers
from annotation.pages.views import project_page
from annotation.reading.quotes import find_proof, note_of, quote_surroundings, stands_in
from wikipedia.articles import stored_articles
from wikipedia.articles.article import Article
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.models import Quote
from wikipedia.providers.base import ProviderUnavailable


@require_GET
@never_cache
def quote_view(request: UserRequest, slug: str, quote_id: int) -> HttpResponse:
    """Show a quote in its article (`?version=now`: in the current article)."""
    project = get_project(request, slug, check_can_manage)
    proof = find_proof(project, quote_id)
    if proof is None:
        raise Http404
    quote, questions = proof
    for question in questions:
        check_can_see_answers(request.user, question)
    now = request.GET.get("version") == "now"
    context = project_page(request, project, "questions") | {
        "quote": quote,
        "around": quote_surroundings(quote),
        "questions": questions,
        "snapshot": project.snapshot,
        "now": now,
    }
    try:
        source, article = _now(quote) if now else _as_quoted(quote)
    except (stored_articles.DamagedPage, PageMissing, ProviderUnavailable) as problem:
        return render(
            request, "annotation/reading/quote_view.html", context | {"problem": str(problem)}
        )
    place = stands_in(quote, article)
    context |= {
        "source": source,
        "article": replace(article, html=_addressed(article.html, project.snapshot.name)),
        "place": place,
        "note": note_of(quote, place),
        "words": article.text[place.start : place.end] if place.start is not None else "",
    }
    return render(request, "annotation/reading/quote_view.html", context)


def _as_quoted(quote: Quote) -> tuple[SourcePage, Article]:
    source = stored_articles.source_of(quote.page, stored_articles.html_of(quote.page), because="")
    # The stored page is already sanitised and is shown as it was.
    return source, stored_articles.article_of(replace(source, stored_because="kept"))


def _now(quote: Quote) -> tuple[SourcePage, Article]:
    source = stored_articles.read_page(quote.page.snapshot, quote.page.path)
    return source, stored_articles.article_of(source)


def _addressed(html: str, snapshot: str) -> str:
    # Links into the wiki are disabled here: the log of reading belongs to the work.
    files = reverse("wikipedia:asset", args=[snapshot, "x"]).removesuffix("x")
    return stored_articles.remove_wiki_links(html, files=files)
