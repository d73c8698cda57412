"""What each relation would ask about a graph: one question with some of its answers."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from qampari.making.queries import KeepRule
from qampari.making.relations import (
    AskedRelation,
    key_of_relation,
    list_shipped_relations,
    preview_question,
)
from wikipedia.wikidata.folders import open_graph
from wikipedia.wikidata.graph import Graph

_NAMED: Final = 3
_LOOKED_AT: Final = 20  # things that are tried, as some have no name


@dataclass(frozen=True, slots=True)
class RelationPreview:
    """A relation with a question of it that the graph can answer, and how many answers it has."""

    key: str
    question: str
    answers: int
    names: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The question with its answers, as a list shows it."""
        more = ", …" if self.answers > len(self.names) else ""
        return f"{self.question} {self.answers:,} answers: {', '.join(self.names)}{more}"


def list_previews(graph_name: str) -> list[RelationPreview]:
    """Return the relations that come with Ambit and have a question in a graph, with one each.

    Raises GraphProblem where there is no such graph. What a graph has never changes, so it is read
    once in a process.
    """
    with open_graph(graph_name) as graph:
        return list(_list_previews(graph_name, str(graph.about["hash"])))


@lru_cache(maxsize=8)
def _list_previews(graph_name: str, graph_hash: str) -> tuple[RelationPreview, ...]:
    with open_graph(graph_name) as graph:
        found = (preview_relation(graph, each) for each in list_shipped_relations())
        return tuple(filter(None, found))


def preview_relation(graph: Graph, relation: AskedRelation) -> RelationPreview | None:
    """Return the first question of a relation in a graph whose names are known."""
    rule = KeepRule()
    scanned = graph.scan_relation(relation.property, least=rule.least, type_id=relation.type)
    for _, (subject, items) in zip(range(_LOOKED_AT), scanned, strict=False):
        entities = graph.find_entities([subject, *items[: 2 * _NAMED]])
        names = [entities[one].label for one in items if one in entities]
        known = [name for name in names if name][:_NAMED]
        about = entities[subject].label if subject in entities else None
        if about and known and len(items) <= rule.most:
            question = preview_question(relation, about)
            return RelationPreview(key_of_relation(relation), question, len(items), tuple(known))
    return None
