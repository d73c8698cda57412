"""How many questions each relation has in a graph, and how many answers these have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.core.cache import cache

from qampari.making.editing.queries import RelationIds
from wikipedia.wikidata.folders import open_graph
from wikipedia.wikidata.graph import Graph

_CACHE_KEY: Final = "making-counts"


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """questions: things with enough answers; median: of the numbers of their answers, 0 of none."""

    questions: int
    median: float


def count_questions(
    graph_name: str, relations: Sequence[RelationIds], *, least: int
) -> dict[RelationIds, QuestionCounts]:
    """Return the counts of relations in a graph, where a question has at least `least` answers.

    A graph never changes, so each relation is counted once for all processes; the cache has one
    entry for a graph. Raises GraphProblem where there is no such graph.
    """
    with open_graph(graph_name) as graph:
        key = f"{_CACHE_KEY}:{graph.about['hash']}:{least}"
        stored: dict[RelationIds, tuple[int, float]] = cache.get(key, {})
        counted = {ids: _read_counts(graph, ids, least) for ids in relations if ids not in stored}
    if counted:
        stored = stored | counted
        cache.set(key, stored, timeout=None)
    return {ids: QuestionCounts(*stored[ids]) for ids in relations}


def find_median(numbers: Mapping[int, int]) -> float:
    """Return the median of values that are given with how often each is there; 0 of none."""
    total = sum(numbers.values())
    if not total:
        return 0.0
    # The two in the middle, which are one where the total is odd.
    middle, seen, found = {(total - 1) // 2, total // 2}, 0, []
    for value in sorted(numbers):
        found += [value for place in middle if seen <= place < seen + numbers[value]]
        seen += numbers[value]
    return sum(found) / len(found)


def _read_counts(graph: Graph, ids: RelationIds, least: int) -> tuple[int, float]:
    numbers = graph.count_questions(ids[0], least=least, type_id=ids[1])
    return sum(numbers.values()), find_median(numbers)
