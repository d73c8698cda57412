"""ASQA's files: the released object, cut as it is read, and JSONL."""

import contextlib
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.imports import formats
from annotation.imports.formats import BadLine, QuestionRecord, ReadRecord, WrongFormat
from annotation.imports.parts import split_parts

PAIR = {"question": "When for walkers?", "short_answers": ["1843", "in 1843"]}


def read(content, format="asqa"):
    return list(formats.read_records(io.BytesIO(content), format))


def record(text="When did it open?", **more):
    return {
        "ambiguous_question": text,
        "qa_pairs": [{**PAIR, "context": None, "wikipage": None}],
        "wikipages": [{"title": "Tunnel", "url": None}],
        "annotations": [{"long_answer": "It did. ", "knowledge": []}],
    } | more


def released(**splits):
    return json.dumps(splits).encode()


def problems(content):
    return [
        (each.line, each.found.reason) for each in read(content) if isinstance(each.found, BadLine)
    ]


def good(content):
    return [
        (each.found.split, each.found.external_id)
        for each in read(content)
        if isinstance(each.found, QuestionRecord)
    ]


def test_the_released_object_names_splits_and_ids():
    whole = record(other={"kept": [1, None]})
    content = json.dumps({"train": {"-7": whole}, "dev": {"8": record("Who?")}}, indent=1).encode()
    one, two = read(content)
    context = {key: value for key, value in whole.items() if key != "ambiguous_question"}
    assert one == ReadRecord(1, 3, QuestionRecord("-7", "When did it open?", "train", (), context))
    assert (two.number, two.found.split, two.found.text) == (2, "dev", "Who?")
    assert content.decode().split("\n")[two.line - 1].strip().startswith('"8"')
    assert list(two.found.context) == ["qa_pairs", "wikipages", "annotations"]


def test_jsonl_has_the_id_in_each_line():
    lines = [{"sample_id": "a", "split": "test", **record()}, {"sample_id": "b", **record()}]
    one, two = read(b"\n".join(json.dumps(each).encode() for each in lines))
    assert (one.line, one.found.external_id, one.found.split) == (1, "a", "test")
    assert (two.line, two.found.external_id, two.found.split) == (2, "b", None)
    assert "sample_id" not in one.found.context
    assert one.found.context == two.found.context


def test_every_text_stays_as_it_is():
    texts = [" a ", "“é”\u2028", "e\u0301", "tab\t", '"\\', "", "𝔘"]
    came = record(
        "  who‽ ",
        qa_pairs=[{"question": text, "short_answers": texts, "context": text} for text in texts],
        annotations=[
            {"long_answer": text, "knowledge": [{"content": None, "wikipage": text}]}
            for text in texts
        ],
    )
    [found] = read(released(dev={"ä ö": came}))
    assert (found.found.external_id, found.found.text) == ("ä ö", "  who‽ ")
    assert found.found.context == {k: v for k, v in came.items() if k != "ambiguous_question"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"ambiguous_question": " "}, "The question is empty."),
        ({"ambiguous_question": None}, "“ambiguous_question” should be text in quotes"),
        ({"qa_pairs": {}}, "“qa_pairs” should be a list, and is an object."),
        ({"qa_pairs": []}, "“qa_pairs” is empty. A question needs at least one pair."),
        ({"qa_pairs": [3]}, "“qa_pairs” should hold objects, and holds the number 3."),
        ({"qa_pairs": [PAIR, {"question": "q"}]}, "Pair 2: “short_answers” should hold at least"),
        ({"qa_pairs": [{**PAIR, "short_answers": "a"}]}, "Pair 1: “short_answers” should be a li"),
        ({"qa_pairs": [{**PAIR, "short_answers": [1]}]}, "Pair 1: “short_answers” should be text"),
        ({"qa_pairs": [{"short_answers": ["a"]}]}, "Pair 1: “question” is missing."),
        ({"qa_pairs": [{**PAIR, "context": 3}]}, "Pair 1: “context” should be text in quotes"),
        ({"qa_pairs": [{**PAIR, "wikipage": []}]}, "Pair 1: “wikipage” should be text in quotes"),
        ({"wikipages": [{"url": "u"}]}, "Page 1: “title” is missing."),
        ({"wikipages": [{"title": "t", "url": 1}]}, "Page 1: “url” should be text in quotes"),
        ({"annotations": [{}]}, "Annotation 1: “long_answer” is missing."),
        ({"annotations": [{"long_answer": None}]}, "Annotation 1: “long_answer” should be text"),
        (
            {"annotations": [{"long_answer": "a", "knowledge": [{"content": 1}]}]},
            "Annotation 1: knowledge 1: “content” should be text in quotes, and is the number 1.",
        ),
        (
            {"annotations": [{"long_answer": "a", "knowledge": [{"wikipage": {}}]}]},
            "Annotation 1: knowledge 1: “wikipage” should be text",
        ),
        ({"extra": "a\0b"}, "“extra” holds a NUL character."),
    ],
)
def test_a_bad_record_is_named_by_number_and_id_and_only_it(more, reason):
    content = json.dumps({"dev": {"a": record(), "b": record(**more), "c": record()}}, indent=0)
    [(line, found)] = problems(content.encode())
    assert found.startswith("Record 2, “b”: ")
    assert reason in found
    assert content.split("\n")[line - 1].startswith('"b"')
    assert good(content.encode()) == [("dev", "a"), ("dev", "c")]


def test_what_may_be_left_out_or_null():
    slim = {"ambiguous_question": "Who?", "qa_pairs": [PAIR]}
    assert good(released(dev={"a": slim})) == [("dev", "a")]
    nulls = record(annotations=[{"long_answer": "", "knowledge": [{"content": None}]}])
    assert good(released(dev={"a": nulls})) == [("dev", "a")]


GOOD = json.dumps(record()).encode()


@pytest.mark.parametrize(
    ("content", "ids", "reasons"),
    [
        (b'{"dev": {"a": %s, "b": {"ambig', ["a"], ["Record 2, “b”: The file ends in the middle"]),
        (b'{"dev": {"a": %s', [], ["in the middle of this record"]),
        (b'{"dev": {"a": %s,', ["a"], ["before its closing bracket “}”"]),
        (b'{"dev": {"a": %s}', ["a"], ["before its closing bracket “}”"]),
        (b'{"dev": {"a": %s}, "tr', ["a"], ["in the middle of this record"]),
        (b'{"dev": {"a": %s, }}', ["a"], ["Record 2: There is no record between two commas"]),
        (b'{"dev": {,"a": %s}}', ["a"], ["Record 1: There is no record between two commas"]),
        (b'{"dev": {"a": %s},}', ["a"], ["There is no record between two commas"]),
        (b'{"dev": {"a": %s}} {}', ["a"], ["more after the closing bracket “}” of the object"]),
        (b'{"dev": {"a": %s}, "test": 3}', ["a"], ["should be an object with a record for each"]),
        (b'{"test": [1, 2], "dev": {"a": %s}}', ["a"], ["this one is a list"]),
        (b'{"dev": {"a": %s}, "all": {"b": {}, "c": 1}}', ["a"], ["“all” is not a split."]),
        (b'{"all": {"b": {"c": [}, "dev": {"a": %s}}', [], ["“all” is not a split."]),
        (b'{"dev": {"a": %s} "train": {}}', ["a"], ["no comma between this part"]),
        (b'{"dev": {"a": %s, 3}}', ["a"], ["It is not JSON"]),
        (b'{"dev": {"a": %s, "b": 3}}', ["a"], ["Record 2, “b”: The record should be an object"]),
        (b'{"dev": {"a": %s, "": {}}}', ["a"], ["“id” is empty."]),
        (b'{"dev": {"a": %s, "b\\n": {}}}', ["a"], ["“id” holds an invisible character"]),
    ],
)
@pytest.mark.parametrize("chunk", [1, 7, 1 << 16])
def test_a_file_that_is_broken_loses_nothing_good(monkeypatch, chunk, content, ids, reasons):
    monkeypatch.setattr("annotation.imports.arrays.CHUNK", chunk)
    content = content % GOOD
    assert [external_id for _, external_id in good(content)] == ids
    found = "\n".join(reason for _, reason in problems(content))
    for reason in reasons:
        assert reason in found


def test_an_unknown_part_is_named_once_and_its_records_are_not_read():
    content = released(validation={str(n): record() for n in range(5)}, dev={"a": record()})
    assert [reason for _, reason in problems(content)] == [
        "“validation” is not a split. An ASQA file has the parts train, dev and test; the records "
        "of "
        "this one were not read."
    ]
    assert good(content) == [("dev", "a")]


def test_a_huge_record_is_passed_over():
    big = record(note='\\"],{}' * 400_000)
    content = json.dumps({"dev": {"a": record(), "big": big, "c": record()}}, indent=0).encode()
    [(_, reason)] = problems(content)
    assert reason.startswith("Record 2, “big”: It is longer than 1 MB")
    assert good(content) == [("dev", "a"), ("dev", "c")]


def test_a_large_file_holds_one_record_in_memory():
    entry = b'"%d": ' + GOOD
    content = b'{"dev": {' + b",\n".join(entry % number for number in range(20_000)) + b"}}"
    file = io.BytesIO(content)
    tracemalloc.start()
    count = sum(
        isinstance(each.found, QuestionRecord) for each in formats.read_records(file, "asqa")
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (count, len(content) > 5_000_000) == (20_000, True)
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("content", "format", "sentence"),
    [
        (b"", "asqa", "The file is empty."),
        (b"{}", "asqa", "The file holds no records."),
        (b'{"dev": {}}', "asqa", "The file holds no records."),
        (b"[{}]", "asqa", "looks like one JSON array."),
        (b"id,question\n", "asqa", "This file begins “id,question”."),
        (b'{"dev": {"1": {}}}', "ambignq", "a part for each split."),
        (b'{"dev": {"1": {}}}', "jsonl", "a part for each split."),
    ],
)
def test_another_format_is_refused_by_name(content, format, sentence):
    with pytest.raises(WrongFormat) as refused:
        read(content, format)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("line", "format", "sentence"),
    [
        ({"id": "a", "question": "q"}, "asqa", "“sample_id” is missing. This looks like plain"),
        ({"ambiguous_question": "q"}, "asqa", "“sample_id” is missing."),
        ({"sample_id": "a", "split": "all"}, "asqa", "“split” is “all”. It should be train"),
        ({"sample_id": "a", **record()}, "jsonl", "“id” is missing. This looks like ASQA JSONL."),
    ],
)
def test_a_line_of_another_layout_says_so(line, format, sentence):
    [found] = read(json.dumps(line).encode(), format)
    assert sentence in found.found.reason


def test_count_leaves_the_file_at_its_start():
    file = io.BytesIO(released(train={"a": record()}, dev={"b": {}, "c": 3}))
    assert formats.count_records(file, "asqa") == 3
    assert file.tell() == 0


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(
    data=st.dictionaries(
        st.sampled_from(["train", "dev", "test"]), st.dictionaries(texts, values, max_size=4)
    ),
    chunk=st.integers(1, 40),
    indent=st.sampled_from([None, 0, 3]),
    ascii_only=st.booleans(),
)
def test_any_object_is_cut_as_json_reads_it(data, chunk, indent, ascii_only):
    content = json.dumps(data, indent=indent, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.imports.arrays.CHUNK", chunk)
        pieces = list(split_parts(io.BytesIO(content)))
    found = {split: {} for split in data}
    for piece in pieces:
        found[piece.split].update(json.loads(piece.found))
    assert found == data


@given(content=st.binary(max_size=300), chunk=st.integers(1, 40))
def test_no_bytes_break_the_reader(content, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.imports.arrays.CHUNK", chunk)
        for start in (b"{", b'{"dev": {', b'{"dev": {"a": {', b'{"x": {}, "dev": ['):
            with contextlib.suppress(WrongFormat):
                for item in formats.read_records(io.BytesIO(start + content), "asqa"):
                    assert isinstance(item.found, BadLine | QuestionRecord)
