import json
import re

import pytest

from natural_questions import records
from natural_questions.annotation import Path
from tests.natural_questions import samples


@pytest.fixture
def record():
    return samples.original()


def test_an_original_record_is_read_with_tokens_and_bytes(record):
    found = records.parse_line(samples.line(record))
    assert (found.form, found.external_id, found.title) == ("original", "41", "Pump Lane")
    assert [each.path for each in found.annotations] == [Path.SHORT, Path.LONG_ONLY, Path.NO_LONG]
    html = samples.HTML.encode()
    years = [html[each.start_byte : each.end_byte] for each in found.annotations[0].short]
    assert years == [b"1902", b"1931"]
    tokens = records.token_texts(found.data)
    assert records.text_at(tokens, found.annotations[0].long).startswith("Pump Lane is a short")
    assert found.data["annotations"] == []


def test_an_original_record_comes_out_as_it_went_in(record):
    raw = samples.line(record)
    found = records.parse_line(raw)
    assert (
        records.encode_record(records.build_record(found.data, found.annotations, "original"))
        == raw
    )


def test_an_original_record_is_simplified_without_its_bytes(record):
    found = records.parse_line(samples.line(record))
    small = records.build_record(found.data, found.annotations, "simplified")
    assert "byte" not in json.dumps(small)
    assert small["document_text"].split(" ")[:4] == ["<H1>", "Pump", "Lane", "</H1>"]
    again = records.parse_line(records.encode_record(small).strip())
    assert again.form == "simplified"
    places = [[each.long.place, *(s.place for s in each.short)] for each in found.annotations]
    assert places == [
        [each.long.place, *(s.place for s in each.short)] for each in again.annotations
    ]
    assert records.build_record(again.data, again.annotations, "simplified") == small


def test_what_was_simplified_has_no_bytes_in_the_original_form(record):
    found = records.parse_line(samples.line(record))
    small = records.parse_line(
        records.encode_record(
            records.build_record(found.data, found.annotations, "simplified")
        ).strip()
    )
    back = records.build_record(small.data, small.annotations, "original")
    assert back["annotations"][0]["long_answer"]["start_byte"] == -1
    assert back["annotations"][0]["long_answer"]["start_token"] == 4
    again = records.parse_line(records.encode_record(back).strip())
    assert again.annotations == small.annotations


def test_ids_that_are_texts_stay_texts(record):
    record["example_id"] = "41"
    record["annotations"][0]["annotation_id"] = "7001"
    found = records.parse_line(samples.line(record))
    written = records.build_record(found.data, found.annotations[:1], "original")
    assert written["annotations"][0]["annotation_id"] == "7001"


def changed(record, path, value):
    *parts, last = path
    inner = record
    for part in parts:
        inner = inner[part]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return samples.line(record)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["document_html"], None, "The record has no page."),
        (["example_id"], None, "“example_id” is missing."),
        (["example_id"], 1.5, "“example_id” should be a number or a short text, and is the number"),
        (["question_text"], " ", "The question is empty."),
        (["document_tokens"], [], "“document_tokens” is empty."),
        (["document_tokens", 3, "token"], 4, "Token 3 has no “token”"),
        (["document_tokens", 3, "end_byte"], 99_999, "Token 3: “end_byte” is 99,999, and the page"),
        (["document_tokens", 3, "start_byte"], "x", "Token 3: “start_byte” should be a whole"),
        (["document_tokens", 2, "start_byte"], 0, "Token 2 begins before"),
        (["long_answer_candidates"], None, "“long_answer_candidates” is missing."),
        (
            ["long_answer_candidates", 1, "start_token"],
            900,
            "Candidate 1: “start_token” 900 should",
        ),
        (["long_answer_candidates", 1], {}, "Candidate 1 is nowhere"),
        (["annotations"], 3, "“annotations” should be a list"),
        (["annotations", 0, "yes_no_answer"], "MAYBE", "Annotation 1: “yes_no_answer” should be"),
        (["annotations", 0, "long_answer"], "x", "Annotation 1: “long_answer” should be an object"),
        (["annotations", 0, "long_answer", "candidate_index"], 1, "candidate 1 at"),
        (["annotations", 0, "long_answer", "candidate_index"], 90, "the record has 7 candidates"),
        (["annotations", 1, "yes_no_answer"], "YES", None),
        (["annotations", 0, "yes_no_answer"], "YES", "Annotation 1: Choose either yes or no"),
        (["annotations", 2, "yes_no_answer"], "YES", "Annotation 3: A short answer needs a long"),
        (["annotations", 0, "short_answers", 0, "end_token"], 2, "Annotation 1: short answer 1: “"),
        (["annotations", 0, "annotation_id"], [], "Annotation 1: “annotation_id” should be"),
    ],
)
def test_bad_records_are_refused_with_the_place(record, path, value, sentence):
    raw = changed(record, path, value)
    if sentence is None:
        assert records.parse_line(raw)
        return
    with pytest.raises(ValueError, match=re.escape(sentence)):
        records.parse_line(raw)


def test_a_short_answer_outside_the_long_answer_is_refused(record):
    outside = samples.place(record["document_tokens"], "seven")
    record["annotations"][0]["short_answers"] = [outside]
    with pytest.raises(ValueError, match="Annotation 1: The short answer is not inside"):
        records.parse_line(samples.line(record))


@pytest.mark.realdata
def test_the_released_sample_comes_out_byte_for_byte(realdata):
    path = realdata / "nq/simplified_sample.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    for raw in path.read_bytes().splitlines():
        found = records.parse_line(raw)
        assert found.form == "simplified"
        assert (
            records.encode_record(records.build_record(found.data, found.annotations, "simplified"))
            == raw
        )
