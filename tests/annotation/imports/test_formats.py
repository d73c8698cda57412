"""Readers of question files: exact values, every bad line with its number, bounded memory."""

import contextlib
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.imports import formats
from annotation.imports.arrays import split_array
from annotation.imports.detection import detect_file
from annotation.imports.formats import BadLine, QuestionRecord, ReadRecord, WrongFormat
from annotation.imports.nq_open import made_id
from annotation.protocols import registry as protocols

PEERS = "or Label Studio export or doccano export."
GOOD = {"id": "a1", "question": "who built the thames tunnel"}


def read(content, format="jsonl"):
    return list(formats.read_records(io.BytesIO(content), format))


def line(data):
    return json.dumps(data).encode() + b"\n"


def only_problem(content, format="jsonl"):
    """The single BadLine of a file, as (line, reason)."""
    [found] = [item for item in read(content, format) if isinstance(item.found, BadLine)]
    return found.line, found.found.reason


def test_nq_open_makes_the_id_from_the_text():
    text = "who wrote he ain't heavy he's my brother lyrics"
    [item] = read(line({"question": text, "answer": ["Bobby Scott", "Bob Russell"]}), "nq-open")
    assert item == ReadRecord(
        1, 1, QuestionRecord(made_id(text), text, None, ("Bobby Scott", "Bob Russell"), {})
    )
    # The id written out, so that a change of its making cannot go unseen.
    assert made_id("abc") == "nq-open-ba7816bf8f01cfea"


def test_nq_open_keeps_an_id_that_is_there():
    [item] = read(line({"id": "-12", "question": "q", "answer": []}), "nq-open")
    assert item.found.external_id == "-12"


def test_jsonl_reads_every_field_and_keeps_the_rest():
    data = {
        **GOOD,
        "split": "test",
        "answers": ["Brunel"],
        "context": {"page": "Thames Tunnel"},
        "source": {"note": [1, None, True]},
    }
    [item] = read(line(data))
    assert item.found == QuestionRecord(
        "a1",
        "who built the thames tunnel",
        "test",
        ("Brunel",),
        {"source": {"note": [1, None, True]}, "page": "Thames Tunnel"},
    )


def test_ambignq_reads_light_and_full():
    annotations = [
        {"type": "singleAnswer", "answer": ["1843"]},
        {"type": "multipleQAs", "qaPairs": [{"question": "When?", "answer": ["a", "b"]}]},
        {"type": "noAnswer"},
    ]
    full = {
        "id": "-1",
        "question": "When?",
        "annotations": annotations,
        "nq_answer": ["1843"],
        "nq_doc_title": "Thames Tunnel",
        "viewed_doc_titles": ["Thames Tunnel"],
        "used_queries": [{"query": "q", "results": [{"title": "t", "snippet": "<b>s</b>"}]}],
    }
    light = {"id": "2", "question": "Who?", "annotations": annotations}
    one, two = read(json.dumps([full, light]).encode(), "ambignq")
    assert one.found.known_answers == ("1843",)
    assert one.found.context == {
        key: full[key]
        for key in ("annotations", "nq_doc_title", "viewed_doc_titles", "used_queries")
    }
    assert two == ReadRecord(
        2, 1, QuestionRecord("2", "Who?", None, (), {"annotations": annotations})
    )


def test_bom_crlf_blank_lines_and_line_separators():
    text = "one\u2028two\u0085three"
    raw = json.dumps({"id": "b", "question": text}, ensure_ascii=False).encode()
    content = b"\xef\xbb\xbf" + line(GOOD).replace(b"\n", b"\r\n") + b"\r\n   \n" + raw
    first, second = read(content)
    assert (first.line, first.found.external_id) == (1, "a1")
    assert (second.number, second.line, second.found.text) == (2, 4, text)


def test_the_text_stays_exactly_as_it_stands():
    text = "  who\tis ‘she’ e\u0301 🚇  "
    [item] = read(line({"id": " x ", "question": text}))
    assert item.found.text == text
    assert item.found.external_id == " x "


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"id": "x", "question": "caf\xe9"}', "Byte 29 (0xe9) is not UTF-8"),
        (b'{"id": "x", "question": ', "It is not JSON"),
        (b"[1]", "It should be an object, and is a list."),
        (b"null", "It should be an object, and is null."),
        (b'{"question": "q"}', "“id” is missing."),
        (b'{"question": "q", "answer": []}', "“id” is missing. This looks like NQ-open JSONL."),
        (b'{"id": "x"}', "“question” is missing."),
        (b'{"id": 12, "question": "q"}', "“id” should be text in quotes, and is the number 12."),
        (b'{"id": "x", "question": ["q"]}', "“question” should be text in quotes, and is a list."),
        (b'{"id": "x", "question": " \\n "}', "The question is empty."),
        (b'{"id": "", "question": "q"}', "“id” is empty."),
        (b'{"id": "a\\nb", "question": "q"}', "“id” holds an invisible character"),
        (b'{"id": "x", "question": "a\\u0000b"}', "“question” holds a NUL character."),
        (b'{"id": "x", "question": "a\x00b"}', "It holds a NUL character."),
        (b'{"id": "x", "question": "q", "extra": ["\\u0000"]}', "“extra” holds a NUL character."),
        (b'{"id": "x", "question": "q", "\\u0000": 1}', "A key holds a NUL character."),
        (b'{"id": "x", "question": "\\ud800"}', "It is not JSON"),
        (b'{"id": "x", "question": "q", "n": NaN}', "It is not JSON"),
        (b'{"id": "x", "question": "q", "split": "nope"}', "“split” is “nope”. It should be train"),
        (b'{"id": "x", "question": "q", "answers": "a"}', "“answers” should be a list"),
        (b'{"id": "x", "question": "q", "answers": [1]}', "“answers” should be text in quotes"),
        (b'{"id": "x", "question": "q", "context": 3}', "“context” should be an object"),
        (b'{"id": "%s", "question": "q"}' % (b"x" * 201), "“id” has 201 characters."),
        (b'{"id": "x", "question": "%s"}' % (b"x" * 2001), "The question has 2,001 characters."),
        (b'{"id": "x", "question": "q", "d": %s}' % (b"[" * 60 + b"]" * 60), "levels deep"),
    ],
)
def test_a_bad_line_is_reported_and_only_it(bad, reason):
    content = line(GOOD) + bad + b"\n" + line({**GOOD, "id": "a2"})
    number, found = only_problem(content)
    assert number == 2
    assert reason in found
    assert [item.found.external_id for item in read(content) if item.number != 2] == ["a1", "a2"]


def test_a_line_of_ten_megabytes_is_refused_without_being_held():
    class Long(io.RawIOBase):
        """Ten megabytes that exist only as they are read."""

        parts = [line(GOOD), *[b"x" * 100_000] * 100, b"\n", line({**GOOD, "id": "a2"})]

        def __init__(self):
            self.left = list(self.parts)

        def readable(self):
            return True

        def seekable(self):
            return True

        def seek(self, offset, whence=0):
            self.left = list(self.parts)
            return 0

        def readinto(self, buffer):
            if not self.left:
                return 0
            part = self.left.pop(0)
            size = min(len(part), len(buffer))
            buffer[:size] = part[:size]
            if part[size:]:
                self.left.insert(0, part[size:])
            return size

    tracemalloc.start()
    found = list(formats.read_records(io.BufferedReader(Long()), "jsonl"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [item.line for item in found] == [1, 2, 3]
    assert "longer than 1 MB" in found[1].found.reason
    assert found[2].found.external_id == "a2"
    assert peak < 6_000_000


def record(number, **extra):
    return {"id": f"r{number}", "question": f"What is {number}?", "annotations": [], **extra}


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 1 << 16])
@pytest.mark.parametrize("indent", [None, 1])
def test_the_array_is_cut_the_same_at_any_chunk_size(monkeypatch, chunk, indent):
    monkeypatch.setattr("annotation.imports.arrays.CHUNK", chunk)
    tricky = [
        record(1, note='a "quoted" \\ [bracket], {brace} \\\\'),
        record(2, note=["\\", "]", "}", '"', ","]),
        record(3, note={"deep": [[{"a": "\u2028\n"}]]}),
    ]
    content = json.dumps(tricky, indent=indent).encode()
    found = read(content, "ambignq")
    assert [item.found.external_id for item in found] == ["r1", "r2", "r3"]
    assert [item.found.context["note"] for item in found] == [data["note"] for data in tricky]
    if indent:
        starts = [
            number
            for number, text in enumerate(content.decode().split("\n"), start=1)
            if text == " {"
        ]
        assert [item.line for item in found] == starts


@pytest.mark.parametrize("chunk", [1, 5, 1 << 16])
def test_bad_records_of_an_array_say_which(monkeypatch, chunk):
    monkeypatch.setattr("annotation.imports.arrays.CHUNK", chunk)
    content = b"[\n%s,\n{bad},\n%s,\n%s\n]" % (
        json.dumps(record(1)).encode(),
        b'{"id": "r3", "question": "caf\xe9"}',
        json.dumps(record(4)).encode(),
    )
    found = read(content, "ambignq")
    assert [item.line for item in found] == [2, 3, 4, 5]
    assert found[1].found.reason.startswith("Record 2: It is not JSON")
    assert found[2].found.reason.startswith("Record 3: Byte 30 (0xe9) is not UTF-8")
    assert found[3].found.external_id == "r4"


@pytest.mark.parametrize(
    ("content", "ids", "reason"),
    [
        (b'[{"id": "a", "question": "q"}, {"id": "b", "que', ["a"], "in the middle of this"),
        (b'[{"id": "a", "question": "q"}', [], "in the middle of this record"),
        (b'[{"id": "a", "question": "q"},', ["a"], "before its closing bracket"),
        (b'[{"id": "a", "question": "q"}, ]', ["a"], "no record between two commas"),
        (b'[{"id": "a", "question": "q"}] [1]', ["a"], "more after the closing bracket"),
    ],
)
def test_an_array_that_ends_badly_loses_nothing_good(content, ids, reason):
    found = read(content, "ambignq")
    good = [item.found.external_id for item in found if isinstance(item.found, QuestionRecord)]
    assert good == ids
    assert reason in found[-1].found.reason


def test_a_huge_record_of_an_array_is_passed_over():
    content = b'[%s,\n{"id": "big", "question": "q", "x": "%s"},\n%s]' % (
        json.dumps(record(1)).encode(),
        b'\\"],{' * 500_000,
        json.dumps(record(3)).encode(),
    )
    found = read(content, "ambignq")
    assert [item.line for item in found] == [1, 2, 3]
    assert "Record 2: It is longer than 1 MB" in found[1].found.reason
    assert found[2].found.external_id == "r3"


@pytest.mark.parametrize(
    ("content", "format", "sentence"),
    [
        (b"", "jsonl", "The file is empty."),
        (b"\n \n\r\n", "jsonl", "The file holds only blank lines."),
        (b"\n" * 5000, "jsonl", "The file holds no records."),
        (b"[]", "ambignq", "The file holds no records."),
        (b"\x1f\x8b\x08\x00", "nq-open", "packed (gzip)"),
        ('{"id": "a"}'.encode("utf-16"), "jsonl", "UTF-16"),
        (b"<!doctype html><html>", "jsonl", "looks like a web page"),
        (b'[{"id": "a"}]', "nq-open", "looks like one JSON array"),
        (b'{"id": "a"}\n', "ambignq", "looks like JSONL"),
        (b'{"dev": {"1": {}}}', "ambignq", "one JSON object with a part"),
        (b"id,question\n1,who\n", "jsonl", "This file begins “id,question”."),
        (b"id,question\n1,who\n", "ambignq", "This file begins “id,question”."),
    ],
)
def test_another_format_is_refused_by_name(content, format, sentence):
    with pytest.raises(WrongFormat) as refused:
        read(content, format)
    assert sentence in str(refused.value)


def test_one_damaged_first_line_is_not_another_format():
    assert only_problem(b"\xff\xff garbage\n" + line(GOOD))[0] == 1


@pytest.mark.parametrize(
    "annotations",
    [
        3,
        [3],
        [{"answer": []}],
        [{"type": "other"}],
        [{"type": "singleAnswer"}],
        [{"type": "singleAnswer", "answer": "x"}],
        [{"type": "multipleQAs", "qaPairs": {}}],
        [{"type": "multipleQAs", "qaPairs": [{"question": 1, "answer": []}]}],
        [{"type": "multipleQAs", "qaPairs": [{"question": "q"}]}],
    ],
)
def test_broken_annotations_of_ambignq_are_reported(annotations):
    content = json.dumps([record(1) | {"annotations": annotations}]).encode()
    number, reason = only_problem(content, "ambignq")
    assert number == 1
    assert reason.startswith("Record 1: “")


def test_count_leaves_the_file_at_its_start():
    file = io.BytesIO(line(GOOD) * 3 + b"\n")
    assert formats.count_records(file, "jsonl") == 3
    assert file.tell() == 0


def test_fingerprints_tell_records_apart():
    same = QuestionRecord("a", "q", None, (), {"x": 1, "y": 2})
    assert same.fingerprint() == QuestionRecord("a", "q", None, (), {"y": 2, "x": 1}).fingerprint()
    assert same.fingerprint() != QuestionRecord("a", "q", "dev", (), {"x": 1, "y": 2}).fingerprint()


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(
    data=st.lists(st.dictionaries(texts, values, max_size=3), max_size=6),
    chunk=st.integers(1, 40),
    indent=st.sampled_from([None, 0, 3]),
    ascii_only=st.booleans(),
)
def test_any_array_is_cut_as_json_reads_it(data, chunk, indent, ascii_only):
    content = json.dumps(data, indent=indent, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.imports.arrays.CHUNK", chunk)
        pieces = list(split_array(io.BytesIO(content)))
    assert [json.loads(piece.found) for piece in pieces] == data


@given(content=st.binary(max_size=300), chunk=st.integers(1, 40))
def test_no_bytes_break_the_readers(content, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.imports.arrays.CHUNK", chunk)
        for format, start in (("ambignq", b"["), ("jsonl", b"{"), ("nq-open", b"{")):
            with contextlib.suppress(WrongFormat):
                for item in formats.read_records(io.BytesIO(start + content), format):
                    assert isinstance(item.found, BadLine | QuestionRecord)


ARRAY, LINES, PARTS = b"[{}]", b'{"id": "a"}\n', b'{"dev": {"1": {}}}'


@pytest.mark.parametrize(
    ("protocol", "content", "format", "advice"),
    [
        ("ambigqa", ARRAY, "jsonl", f"Choose AmbigNQ {PEERS}"),
        ("ambigqa", LINES, "ambignq", "Choose NQ-open JSONL or doccano export or Plain JSONL."),
        ("ambigqa", LINES, "table", "Choose NQ-open JSONL or doccano export or Plain JSONL."),
        (
            "ambigqa",
            PARTS,
            "jsonl",
            "NQ-open JSONL, AmbigNQ, Label Studio export, doccano export, ",
        ),
        ("asqa", PARTS, "ambignq", "Choose ASQA."),
        ("nq", ARRAY, "natural-questions", "This project reads Natural Questions."),
        ("nq", PARTS, "natural-questions", "This project reads Natural Questions."),
        ("qampari", ARRAY, "qampari", f"Choose QAMPARI for readers {PEERS}"),
        ("qampari", LINES, "qampari-readers", "Choose QAMPARI JSONL or doccano export."),
    ],
)
def test_a_refused_file_names_what_its_project_reads(protocol, content, format, advice):
    offered = protocols.get_protocol(protocol).imports.formats
    with pytest.raises(WrongFormat) as refused:
        read(content, format)
    said = formats.explain_refusal(refused.value, offered)
    assert said.startswith("This looks like")
    assert advice in said
    others = [
        formats.all_formats()[key].label for key in formats.all_formats() if key not in offered
    ]
    assert [label for label in others if label.partition(",")[0] in said] == []


def test_what_is_no_format_at_all_gets_no_advice():
    with pytest.raises(WrongFormat) as refused:
        read(b"", "jsonl")
    assert formats.explain_refusal(refused.value, ["jsonl"]) == "The file is empty."


NQ_OPEN = [
    {"question": "who ran it", "answer": ["a", "b"]},
    {"id": "x", "question": "when", "answer": []},
]


def test_nq_open_is_read_in_lines_and_as_an_array_with_ids_and_without():
    """A69: lines by their format, an array by its keys, which become the same."""
    lines = io.BytesIO("\n".join(map(json.dumps, NQ_OPEN)).encode())
    known = detect_file(lines).known
    assert known is not None
    assert known.format == "nq-open"
    mapped = detect_file(io.BytesIO(json.dumps(NQ_OPEN).encode())).mapped
    assert mapped is not None
    array = io.BytesIO(json.dumps(NQ_OPEN).encode())
    for file, reading in ((lines, known), (array, mapped)):
        found = [read.found for read in formats.read_records(file, reading.as_format())]
        assert [each.known_answers for each in found] == [("a", "b"), ()]
        assert [each.text for each in found] == ["who ran it", "when"]
        assert found[1].external_id == "x"
