"""From a graph to lists of answers: simple queries, intersections and compositions. Pure.

Source: QAMPARI, section 2.1 (Q10, the denotation of a relation and an entity; Q13, which queries
are kept) and 2.2 (Q14, intersection; Q15, composition). What a query needs to be kept is evidence
for its answers, which is looked for elsewhere: here a function says which triples have it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from qampari.making.facts_in_time import holds_on
from qampari.making.relations import ANY_TIME, AskedRelation
from wikipedia.wikidata.graph import StatementOf

# Why a query is no question.
TOO_FEW, TOO_MANY, TOO_LITTLE_EVIDENCE, WITHIN = (
    "too_few",
    "too_many",
    "too_little_evidence",
    "within",
)


class Triple(NamedTuple):
    """That an item has a value as a relation: what a sentence has to show."""

    relation: AskedRelation
    item: int
    value: int


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Which queries are kept: 5 to 200 answers with evidence, which are 80 % of all (the paper)."""

    least: int = 5
    most: int = 200
    share: float = 0.8


@dataclass(frozen=True, slots=True)
class SimpleQuery:
    """All items that have `subject` as their relation. answers: their numbers, in order."""

    relation: AskedRelation
    subject: int
    answers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeptQuery:
    """A simple query with those of its answers that have evidence."""

    query: SimpleQuery
    supported: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IntersectionQuery:
    """The answers with evidence that two simple queries share."""

    first: SimpleQuery
    second: SimpleQuery
    answers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CompositionQuery:
    """The values that the answers of a simple query have as another relation.

    links: each value with the answers of the base that have it, both in order. unproven: values
    without evidence, once it was looked for.
    """

    base: SimpleQuery
    relation: AskedRelation
    links: tuple[tuple[int, tuple[int, ...]], ...]
    unproven: tuple[int, ...] = ()

    @property
    def answers(self) -> tuple[int, ...]:
        """The values, in order."""
        return tuple(value for value, _ in self.links)


class GraphReads(Protocol):
    """What queries read of a graph (`wikipedia.wikidata.graph.Graph`)."""

    def scan_relation(
        self, prop: int, *, least: int = 1, type_id: int | None = None
    ) -> Iterator[tuple[int, list[int]]]: ...

    def find_statements(self, item: int) -> list[StatementOf]: ...


IsSupported = Callable[[Triple], bool]
_MOST_READ: Final = 2_000  # of a record (`qampari.records.MOST_ANSWERS`)


def find_simple_queries(
    graph: GraphReads, relation: AskedRelation, rule: KeepRule, day: str = ""
) -> Iterator[SimpleQuery]:
    """Give every simple query of a relation with enough answers, by the number of its subject.

    More than the most are given up to 2,000: evidence decides how many are kept. day: of the
    snapshot, as 2024-01-02, for relations that are asked about on that day.
    """
    for subject, items in graph.scan_relation(
        relation.property, least=rule.least, type_id=relation.type
    ):
        answers = items
        if relation.time != ANY_TIME:
            answers = [
                item
                for item in items
                if holds_on(graph.find_statements(item), relation.property, subject, day)
            ]
        if rule.least <= len(answers) <= _MOST_READ:
            yield SimpleQuery(relation, subject, tuple(answers))


def keep_simple(query: SimpleQuery, supported: Collection[int], rule: KeepRule) -> KeptQuery | str:
    """Return the query with its answers that have evidence, or why it is none."""
    own = tuple(answer for answer in query.answers if answer in supported)
    return find_keep_problem(len(own), len(query.answers), rule) or KeptQuery(query, own)


def find_intersections(
    kept: Sequence[KeptQuery], rule: KeepRule, left_out: Counter[str] | None = None
) -> Iterator[IntersectionQuery]:
    """Give every pair of queries that share enough answers, neither of which holds the other.

    One holds the other where all of its answers are the other's, by the graph or by evidence: then
    the question asks no more than the smaller one does. left_out: is told why pairs are not given.
    Every answer has evidence for both parts already, so nothing new is to be looked for.
    """
    having: dict[int, list[int]] = defaultdict(list)
    for place, each in enumerate(kept):
        for answer in each.supported:
            having[answer].append(place)
    reasons = Counter[str]() if left_out is None else left_out
    for place, each in enumerate(kept):
        shared: Counter[int] = Counter()
        for answer in each.supported:
            shared.update(other for other in having[answer] if other > place)
        for other in sorted(one for one, count in shared.items() if count >= rule.least):
            found = _intersect(each, kept[other])
            if found is None:
                reasons[WITHIN] += 1
            elif len(found.answers) > rule.most:
                reasons[TOO_MANY] += 1
            else:
                yield found


def _intersect(first: KeptQuery, second: KeptQuery) -> IntersectionQuery | None:
    pairs = ((first.supported, second.supported), (first.query.answers, second.query.answers))
    for own, others in pairs:
        if set(own) <= set(others) or set(others) <= set(own):
            return None
    both = set(second.supported)
    answers = tuple(answer for answer in first.supported if answer in both)
    return IntersectionQuery(first.query, second.query, answers)


def find_compositions(
    graph: GraphReads,
    kept: Iterable[KeptQuery],
    relations: Sequence[AskedRelation],
    inverses: Collection[tuple[int, int]],
    rule: KeepRule,
    day: str = "",
) -> Iterator[CompositionQuery]:
    """Give each kept query joined to another relation of its answers, with enough values.

    The other one must be a relation of answers of the same type, and neither the same property nor
    its inverse, which would lead back. Values are those of all answers, with evidence or not.
    """
    for each in kept:
        base = each.query
        reachable = {
            other.property: other
            # one of the very type last, so that its wording is taken
            for other in sorted(relations, key=lambda one: one.type is not None)
            if other.type in (base.relation.type, None)
            and other.property != base.relation.property
            and (other.property, base.relation.property) not in inverses
        }
        links: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for item in base.answers:
            for prop, value in _list_values(graph.find_statements(item), reachable, day):
                links[prop][value].append(item)
        for prop, found in sorted(links.items()):
            if rule.least <= len(found) <= _MOST_READ:
                rows = tuple((value, tuple(items)) for value, items in sorted(found.items()))
                yield CompositionQuery(base, reachable[prop], rows)


def _list_values(
    statements: Sequence[StatementOf], relations: Mapping[int, AskedRelation], day: str
) -> Iterator[tuple[int, int]]:
    said = dict.fromkeys((each.property, each.value) for each in statements)
    for prop, value in said:
        relation = relations.get(prop)
        if relation and (relation.time == ANY_TIME or holds_on(statements, prop, value, day)):
            yield prop, value


def keep_composition(
    query: CompositionQuery, is_supported: IsSupported, rule: KeepRule
) -> CompositionQuery | str:
    """Return the query with its answers that have evidence for both steps, or why it is none."""
    base = query.base
    rows = [
        (value, own)
        for value, items in query.links
        if (
            own := tuple(
                item
                for item in items
                if is_supported(Triple(base.relation, item, base.subject))
                and is_supported(Triple(query.relation, item, value))
            )
        )
    ]
    proven = {value for value, _ in rows}
    unproven = tuple(value for value in query.answers if value not in proven)
    problem = find_keep_problem(len(rows), len(query.links), rule)
    return problem or CompositionQuery(base, query.relation, tuple(rows), unproven)


def find_keep_problem(supported: int, everything: int, rule: KeepRule) -> str:
    """Return why this many answers with evidence, of all, make no question; "" if they do."""
    if supported < rule.least:
        return TOO_FEW
    if supported > rule.most:
        return TOO_MANY
    # 4 of 5 is 80 %, whatever the binary fraction of 0.8 is.
    if supported + 1e-9 < rule.share * everything:
        return TOO_LITTLE_EVIDENCE
    return ""
