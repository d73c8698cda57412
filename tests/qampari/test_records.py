"""QAMPARI's records, read and written."""

import json
import re

import pytest

from qampari import formats, records
from qampari.records import Proof, RecordAnswer


def line(**changes):
    data = {
        "qid": "7__wikidata_comp__dev",
        "question_text": "Where are the bridges that John Rennie designed?",
        "answer_list": [
            {
                "answer_text": "Kelso",
                "aid": "7__0",
                "answer_url": "https://example.org/Kelso",
                "aliases": ["Kelso", "the town of Kelso"],
                "proof": [
                    {"proof_text": "It is at Kelso.", "found_in_url": "https://x.org", "pid": "p0"}
                ],
            },
            {"answer_text": "London"},
        ],
        "entities": [{"entity_text": "John Rennie"}],
    }
    return json.dumps(data | changes).encode()


def test_reads_an_official_record():
    found = records.parse_record(line())
    assert (found.external_id, found.split) == ("7__wikidata_comp__dev", "dev")
    record = records.of_context(found.external_id, found.text, found.context)
    assert (record.kind, record.source) == ("composition", "Wikidata")
    proof = Proof("It is at Kelso.", "https://x.org", "p0")
    first = RecordAnswer(
        "Kelso", ("Kelso", "the town of Kelso"), "7__0", "https://example.org/Kelso", (proof,)
    )
    assert record.answers == (first, RecordAnswer("London"))
    assert first.forms == ("Kelso", "the town of Kelso")


def test_the_official_record_comes_out_as_it_went_in():
    found = records.parse_record(line())
    out = records.official_of(found.external_id, found.text, found.context, {0, 1})
    assert out == json.loads(line())
    assert [row["answer_text"] for row in without_first(found)["answer_list"]] == ["London"]


def without_first(found):
    return records.official_of(found.external_id, found.text, found.context, {1})


@pytest.mark.parametrize("example", [formats.OFFICIAL, formats.READERS], ids=lambda f: f.key)
def test_the_examples_can_be_read(example):
    data = json.loads(example.example)
    [record] = data if isinstance(data, list) else [data]
    assert [answer.text for answer in records.record_of(record).answers] == [
        "Kelso Bridge",
        "Waterloo Bridge",
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"qid": ""}, "“qid” is empty."),
        ({"question_text": " "}, "The question is empty."),
        ({"answer_list": []}, "It has no answers. A question needs at least one."),
        ({"answer_list": "Kelso"}, "“answer_list” should be a list, and is “Kelso”."),
        ({"answer_list": [{}]}, "Answer 1: “answer_text” is missing."),
        (
            {"answer_list": [{"answer_text": "x" * 2001}]},
            "Answer 1: “answer_text” has 2,001 characters. The maximum is 2,000.",
        ),
        (
            {"answer_list": [{"answer_text": "Kelso", "aliases": "Kelso"}]},
            "Answer 1: “aliases” should be a list, and is “Kelso”.",
        ),
        (
            {"answer_list": [{"answer_text": "Kelso", "proof": [{}]}]},
            "Answer 1: Proof 1: “proof_text” is missing.",
        ),
    ],
)
def test_a_broken_record_is_explained(change, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        records.parse_record(line(**change))


def test_neither_form_is_explained():
    with pytest.raises(ValueError, match="“answer_list” is missing"):
        records.parse_record(b'{"id": "1", "question": "Which?"}')


@pytest.mark.parametrize(
    ("qid", "kind", "source", "split"),
    [
        ("1__wikidata_simple__train", "simple", "Wikidata", "train"),
        ("1__wikidata_intersection__dev", "intersection", "Wikidata", "dev"),
        ("1__wikidata_comp__test", "composition", "Wikidata", "test"),
        ("1__wikitables_composition__dev", "composition", "Wikipedia tables", "dev"),
        ("anything", "other", "", None),
        ("1__wikidata_simple__later", "simple", "Wikidata", None),
    ],
)
def test_the_id_says_kind_source_and_split(qid, kind, source, split):
    assert records.kind_of(qid) == kind
    assert records.source_of(qid) == source
    assert records.split_of(qid) == split


def test_answers_that_share_a_form_are_one():
    answers = [
        RecordAnswer("The Kelso"),
        RecordAnswer("Leeds"),
        RecordAnswer("Kelso!"),
        RecordAnswer("x", ("leeds",)),
    ]
    assert records.count_distinct_answers(answers) == 2
    assert (
        records.count_distinct_answers(
            [RecordAnswer("a b"), RecordAnswer("c", ("d",)), RecordAnswer("a b", ("c",))]
        )
        == 1
    )
    assert (
        records.count_distinct_answers([])
        == records.count_distinct_answers([RecordAnswer("")])
        == 0
    )


def test_readers_form_becomes_official_and_the_other_way_round():
    data = {"answers": [["Kelso", "the town"], ["Leeds"]], "answer": "Kelso, Leeds."}
    out = records.official_of("1", "Where?", data, {0})
    assert out["answer_list"] == [
        {"answer_text": "Kelso", "aid": "1__0", "aliases": ["Kelso", "the town"], "proof": []}
    ]
    back = records.readers_of("1", "Where?", out, {0})
    assert back == {
        "id": "1",
        "question": "Where?",
        "answers": [["Kelso", "the town"]],
        "answer": "Kelso.",
    }
    assert records.readers_of("1", "Where?", data, {0, 1})["answer"] == data["answer"]
