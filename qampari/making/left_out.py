"""Queries that become no questions: how many for each reason, and some of them to look at. Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from qampari.making.queries import CompositionQuery, SimpleQuery
from qampari.making.relations import AskedRelation, preview_question
from wikipedia.wikidata.graph import NamedEntity

# What a person may want to open, of each reason.
MOST_EXAMPLES: Final = 20
_MOST_CHARACTERS: Final = 300


REASON_WORDS: Final[Mapping[str, str]] = {
    "too_few": "too few answers that a page shows",
    "too_many": "too many answers that a page shows",
    "too_little_evidence": "a page shows too small a share of the answers",
    "within": "all answers of one are the other’s",
    "unnamed": "what is asked about has no name in this language",
    "answer_in_question": "the question names one of its answers",
    "same_question": "the project has this question, or it is too long",
    "refused": "a person left it out",
    "mixed_halves": "of a relation of each half",
    "subject_of_other_half": "about something of the other half",
    "title_says_little": "the title of the list is one word",
    "list_without_table": "the list has no table with headers",
    "table_without_key": "no column of the table has a link of its own in each row",
    "table_too_short": "the table has too few rows",
    "table_beside_the_list": "another table of the page is longer",
    "same_answers_on_other_side": "a question of the other half has nearly the same answers",
}


class LeftOutQueries:
    """Counts by reason, with the first queries of each in words."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}

    def add(self, reason: str, text: str) -> None:
        """Count a query for a reason, and keep it in words if there are not twenty yet."""
        self.counts[reason] += 1
        kept = self.examples.setdefault(reason, [])
        if len(kept) < MOST_EXAMPLES:
            kept.append(text[:_MOST_CHARACTERS])


def describe_simple(query: SimpleQuery, supported: int, entities: Mapping[int, NamedEntity]) -> str:
    """Return the question of a query, with how many of its answers have evidence."""
    asked = preview_question(query.relation, _name(query.subject, entities))
    return f"{asked} {supported:,} of {len(query.answers):,} answers have evidence."


def describe_composition(query: CompositionQuery, entities: Mapping[int, NamedEntity]) -> str:
    """Return what a composition asks for."""
    base: AskedRelation = query.base.relation
    asked = preview_question(base, _name(query.base.subject, entities))
    return f"{query.relation.values} of: {asked} {len(query.answers):,} values."


def _name(number: int, entities: Mapping[int, NamedEntity]) -> str:
    entity = entities.get(number)
    return (entity.label if entity else None) or f"Q{number}"
