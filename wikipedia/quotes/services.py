"""All writes of quotes."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from wikipedia.articles import stored_articles
from wikipedia.articles.article import Article
from wikipedia.articles.services import record_shown_page
from wikipedia.html.page import SourcePage
from wikipedia.models import Quote, Snapshot
from wikipedia.quotes import locating as quotes


class QuoteRefused(Exception):
    """Words cannot be kept as a quote. The message says why and what to do."""


@transaction.atomic
def save_quote(
    *,
    snapshot: Snapshot,
    path: str,
    exact: str,
    made_by: str,
    by: AbstractBaseUser,
    now: dt.datetime,
    prefix: str = "",
    suffix: str = "",
    start: int | None = None,
    rendered: tuple[SourcePage, Article] | None = None,
) -> Quote:
    """Store selected words with their provenance. Raises `QuoteRefused` if the page lacks them.

    The place that the browser sends is a hint; the stored one is found in the article again.
    `rendered` is the page at `path` if the caller has it at hand, since making it takes a while.
    """
    if not exact.strip():
        raise QuoteRefused("Nothing is selected. Select the words that answer.")
    if len(exact) > quotes.MAX_EXACT_CHARACTERS:
        raise QuoteRefused(
            f"The selection is longer than {quotes.MAX_EXACT_CHARACTERS:,} characters. "
            "Select only the words that answer."
        )
    if rendered is None:
        page = stored_articles.read_page(snapshot, path)
        rendered = page, stored_articles.article_of(page)
    page, article = rendered
    position = quotes.locate_selection(article, exact, prefix, suffix, start)
    if position is None:
        raise QuoteRefused(
            f"“{_shortened(exact)}” is not in the text of “{page.title}”. "
            "Select the words in the article again."
        )
    place = quotes.describe_place(article, position.start, position.end)
    return Quote.objects.create(
        page=record_shown_page(snapshot=snapshot, page=page, article=article),
        section_path=list(place.section),
        section_anchor=place.anchor[:300],
        block_kind=place.block_kind,
        headers=place.headers.as_json(),
        exact=place.exact,
        prefix=place.prefix,
        suffix=place.suffix,
        start=place.start,
        end=place.end,
        made_by=made_by,
        created_by_id=by.pk,
        created_at=now,
    )


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79] + "…"
