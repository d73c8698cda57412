"""Search in the FAQ of a project."""

import re

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import QuerySet

from annotation.core.models.projects import Project
from annotation.faq.models import FaqEntry

MATCHES_SHOWN = 3
_WORD = re.compile(r"\w+")
_VECTOR = SearchVector("question", weight="A", config="english") + SearchVector(
    "answer", weight="B", config="english"
)


def list_entries(project: Project, text: str = "") -> QuerySet[FaqEntry]:
    """Return the FAQ in its order, or the entries with all the words of `text`, best first."""
    found = FaqEntry.objects.filter(project=project).select_related("changed_by")
    if not text.strip():
        return found
    query = SearchQuery(text, search_type="websearch", config="english")
    return (
        found.annotate(vector=_VECTOR, rank=SearchRank(_VECTOR, query))
        .filter(vector=query)
        .order_by("-rank", "position")
    )


def list_matching_entries(project_id: int, text: str) -> list[FaqEntry]:
    """Return the entries that best match some words, of which one is enough. One query."""
    words = list(dict.fromkeys(_WORD.findall(text.lower())))[:30]
    if not words:
        return []
    query = SearchQuery(" | ".join(words), search_type="raw", config="english")
    ranked = FaqEntry.objects.filter(project=project_id).annotate(
        vector=_VECTOR, rank=SearchRank(_VECTOR, query)
    )
    return list(ranked.filter(vector=query).order_by("-rank", "position")[:MATCHES_SHOWN])
