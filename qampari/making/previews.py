"""What each relation would ask about a graph: one question with some of its answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from qampari.making.queries import KeepRule
from qampari.making.relations import AskedRelation, key_of_relation, preview_question
from wikipedia.wikidata.folders import open_graph
from wikipedia.wikidata.graph import Graph

_NAMED: Final = 3
_LOOKED_AT: Final = 20  # things that are tried, as some have no name


@dataclass(frozen=True, slots=True)
class RelationExample:
    """Something that a relation can ask about, how many answers it has, and some of their names."""

    subject: str
    answers: int
    names: tuple[str, ...]

    @property
    def listed(self) -> str:
        """The answers, as a sentence lists them."""
        more = ", …" if self.answers > len(self.names) else ""
        return f"{', '.join(self.names)}{more}"


@dataclass(frozen=True, slots=True)
class RelationPreview:
    """A relation with a question of it that the graph can answer."""

    key: str
    question: str
    example: RelationExample

    @property
    def sentence(self) -> str:
        """The question with its answers, as a list shows it."""
        return f"{self.question} {self.example.answers:,} answers: {self.example.listed}"


def list_previews(graph_name: str, relations: Sequence[AskedRelation]) -> list[RelationPreview]:
    """Return those of the relations that have a question in a graph, with one each.

    Raises GraphProblem where there is no such graph.
    """
    return [
        RelationPreview(key_of_relation(each), preview_question(each, found.subject), found)
        for each, found in zip(relations, list_examples(graph_name, relations), strict=True)
        if found
    ]


def list_examples(
    graph_name: str, relations: Sequence[AskedRelation]
) -> list[RelationExample | None]:
    """Return what each relation can ask about in a graph, None where there is nothing.

    What a graph has never changes, so it is read once in a process: the words of a relation do not
    matter. Raises GraphProblem where there is no such graph.
    """
    with open_graph(graph_name) as graph:
        graph_hash = str(graph.about["hash"])
    return [_find_example(graph_name, graph_hash, each.property, each.type) for each in relations]


@lru_cache(maxsize=4096)
def _find_example(
    graph_name: str, graph_hash: str, prop: int, type_id: int | None
) -> RelationExample | None:
    with open_graph(graph_name) as graph:
        return read_example(graph, prop, type_id)


def read_example(graph: Graph, prop: int, type_id: int | None) -> RelationExample | None:
    """Return the first thing that a relation can ask about whose names are known."""
    rule = KeepRule()
    scanned = graph.scan_relation(prop, least=rule.least, type_id=type_id)
    for _, (subject, items) in zip(range(_LOOKED_AT), scanned, strict=False):
        entities = graph.find_entities([subject, *items[: 2 * _NAMED]])
        names = [entities[one].label for one in items if one in entities]
        known = [name for name in names if name][:_NAMED]
        about = entities[subject].label if subject in entities else None
        if about and known and len(items) <= rule.most:
            return RelationExample(about, len(items), tuple(known))
    return None
