"""The page of a question that comes without one: the first of the top five of a search (N2).

The search is that of the project's Wikipedia, as people have it. A question is kept if an article
is among the top five; the first one that can be read becomes its page.
"""

import hashlib
import zlib
from typing import Any, Final

import orjson

from annotation.imports.adapters import ANNOTATIONS
from annotation.imports.formats import LeftOut, QuestionRecord
from annotation.imports.records import context_of
from annotation.models import Project, Question
from natural_questions import records
from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot
from wikipedia.providers import limits
from wikipedia.providers.registry import provider_for

RESULTS: Final = 5
NO_PAGE: Final = "no_page"


def is_searched(context: dict[str, Any]) -> bool:
    """Return whether a record has no page of its own, so that one is searched for it."""
    return "form" not in context


def find_page(project: Project, record: QuestionRecord) -> QuestionRecord | LeftOut:
    """Return the record with its page, or left out where the search finds none.

    A question that is in the project with the same words keeps the page that it has. Raises
    ProviderUnavailable where the project's Wikipedia does not answer.
    """
    if not is_searched(record.context):
        return record
    here = Question.objects.filter(project=project, external_id=record.external_id)
    known = here.filter(text=record.text).only("context").first()
    if known is not None:
        return _with_context(record, known.context, b"")
    with limits.behind_people():
        data = _search_page(project.snapshot, record)
    if data is None:
        return LeftOut(NO_PAGE)
    stored = orjson.dumps(data)
    found: dict[str, object] = {
        "form": "original",
        "title": data["document_title"],
        "url": data["document_url"],
        "kinds": records.kinds_of(data),
        "page": hashlib.sha256(stored).hexdigest()[:32],
    }
    return _with_context(record, found, zlib.compress(stored))


def _with_context(record: QuestionRecord, found: dict[str, Any], packed: bytes) -> QuestionRecord:
    """Return the record with its page; annotations of other files are not those of a page."""
    kept = {key: value for key, value in record.context.items() if key != ANNOTATIONS}
    return QuestionRecord(
        external_id=record.external_id,
        text=record.text,
        split=record.split,
        known_answers=record.known_answers,
        context=context_of(kept | found),
        beside=packed,
    )


def _search_page(snapshot: Snapshot, record: QuestionRecord) -> dict[str, Any] | None:
    """Return the first page of the top five that can be read, as a record; None if none can."""
    # It loads the parser of HTML, which most imports do not need.
    from wikipedia.articles.reader import render_article

    provider = provider_for(snapshot)
    for hit in provider.search(record.text, limit=RESULTS).hits:
        try:
            page = provider.load_page(hit.path)
            article = render_article(page, page_url=lambda path: "", asset_url=lambda path: "")
        except PageMissing:
            continue
        made = records.complete_record(
            {
                "document_title": page.title,
                "document_url": page.url,
                "document_html": article.html,
            },
            record.external_id,
            record.text,
        )
        if made["long_answer_candidates"] and len(orjson.dumps(made)) <= records.MOST_BYTES:
            return dict(made)
    return None
