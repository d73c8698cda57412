"""Which split a made question is in, and which questions are drawn. Pure.

Source: QAMPARI, section 2.4 (Q17): relations are halved at random, and questions of one half are
dev and test. As the paper has it, an intersection of a relation of each half is for training, which
lets a test relation in; the strict rule leaves such questions out. Relations that say the same the
other way round share a half.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.core.refusals import Conflict
from qampari.making.queries import CompositionQuery, IntersectionQuery, SimpleQuery
from qampari.making.relations import key_of_relation
from qampari.records import COMPOSITION, INTERSECTION, SIMPLE

GraphQuery = SimpleQuery | IntersectionQuery | CompositionQuery
TRAIN, DEV, TEST = "train", "dev", "test"
STRICT, PAPER = "strict", "paper"
RULES: Final[Mapping[str, str]] = {
    STRICT: "Strict: no relation of train is in dev or test",
    PAPER: "As the paper: mixed intersections are for training",
}
MIXED, OTHER_SIDE = "mixed_halves", "subject_of_other_half"


@dataclass(frozen=True, slots=True)
class DrawPlan:
    """How many questions are drawn. sizes: by split and kind; most_of_relation: in train."""

    sizes: Mapping[str, Mapping[str, int]]
    most_of_relation: int = 1_000


@dataclass(frozen=True, slots=True)
class Shortfall:
    """That fewer questions of a kind can be drawn for a split than were asked for."""

    split: str
    kind: str
    wanted: int
    drawn: int


def halve_relations(
    properties: Collection[int], inverses: Collection[tuple[int, int]], seed: int
) -> dict[int, str]:
    """Return TRAIN or TEST for each property: halves as equal as groups of inverses allow.

    Raises Conflict where there is one group only, so that one half would be empty.
    """
    groups = _group(properties, inverses)
    if len(groups) < 2:
        raise Conflict("Choose at least two relations that are not inverse: one for each half.")
    halves: dict[int, str] = {}
    sizes = {TRAIN: 0, TEST: 0}
    drawn = sorted(groups, key=lambda own: (-len(own), draw_key(seed, "half", own[0])))
    for own in drawn:
        half = min((TRAIN, TEST), key=lambda one: (sizes[one], draw_key(seed, one, own[0])))
        sizes[half] += len(own)
        halves |= dict.fromkeys(own, half)
    return dict(sorted(halves.items()))


def _group(
    properties: Collection[int], inverses: Collection[tuple[int, int]]
) -> list[tuple[int, ...]]:
    leader = {each: each for each in properties}

    def find(one: int) -> int:
        while leader[one] != one:
            one = leader[one]
        return one

    for first, second in sorted(inverses):
        if first in leader and second in leader:
            low, high = sorted((find(first), find(second)))
            leader[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for each in sorted(properties):
        groups[find(each)].append(each)
    return [tuple(own) for own in groups.values()]


def list_properties(query: GraphQuery) -> tuple[int, ...]:
    """Return the properties that a question is about, one or two."""
    if isinstance(query, SimpleQuery):
        return (query.relation.property,)
    if isinstance(query, IntersectionQuery):
        return (query.first.relation.property, query.second.relation.property)
    return (query.base.relation.property, query.relation.property)


def list_subjects(query: GraphQuery) -> tuple[int, ...]:
    """Return the entities that a question is about, one or two."""
    if isinstance(query, SimpleQuery):
        return (query.subject,)
    if isinstance(query, IntersectionQuery):
        return (query.first.subject, query.second.subject)
    return (query.base.subject,)


def kind_of_query(query: GraphQuery) -> str:
    """Return SIMPLE, INTERSECTION or COMPOSITION."""
    if isinstance(query, SimpleQuery):
        return SIMPLE
    return INTERSECTION if isinstance(query, IntersectionQuery) else COMPOSITION


def assign_half(query: GraphQuery, halves: Mapping[int, str], rule: str) -> str:
    """Return TRAIN or TEST (for dev and test), "" where the strict rule leaves the question out.

    A composition is tested where any of its relations is, an intersection where both are.
    """
    own = {halves[each] for each in list_properties(query)}
    if len(own) == 1:
        return own.pop()
    if isinstance(query, CompositionQuery):
        return TEST
    return "" if rule == STRICT else TRAIN


def pool_queries(
    queries: Iterable[GraphQuery],
    halves: Mapping[int, str],
    rule: str,
    seed: int,
    *,
    subjects_apart: bool = False,
) -> tuple[dict[str, dict[str, list[GraphQuery]]], Counter[str]]:
    """Return questions by half and kind, and how many are in none, by reason.

    subjects_apart: leave out questions about an entity that the seed puts on the other side, so
    that nothing that train asks about is asked about in dev or test.
    """
    pools: dict[str, dict[str, list[GraphQuery]]] = {
        half: {kind: [] for kind in (SIMPLE, INTERSECTION, COMPOSITION)} for half in (TRAIN, TEST)
    }
    left_out: Counter[str] = Counter()
    for query in queries:
        half = assign_half(query, halves, rule)
        if not half:
            left_out[MIXED] += 1
        elif subjects_apart and any(
            _side_of(subject, seed) != half for subject in list_subjects(query)
        ):
            left_out[OTHER_SIDE] += 1
        else:
            pools[half][kind_of_query(query)].append(query)
    return pools, left_out


def _side_of(subject: int, seed: int) -> str:
    return (TRAIN, TEST)[draw_key(seed, "subject", subject)[0] % 2]


def key_of_query(query: GraphQuery) -> str:
    """Return what tells a query from others: its ids, whatever its answers are."""
    if isinstance(query, SimpleQuery):
        return f"{key_of_relation(query.relation)} Q{query.subject}"
    if isinstance(query, IntersectionQuery):
        return " & ".join(sorted(map(key_of_query, (query.first, query.second))))
    return f"{key_of_relation(query.relation)} of {key_of_query(query.base)}"


def draw_queries(
    pools: Mapping[str, Mapping[str, Sequence[GraphQuery]]], plan: DrawPlan, seed: int
) -> tuple[dict[str, list[GraphQuery]], list[Shortfall]]:
    """Return the questions of train, dev and test, and what could not be drawn.

    pools: the questions by half (TRAIN, TEST) and kind. Simple questions of dev and test are drawn
    from each relation in turn, so that each has nearly as many; the others by the seed alone, as
    the paper has them. train has at most `plan.most_of_relation` of a relation, counted by its
    first one.
    """
    drawn: dict[str, list[GraphQuery]] = {TRAIN: [], DEV: [], TEST: []}
    short: list[Shortfall] = []
    for kind in (SIMPLE, INTERSECTION, COMPOSITION):
        learnt = _shuffled(pools.get(TRAIN, {}).get(kind, ()), seed)
        given = _cut_by_relation(learnt, plan.most_of_relation)
        _take(given, TRAIN, kind, plan, drawn, short)
        rest = _shuffled(pools.get(TEST, {}).get(kind, ()), seed)
        for split in (TEST, DEV):
            ordered = _take_turns(rest) if kind == SIMPLE else rest
            taken = _take(ordered, split, kind, plan, drawn, short)
            rest = [query for query in rest if query not in taken]
    return drawn, short


def _take(
    queries: Sequence[GraphQuery],
    split: str,
    kind: str,
    plan: DrawPlan,
    drawn: dict[str, list[GraphQuery]],
    short: list[Shortfall],
) -> set[GraphQuery]:
    wanted = plan.sizes.get(split, {}).get(kind, 0)
    taken = queries[:wanted]
    drawn[split] += taken
    if len(taken) < wanted:
        short.append(Shortfall(split, kind, wanted, len(taken)))
    return set(taken)


def _cut_by_relation(queries: Iterable[GraphQuery], most: int) -> list[GraphQuery]:
    seen: Counter[int] = Counter()
    kept = []
    for query in queries:
        first = list_properties(query)[0]
        seen[first] += 1
        if seen[first] <= most:
            kept.append(query)
    return kept


def _take_turns(queries: Sequence[GraphQuery]) -> list[GraphQuery]:
    """Return questions so that each relation comes once before any comes again."""
    turns: Counter[int] = Counter()
    placed = []
    for place, query in enumerate(queries):
        first = list_properties(query)[0]
        placed.append((turns[first], place, query))
        turns[first] += 1
    return [query for _, _, query in sorted(placed, key=lambda row: row[:2])]


def _shuffled(queries: Iterable[GraphQuery], seed: int) -> list[GraphQuery]:
    """Return questions in an order that the seed decides, whatever order they came in."""
    return sorted(queries, key=lambda query: draw_key(seed, key_of_query(query)))


def draw_key(seed: int, *words: object) -> bytes:
    """Return what things are sorted by to be drawn at random, in any order they come in."""
    return hashlib.sha256(" ".join(map(str, (seed, *words))).encode()).digest()
