"""Questions in words, and the relations that come with Ambit."""

import json
from dataclasses import replace

import pytest

from qampari.making import wording
from qampari.making.queries import CompositionQuery, IntersectionQuery, SimpleQuery, Triple
from qampari.making.relations import (
    BadRelation,
    key_of_relation,
    list_shipped_relations,
    preview_question,
    read_relation,
    write_relation,
)
from wikipedia.wikidata.properties import ASKED

SHIPPED = {key_of_relation(relation): relation for relation in list_shipped_relations()}
CROSSES, DESIGNED = SHIPPED["P177/Q12280"], SHIPPED["P84/Q811979"]
NAMES = {1: "the Aldwater", 2: "Hallam & Sons", 3: "Castle Bridge"}
ACROSS = SimpleQuery(CROSSES, 1, (3,))


def test_a_simple_question_and_what_a_sentence_has_to_show():
    assert wording.write_simple(ACROSS, NAMES).text == "Which bridges cross the Aldwater?"
    said = wording.write_statement(Triple(CROSSES, 3, 1), NAMES)
    assert said == "Castle Bridge crosses the Aldwater."


def test_an_intersection_of_the_same_things_is_one_sentence():
    by = SimpleQuery(replace(DESIGNED, noun="bridges"), 2, (3,))
    asked = wording.write_intersection(IntersectionQuery(ACROSS, by, (3,)), NAMES)
    assert asked.text == ("Which bridges cross the Aldwater and were designed by Hallam & Sons?")
    assert not asked.needs_paraphrase


def test_an_intersection_of_people_asks_who():
    won = SimpleQuery(SHIPPED["P166/Q5"], 1, (3,))
    taught = SimpleQuery(SHIPPED["P108/Q5"], 2, (3,))
    asked = wording.write_intersection(IntersectionQuery(won, taught, (3,)), NAMES)
    assert asked.text == ("Who have received the award the Aldwater and worked for Hallam & Sons?")


def test_an_intersection_of_other_things_is_to_be_paraphrased():
    asked = wording.write_intersection(
        IntersectionQuery(ACROSS, SimpleQuery(DESIGNED, 2, (3,)), (3,)), NAMES
    )
    assert asked.text == (
        "Which bridges cross the Aldwater and also were designed by Hallam & Sons?"
    )
    assert asked.needs_paraphrase


def test_a_composition_asks_for_the_values():
    query = CompositionQuery(ACROSS, DESIGNED, ((2, (3,)),))
    assert wording.write_composition(query, NAMES).text == (
        "What are the architects of the bridges that cross the Aldwater?"
    )


def test_a_name_with_braces_stays_a_name():
    names = {1: "{answer} {subject}", 3: "A {subject} B"}
    said = wording.write_statement(Triple(CROSSES, 3, 1), names)
    assert said == "A {subject} B crosses {answer} {subject}."


def test_subjects_of_one_name_are_told_apart():
    labels = {1: "Java", 2: "java", 3: "Bali"}
    said = wording.name_subjects(labels, {1: "island", 2: None, 3: "island"})
    assert said == {1: "Java (island)", 2: "java", 3: "Bali"}


@pytest.mark.parametrize(
    ("names", "named"),
    [
        (["Aldwater"], True),
        (["The Aldwater!"], True),
        (["Ald"], False),
        (["bridge"], False),
        ([], False),
    ],
)
def test_a_question_that_names_its_answer(names, named):
    assert wording.has_name_in_question("Which bridges cross the Aldwater?", names) is named


def test_what_comes_with_ambit_is_worded_and_kept_by_a_graph():
    assert len(SHIPPED) == len(list_shipped_relations()) >= 40
    assert {relation.property for relation in SHIPPED.values()} <= set(ASKED)
    for relation in SHIPPED.values():
        assert read_relation(json.loads(json.dumps(write_relation(relation)))) == relation
        asked = preview_question(relation, "Aldwater")
        assert asked[0].isupper()
        assert asked.endswith("?")
        assert relation.noun == "people" or relation.noun in asked or relation.type is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"question": "Which bridges?"}, "question of P177/Q12280 needs {subject} once"),
        ({"question": "Which {subject} cross {subject}?"}, "needs {subject} once"),
        ({"question": "Which {type} cross {subject}?"}, "has {type}, which stands for nothing"),
        ({"question": "Which bridges cross {subject}"}, "does not end with “\\?”"),
        ({"question": "<b>Which</b> cross {subject}?"}, "signs that belong in no sentence"),
        ({"question": "Which {bridges cross {subject}?"}, "brace that is not closed"),
        ({"question": "Which bridges\u202e cross {subject}?"}, "signs that belong in no sentence"),
        ({"statement": "{answer} crosses it."}, "statement of P177/Q12280 needs {subject}"),
        ({"noun": ""}, "noun of P177/Q12280 is empty"),
        ({"noun": "x" * 301}, "longer than 300"),
        ({"property": 177}, "“177” is no property"),
        ({"property": "P0"}, "“P0” is no property"),
        ({"type": "bridge"}, "“bridge” is no type"),
        ({"time": "now"}, "Use any or day"),
        ({"halves": "A"}, "has no “halves”"),
    ],
)
def test_a_wrong_wording_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(BadRelation, match=sentence):
        read_relation(write_relation(CROSSES) | changes)
