"""Splits by relation, and what is drawn for them."""

import random
from collections import Counter

import pytest

from annotation.core.refusals import Conflict
from qampari.making.queries import CompositionQuery, IntersectionQuery, SimpleQuery
from qampari.making.sharing import count_shared
from qampari.making.splitting import (
    DEV,
    MIXED,
    OTHER_SIDE,
    PAPER,
    STRICT,
    TEST,
    TRAIN,
    DrawPlan,
    Shortfall,
    assign_half,
    draw_queries,
    halve_relations,
    key_of_query,
    list_properties,
    list_subjects,
    pool_queries,
)
from tests.qampari.making.graphs import relation

INVERSES = {(1, 2), (2, 1), (2, 7), (7, 2), (30, 31), (31, 30)}
PLAN = DrawPlan(
    {
        TRAIN: {"simple": 2_500, "intersection": 200, "composition": 300},
        DEV: {"simple": 150, "intersection": 30, "composition": 40},
        TEST: {"simple": 160, "intersection": 30, "composition": 40},
    },
    most_of_relation=130,
)


def drawn_queries(count, seed=3):
    """Return simple queries, intersections and compositions of 40 relations."""
    draw = random.Random(seed)
    relations = [relation(number) for number in range(1, 41)]

    def simple():
        answers = sorted(draw.sample(range(1_000, 1_400), 6))
        return SimpleQuery(draw.choice(relations), draw.randrange(100, 900), tuple(answers))

    queries = {}
    while len(queries) < count:
        kind = draw.random()
        if kind < 0.6:
            query = simple()
        elif kind < 0.8:
            query = IntersectionQuery(simple(), simple(), simple().answers)
        else:
            links = tuple((value, (1_000,)) for value in simple().answers)
            query = CompositionQuery(simple(), draw.choice(relations), links)
        queries[key_of_query(query)] = query
    return list(queries.values())


def draw_all(queries, *, seed=1, rule=STRICT, apart=False):
    halves = halve_relations(range(1, 41), INVERSES, seed)
    pools, left_out = pool_queries(queries, halves, rule, seed, subjects_apart=apart)
    return halves, left_out, *draw_queries(pools, PLAN, seed)


def test_no_relation_nor_its_inverse_is_on_both_sides():
    queries = drawn_queries(10_000)
    halves, left_out, drawn, short = draw_all(queries)
    assert halves[1] == halves[2] == halves[7]
    assert halves[30] == halves[31]
    assert Counter(halves.values()) == {TRAIN: 20, TEST: 20}
    tested = {
        one for half in (DEV, TEST) for query in drawn[half] for one in list_properties(query)
    }
    assert not any(halves[one] == TEST for query in drawn[TRAIN] for one in list_properties(query))
    learnt = {one for query in drawn[TRAIN] for one in list_properties(query)}
    assert not any((a, b) in INVERSES for a in learnt for b in tested if halves[b] == TEST)
    assert left_out[MIXED] > 500
    shared = count_shared(drawn)
    assert (shared.relations, shared.questions) == (0, 0)
    assert min(shared.subjects, shared.answers) > 0
    assert short == []
    assert {split: len(own) for split, own in drawn.items()} == {
        split: sum(PLAN.sizes[split].values()) for split in (TRAIN, DEV, TEST)
    }
    keys = [key_of_query(query) for own in drawn.values() for query in own]
    assert len(set(keys)) == len(keys)


def test_simple_questions_are_even_over_relations():
    _, _, drawn, _ = draw_all(drawn_queries(10_000))
    for split in (DEV, TEST):
        own = [one for one in drawn[split] if isinstance(one, SimpleQuery)]
        often = Counter(query.relation.property for query in own)
        assert max(often.values()) - min(often.values()) <= 1
    trained = Counter(
        list_properties(query)[0] for query in drawn[TRAIN] if isinstance(query, SimpleQuery)
    )
    assert max(trained.values()) == 130


def test_the_seed_decides_and_the_order_does_not():
    queries = drawn_queries(2_000)
    first, turned, other = (
        draw_all(own, seed=seed)[2]
        for own, seed in ((queries, 1), (queries[::-1], 1), (queries, 2))
    )
    assert first == turned
    assert first != other


def test_the_papers_rule_trains_on_a_mixed_intersection():
    first, second = SimpleQuery(relation(1), 9, (1, 2)), SimpleQuery(relation(2), 9, (1, 2))
    halves = {1: TRAIN, 2: TEST}
    mixed = IntersectionQuery(first, second, (1, 2))
    assert assign_half(mixed, halves, PAPER) == TRAIN
    assert assign_half(mixed, halves, STRICT) == ""
    assert assign_half(IntersectionQuery(second, second, (1,)), halves, PAPER) == TEST
    composed = CompositionQuery(first, relation(2), ((1, (1,)),))
    assert [assign_half(composed, halves, rule) for rule in (PAPER, STRICT)] == [TEST, TEST]
    _, _, drawn, _ = draw_all(drawn_queries(10_000), rule=PAPER)
    assert count_shared(drawn).relations > 0


def test_what_is_asked_about_can_be_kept_apart_too():
    queries = drawn_queries(10_000)
    _, _, usual, _ = draw_all(queries)
    _, left_out, apart, short = draw_all(queries, apart=True)
    assert count_shared(usual).subjects > 0
    assert count_shared(apart).subjects == 0
    assert left_out[OTHER_SIDE] > 0
    assert all(one.drawn < one.wanted for one in short)
    assert {subject for query in apart[TRAIN] for subject in list_subjects(query)}


def test_too_few_questions_are_named():
    queries = [one for one in drawn_queries(400) if isinstance(one, SimpleQuery)]
    _, _, drawn, short = draw_all(queries)
    assert Shortfall(TEST, "intersection", 30, 0) in short
    counted = {(one.split, one.kind): one for one in short}
    assert counted[TRAIN, "simple"].drawn == len(drawn[TRAIN])


def test_one_relation_cannot_be_halved():
    with pytest.raises(Conflict, match="at least two relations"):
        halve_relations([1, 2], INVERSES, 1)
