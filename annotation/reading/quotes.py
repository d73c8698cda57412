"""Quotes for display: where each is on a page that may have changed since."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from accounts import prepared_statements
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.submissions import Submission
from annotation.core.models.work import Assignment
from annotation.extensions.parts import Citation
from annotation.extensions.registry import all_extensions
from annotation.reading import queries
from annotation.reading.articles import page_address
from annotation.reading.statements import OWN_QUOTES
from annotation.sheets.parts import OwnQuotes, QuoteShown
from annotation.stages import registry as stages
from wikipedia.articles.article import Article
from wikipedia.models import Quote, place_of
from wikipedia.quotes.anchoring import CONTEXT_CHARACTERS, Anchor, Selector, State, anchor_quote


def _citations() -> list[Citation]:
    """Return what cites quotes: rows of features, and the submissions of all other stages."""
    submissions = Citation(Submission, "submissions", "question__project_id", ("quotes",))
    return [*all_extensions().citations, submissions]


def find_proof(project: Project, quote_id: int) -> tuple[Quote, list[Question]] | None:
    """Return a quote with the questions whose submitted answers it supports, None without any."""
    quoted = Question.objects.filter(project_id=project.pk)
    querysets = [
        quoted.filter(**{f"{cited.question}__{field}": quote_id})
        for cited in _citations()
        for field in cited.fields
    ]
    questions = {question.pk: question for rows in querysets for question in rows}
    if not questions:
        return None
    quote = Quote.objects.select_related("page").get(pk=quote_id)
    return quote, [questions[pk] for pk in sorted(questions)]


def proving_among(project: Project, quotes: Iterable[Quote]) -> set[int]:
    """Return the ids of the quotes that support submitted answers in the project."""
    wanted = [quote.pk for quote in quotes]
    first, *others = [
        cited.model._default_manager.filter(**{cited.project: project.pk, f"{field}__in": wanted})
        .values_list(field, flat=True)
        .order_by()
        for cited in _citations()
        for field in cited.fields
    ]
    return set(first.union(*others))


def own_quotes(assignment: Assignment) -> OwnQuotes:
    """Return a function that gives, of some ids, the person's own quotes from the snapshot.

    One query for ids that were not asked for before.
    """
    read: dict[int, QuoteShown | None] = {}

    def among(ids: Iterable[int]) -> dict[int, QuoteShown]:
        wanted = {*ids}
        if new := wanted - read.keys():
            read.update(dict.fromkeys(new))
            read.update((quote.pk, quote) for quote in _own(assignment, new))
        return {pk: own for pk in wanted if (own := read[pk]) is not None}

    return among


def _own(assignment: Assignment, ids: Iterable[int]) -> Iterable[QuoteShown]:
    """Give the person's own quotes from the snapshot. One statement, planned once."""
    values = {
        "ids": list(ids),
        "user": assignment.user_id,
        "snapshot": assignment.project.snapshot_id,
    }
    for pk, exact, path, title, section_path, block_kind, headers in prepared_statements.fetch_rows(
        OWN_QUOTES, values
    ):
        place = place_of(title, json.loads(section_path), block_kind, json.loads(headers))
        address = _address(assignment.pk, path, pk)
        yield QuoteShown(pk, exact, _where(title, place), address)


def quote_address(assignment_id: int, quote: Quote) -> str:
    """Return the address of a quote in the assignment: its page, at its words."""
    return _address(assignment_id, quote.page.path, quote.pk)


def _address(assignment_id: int, path: str, quote_id: int) -> str:
    return f"{page_address(assignment_id, path)}?via=quote#quote-{quote_id}"


def quote_surroundings(quote: Quote) -> tuple[str, str]:
    """Return the text before and after a quote, without words that were cut in two."""
    before, after = quote.prefix, quote.suffix
    if len(before) == CONTEXT_CHARACTERS:
        before = re.sub(r"^\S+(?=\s)", "", before)
    if len(after) == CONTEXT_CHARACTERS:
        after = re.sub(r"(?<=\s)\S+$", "", after)
    return before.lstrip(), after.rstrip()


def where_of(quote: Quote) -> str:
    """Return the page of a quote, its section, and the headers of its cell."""
    return _where(quote.page.title, quote.place)


def _where(title: str, place: str) -> str:
    return ", ".join(filter(None, [title, place]))


def stands_in(quote: Quote, article: Article) -> Anchor:
    """Return the place of a quote in an article; there is no search if the article is unchanged."""
    if quote.page.text_sha256 == article.text_sha256:
        return Anchor(State.EXACT, 1.0, quote.start, quote.end)
    return _found(article.text, Selector(quote.exact, quote.prefix, quote.suffix, quote.start))


def note_of(quote: Quote, anchor: Anchor) -> str:
    """Return the note for people who open a quote: whether the page still has these words."""
    agreement = f"{anchor.score:.0%} agreement"
    if anchor.state == State.EXACT:
        return "As it was quoted."
    if anchor.state == State.MOVED:
        return f"The same words; the page has changed around them ({agreement})."
    if anchor.state == State.CHANGED:
        return f"The words have changed ({agreement}). Quoted was “{_short(quote.exact)}”."
    where = f", {quote.place}" if quote.place else ""
    best = f" (at best {agreement})" if anchor.score else ""
    return f"Not on this page any more{best}. Quoted was “{_short(quote.exact)}”{where}."


@lru_cache(maxsize=256)
def _found(text: str, selector: Selector) -> Anchor:
    # A page is loaded again and again with the same quotes.
    return anchor_quote(text, selector)


def _short(words: str) -> str:
    return words if len(words) <= 200 else words[:199] + "…"


def quote_shown(
    assignment: Assignment, quote: Quote, article: Article | None = None
) -> dict[str, Any]:
    """Return a quote for the form and the reader; `url` opens its page at its words.

    `start` and `end` are code points of the article's text as it is read now, None where the
    quote is lost; `now` is the text at that place. Without an article it is the page quoted from.
    """
    text = article.text if article else quote.page.text
    anchor = (
        stands_in(quote, article) if article else Anchor(State.EXACT, 1, quote.start, quote.end)
    )
    return {
        "id": quote.pk,
        "exact": quote.exact,
        "path": quote.page.path,
        "title": quote.page.title,
        "where": where_of(quote),
        "url": quote_address(assignment.pk, quote),
        "state": anchor.state,
        "score": round(anchor.score, 3),
        "note": note_of(quote, anchor),
        "start": anchor.start,
        "end": anchor.end,
        "now": text[anchor.start : anchor.end] if anchor.start is not None else "",
    }


def quotes_shown(
    assignment: Assignment, path: str, article: Article, history: queries.History
) -> list[dict[str, Any]]:
    """Return the quotes of this work on the page for the reader, in its order; lost ones last.

    If the stage lets people see the quotes of others, these too, under the stage's own names.
    """
    shown: list[dict[str, Any]] = []
    if history.quotes:
        made = Quote.objects.filter(pk__in=history.quotes, page__path=path).select_related("page")
        shown += [quote_shown(assignment, quote, article) for quote in made.order_by("id")]
    stage = stages.get_stage(assignment.stage)
    if isinstance(stage, stages.ShowsQuotes):
        for name, quote in stage.quotes_on(assignment, path):
            # Its own address would identify the quote, and so perhaps its author.
            url = f"{page_address(assignment.pk, path)}?via=validator_chip#quote-{name}"
            shown.append(quote_shown(assignment, quote, article) | {"id": name, "url": url})
    return sorted(shown, key=lambda one: (one["start"] is None, one["start"] or 0))
