"""The relations of a project: those that come with Ambit, under what its people wrote."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from annotation.models import Project
from qampari.making.relations import (
    TEXT_NAMES,
    AskedRelation,
    find_wording_problems,
    key_of_relation,
    list_shipped_relations,
    write_relation,
)
from qampari.models import MadeRelation

RelationIds = tuple[int, int | None]  # numbers of property and type
SHIPPED, CHANGED, ADDED = "shipped", "changed", "added"
_WORDS: Final = (*TEXT_NAMES, "time")


@dataclass(frozen=True, slots=True)
class ProjectRelation:
    """A relation of a project.

    asked: its words, empty ones where it has no wording yet; version: how often the project saved
    it, 0 where it is as it comes; origin: SHIPPED, CHANGED or ADDED.
    """

    asked: AskedRelation
    included: bool
    version: int
    origin: str

    @property
    def key(self) -> str:
        """Its ids: P177, or P177/Q12280."""
        return key_of_relation(self.asked)

    @property
    def place(self) -> str:
        """Its ids as addresses and places on a page have them: P177-Q12280."""
        return self.key.replace("/", "-")

    @property
    def is_worded(self) -> bool:
        """Whether questions can be asked in its words."""
        return not find_wording_problems(self.asked)


def ids_of(relation: AskedRelation) -> RelationIds:
    """Return the numbers of its property and its type."""
    return relation.property, relation.type


@cache
def map_shipped_relations() -> Mapping[RelationIds, AskedRelation]:
    """Return the relations that come with Ambit, by their ids."""
    return {ids_of(each): each for each in list_shipped_relations()}


def list_project_relations(project: Project) -> list[ProjectRelation]:
    """Return all relations of a project: those that come with Ambit, then the added ones.

    One query.
    """
    rows = {
        (row.property, row.type): read_row(row)
        for row in MadeRelation.objects.filter(project=project).order_by("pk")
    }
    shipped = map_shipped_relations()
    usual = [rows.get(ids) or _as_it_comes(each) for ids, each in shipped.items()]
    return [*usual, *(row for ids, row in rows.items() if ids not in shipped)]


def list_asked_relations(project: Project) -> tuple[AskedRelation, ...]:
    """Return the relations that a project asks about unless a file says others. One query."""
    return tuple(
        each.asked for each in list_project_relations(project) if each.included and each.is_worded
    )


def find_project_relation(project: Project, ids: RelationIds) -> ProjectRelation | None:
    """Return a relation of a project; None where it has none with these ids. One query."""
    row = MadeRelation.objects.filter(project=project, property=ids[0], type=ids[1]).first()
    if row is not None:
        return read_row(row)
    shipped = map_shipped_relations().get(ids)
    return None if shipped is None else _as_it_comes(shipped)


def read_row(row: MadeRelation) -> ProjectRelation:
    """Return the relation of a row."""
    asked = AskedRelation(
        property=row.property,
        type=row.type,
        cues=tuple(row.cues),
        **{name: getattr(row, name) for name in _WORDS},
    )
    origin = CHANGED if ids_of(asked) in map_shipped_relations() else ADDED
    return ProjectRelation(asked, row.included, row.version, origin)


def describe_relation(relation: ProjectRelation) -> dict[str, Any]:
    """Return a relation as the API and the log have it."""
    return write_relation(relation.asked) | {
        "included": relation.included,
        "version": relation.version,
        "origin": relation.origin,
    }


def _as_it_comes(shipped: AskedRelation) -> ProjectRelation:
    return ProjectRelation(shipped, True, 0, SHIPPED)
