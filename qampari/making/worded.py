"""Queries with their words. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from qampari.making import wording
from qampari.making.queries import CompositionQuery, IntersectionQuery, SimpleQuery
from qampari.making.splitting import GraphQuery
from wikipedia.wikidata.graph import NamedEntity


@dataclass(frozen=True, slots=True)
class WordedQuery:
    """A query with its words. entities: all that it names, by number; split: "" until drawn.

    written_as: its words from the templates; a person may have given it others.
    """

    query: GraphQuery
    question: wording.WordedQuestion
    entities: dict[int, NamedEntity]
    split: str = ""
    written_as: str = ""

    @property
    def is_reworded(self) -> bool:
        """Whether a person gave it other words than the templates do."""
        return bool(self.written_as) and self.question.text != self.written_as


def list_steps(query: GraphQuery) -> set[int]:
    """Return the answers of the base of a composition, by way of which its values are reached."""
    if isinstance(query, CompositionQuery):
        return {item for _, items in query.links for item in items}
    return set()


def name_subjects(entities: dict[int, NamedEntity], subjects: Iterable[int]) -> dict[int, str]:
    """Return the names by which a question asks about entities."""
    own = {each: entities[each] for each in subjects}
    return wording.name_subjects(
        {number: entity.label or "" for number, entity in own.items()},
        {number: entity.description for number, entity in own.items()},
    )


def write_question(query: GraphQuery, names: dict[int, str]) -> wording.WordedQuestion:
    """Return the question of a query of any kind."""
    if isinstance(query, SimpleQuery):
        return wording.write_simple(query, names)
    if isinstance(query, IntersectionQuery):
        return wording.write_intersection(query, names)
    return wording.write_composition(query, names)
