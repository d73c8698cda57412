"""Queries are what set algebra says they are, on graphs drawn at random."""

import os
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qampari.making.facts_in_time import holds_on
from qampari.making.queries import (
    TOO_FEW,
    TOO_LITTLE_EVIDENCE,
    TOO_MANY,
    WITHIN,
    CompositionQuery,
    KeepRule,
    KeptQuery,
    SimpleQuery,
    Triple,
    find_compositions,
    find_intersections,
    find_simple_queries,
    keep_composition,
    keep_simple,
)
from tests.qampari.making.graphs import MemoryGraph, relation, statement

GRAPHS = 2_000 if os.environ.get("AMBIT_SLOW") else 700
RULE = KeepRule(least=2, most=6, share=0.6)
RELATIONS = [relation(prop) for prop in (1, 2, 3)]

triples = st.sets(
    st.tuples(st.sampled_from([1, 2, 3]), st.integers(1, 12), st.integers(1, 14)), max_size=70
)


def is_supported_by(number):
    """Return a verdict for each triple that only depends on the triple."""
    return lambda one: (one.relation.property * 7 + one.item * 5 + one.value * 3) % 10 < number


def build_kept(graph, is_supported):
    kept, dropped = [], Counter()
    for own in RELATIONS:
        for query in find_simple_queries(graph, own, RULE):
            supported = {x for x in query.answers if is_supported(Triple(own, x, query.subject))}
            found = keep_simple(query, supported, RULE)
            if isinstance(found, str):
                dropped[found] += 1
            else:
                kept.append(found)
    return kept, dropped


def denote(facts):
    """Return {(property, value): items}, as plain sets."""
    denoted = {}
    for prop, value, item in facts:
        denoted.setdefault((prop, value), set()).add(item)
    return denoted


@settings(max_examples=GRAPHS, deadline=None)
@given(facts=triples, level=st.integers(5, 10))
def test_simple_queries_and_intersections_are_set_algebra(facts, level):
    is_supported = is_supported_by(level)
    kept, dropped = build_kept(MemoryGraph(facts), is_supported)
    by_number = {own.property: own for own in RELATIONS}
    expected, reasons = {}, Counter()
    for (prop, value), items in denote(facts).items():
        if len(items) < 2:
            continue
        good = {x for x in items if is_supported(Triple(by_number[prop], x, value))}
        if len(good) < 2:
            reasons[TOO_FEW] += 1
        elif len(good) > 6:
            reasons[TOO_MANY] += 1
        elif 10 * len(good) < 6 * len(items):
            reasons[TOO_LITTLE_EVIDENCE] += 1
        else:
            expected[prop, value] = (items, good)
    said = {
        (one.query.relation.property, one.query.subject): (
            set(one.query.answers),
            set(one.supported),
        )
        for one in kept
    }
    assert (said, dropped) == (expected, reasons)

    left_out = Counter()
    found = {
        frozenset((each.relation.property, each.subject) for each in (one.first, one.second)): set(
            one.answers
        )
        for one in find_intersections(kept, RULE, left_out)
    }
    crossing, within = {}, 0
    for (first, a), (second, b) in combinations(expected.items(), 2):
        both = a[1] & b[1]
        if len(both) < 2:
            continue
        if a[1] <= b[1] or b[1] <= a[1] or a[0] <= b[0] or b[0] <= a[0]:
            within += 1
        else:
            crossing[frozenset((first, second))] = both
    assert found == crossing
    assert left_out[WITHIN] == within


@settings(max_examples=GRAPHS, deadline=None)
@given(facts=triples, level=st.integers(5, 10), inverse=st.sampled_from([(), ((1, 2), (2, 1))]))
def test_compositions_are_set_algebra(facts, level, inverse):
    is_supported, graph = is_supported_by(level), MemoryGraph(facts)
    kept, _ = build_kept(graph, is_supported)
    found = {}
    for query in find_compositions(graph, kept, RELATIONS, inverse, RULE):
        good = keep_composition(query, is_supported, RULE)
        if isinstance(good, CompositionQuery):
            base = good.base
            found[base.relation.property, base.subject, good.relation.property] = good.links
    by_number = {own.property: own for own in RELATIONS}
    expected, denoted = {}, denote(facts)
    for one in kept:
        prop, subject = one.query.relation.property, one.query.subject
        for other in (1, 2, 3):
            if other == prop or (other, prop) in inverse:
                continue
            values = {v for p, v, x in facts if p == other and x in one.query.answers}
            if len(values) < 2:
                continue
            links = {
                value: tuple(
                    sorted(
                        x
                        for x in denoted[other, value]
                        if x in one.supported and is_supported(Triple(by_number[other], x, value))
                    )
                )
                for value in values
            }
            good = {value: items for value, items in links.items() if items}
            if 2 <= len(good) <= 6 and 10 * len(good) >= 6 * len(values):
                expected[prop, subject, other] = tuple(sorted(good.items()))
    assert found == expected


def kept_of(prop, subject, answers, supported=None):
    query = SimpleQuery(relation(prop), subject, tuple(answers))
    return KeptQuery(query, tuple(answers if supported is None else supported))


def test_a_question_within_another_is_no_intersection():
    """Albums by a singer of which some are by one label, and that label has no others here."""
    by_singer, by_label = kept_of(1, 90, range(1, 9)), kept_of(2, 91, range(1, 6))
    left_out = Counter()
    assert list(find_intersections([by_singer, by_label], KeepRule(), left_out)) == []
    assert left_out == {WITHIN: 1}


def test_evidence_alone_does_not_make_two_questions_of_one():
    """By the graph one holds the other, though the missing evidence hides it."""
    wide = kept_of(1, 90, range(1, 12), supported=[*range(1, 6), 7, 8, 9, 10])
    narrow = kept_of(2, 91, range(1, 8), supported=range(1, 7))
    assert list(find_intersections([wide, narrow], KeepRule())) == []


@pytest.mark.parametrize(
    ("supported", "of", "said"),
    [
        (4, 5, TOO_FEW),
        (5, 6, ""),
        (5, 7, TOO_LITTLE_EVIDENCE),
        (8, 10, ""),
        (200, 250, ""),
        (201, 251, TOO_MANY),
    ],
)
def test_the_paper_keeps_5_to_200_answers_that_are_80_percent(supported, of, said):
    query = SimpleQuery(relation(1), 9, tuple(range(of)))
    found = keep_simple(query, range(supported), KeepRule())
    assert (found if isinstance(found, str) else "") == said


def test_only_answers_of_the_type_count():
    facts = [(1, 9, item) for item in range(10, 17)] + [(31, 500, item) for item in range(10, 15)]
    (query,) = find_simple_queries(MemoryGraph(facts), relation(1, type_id=500), KeepRule())
    assert query.answers == tuple(range(10, 15))


def test_facts_that_have_ended_count_at_any_time_alone():
    said = [statement(1, 9, item) for item in range(10, 15)]
    said += [statement(1, 9, 15, end="1999"), statement(1, 9, 16, start="2030-01")]
    graph = MemoryGraph(said)
    (ever,) = find_simple_queries(graph, relation(1), KeepRule())
    (now,) = find_simple_queries(graph, relation(1, time="day"), KeepRule(), "2024-01-02")
    assert (ever.answers, now.answers) == (tuple(range(10, 17)), tuple(range(10, 15)))


@pytest.mark.parametrize(
    ("times", "holds"),
    [
        ({}, True),
        ({"start": "2023"}, True),
        ({"start": "2024"}, True),
        ({"start": "2024-02"}, False),
        ({"start": "-0044"}, True),
        ({"end": "2024"}, False),
        ({"end": "2024-01-02"}, False),
        ({"end": "2024-01-03"}, True),
        ({"end": "2025"}, True),
        ({"end": "-0044"}, False),
        ({"end": ""}, False),
    ],
)
def test_what_was_true_on_a_day(times, holds):
    assert holds_on([statement(1, 9, 10, **times)], 1, 9, "2024-01-02") is holds


def test_a_preferred_fact_hides_the_others_while_it_holds():
    said = [statement(1, 9, 10), statement(1, 8, 10, rank=1, end="2020")]
    assert holds_on(said, 1, 9, "2024-01-02")
    said.append(statement(1, 7, 10, rank=1))
    assert [value for value in (7, 8, 9) if holds_on(said, 1, value, "2024-01-02")] == [7]
