"""Every way in which a file can be laid out, and everything that only looks like a file of
questions."""

import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.imports.answers import list_answers
from annotation.imports.columns import (
    ColumnMapping,
    changes_from_json,
    mapping_from_json,
    propose_mapping,
    read_mapped,
)
from annotation.imports.detection import (
    HEAD,
    detect_file,
    reading_from_json,
)
from annotation.imports.encoded_file import decode_file
from annotation.imports.formats import all_formats, read_records
from annotation.imports.records import BadLine, QuestionRecord, WrongFormat
from annotation.imports.shapes import FileShape, Unreadable, cut_file

Q = {"question": "Who?"}


def detect(content):
    return detect_file(io.BytesIO(content if isinstance(content, bytes) else content.encode()))


def texts(content):
    """The texts of the first questions by the columns of the file."""
    found = detect(content)
    return [each.found.text for each in found.preview_records(found.mapped)]


@pytest.mark.parametrize(
    ("content", "container", "expected"),
    [
        ('{"question": "Who?"}\n{"question": "When?"}', "lines", ["Who?", "When?"]),
        ('"Who?"\n"When, and why?"\n', "lines", ["Who?", "When, and why?"]),
        ('[{"question": "Who?"}]', "array", ["Who?"]),
        ('["Who?", "When?"]', "array", ["Who?", "When?"]),
        ('{"version": 1, "data": [{"question": "Who?"}]}', "nested", ["Who?"]),
        (
            '{\n "meta": {"a": [1, {"b": []}]},\n "items": [\n {"text": "Who?"}]}',
            "nested",
            ["Who?"],
        ),
        ('{"questions": ["Who?", "When?"], "n": 2}', "nested", ["Who?", "When?"]),
        ('{\n  "question": "Who?",\n  "answers": ["a"]\n}\n', "object", ["Who?"]),
        ('{"answers": ["a", "b"], "question": "Who?"}', "lines", ["Who?"]),
        ('{"id": "x", "question": "Whi\n{"id": "y", "question": "Who?"}\n', "lines", ["Who?"]),
        ("question\nWho, then?\n", "table", ["Who, then?"]),
        ("id,question\n1,Who?\n", "table", ["Who?"]),
        ("id;text;note\n1;Who, and why?;a\n", "table", ["Who, and why?"]),
        ("sep=;\nnr;text\n1;Who?\n", "table", ["Who?"]),
        ("a\tb\n1\tWho?\n2\tWhen?\n", "table", ["Who?", "When?"]),
        ("Who?\tBrunel\nWhen?\t1843\n", "table", ["Who?", "When?"]),
        ('id,question\n1,"Who,\nand why?"\n', "table", ["Who,\nand why?"]),
        ("\ufeffid,question\r\n1,Who?\r\n", "table", ["Who?"]),
        ("Who, and why?\nWhere is it\n", "text", ["Who, and why?", "Where is it"]),
        ("[1] Who?\n[2] When?\n", "text", ["[1] Who?", "[2] When?"]),
        ("<b> is what tag?\n", "text", ["<b> is what tag?"]),
        ("Who?", "text", ["Who?"]),
    ],
)
def test_how_a_file_is_laid_out(content, container, expected):
    found = detect(content)
    assert found.mapped.shape.container == container
    read = [each.found for each in found.preview_records(found.mapped)]
    assert [each.text for each in read if isinstance(each, QuestionRecord)] == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_what_excel_saves_as_unicode_text_is_read(encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    content = f"{mark}nr\tfrage\r\n1\tWo fährt die Fähre?\r\n".encode(encoding)
    found = detect(content)
    assert texts(content) == ["Wo fährt die Fähre?"]
    kind = found.mapped.as_format()
    assert [each.line for each in read_records(io.BytesIO(content), kind)] == [2]


def test_every_released_format_is_recognised_from_its_example():
    for key, format in all_formats().items():
        found = detect(format.example)
        if format.is_like is not None:
            assert found.known is not None
            assert found.known.format == key
        else:
            assert key in ("jsonl", "table")
            assert found.known is None
        read = found.preview_records(found.known or found.mapped)
        assert all(isinstance(each.found, QuestionRecord) for each in read)
        assert read


def test_what_is_read_survives_being_stored():
    for content in ("id;frage;set\n1;Wer?;eval\n", '{"question": "a", "answer": ["b"]}'):
        found = detect(content)
        reading = found.known or found.mapped
        again = reading_from_json(json.loads(json.dumps(reading.as_json())))
        assert again == reading
        assert found.preview_records(again) == found.preview_records(reading)


def workbook():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<Types/>")
        archive.writestr(zipfile.ZipInfo("xl/workbook.xml"), "<workbook/>")
    return file.getvalue()


def archive(name="questions.csv"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(zipfile.ZipInfo(name), "id,question\n")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf", "The file is empty|only blank lines"),
        (b"\n \n", "only blank lines"),
        (workbook(), "It is an Excel workbook. In Excel choose Save as, then “CSV UTF-8”"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "It is an Excel workbook"),
        (archive(), "It is a ZIP archive. Unpack it"),
        (b"PK\x03\x04" + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "OpenDocument"),
        (b"PAR1" + bytes(40), "It is a Parquet file. Save it as JSONL first: .*read_parquet"),
        (gzip.compress(b"PAR1" + bytes(40), mtime=0), "It is a Parquet file"),
        (gzip.compress(b'{"question": "a"}', mtime=0)[:-9], "damaged or cut off"),
        (b"%PDF-1.7\n", "It is a PDF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "It is not a text file"),
        (bytes(range(256)) * 20, "It is "),
        (b"Who\x00?\nWhen?\n", "It is not a text file"),
        (b"<!DOCTYPE html>\n<p>", "a web page or XML"),
        ("a\nb".encode("utf-32"), "written in UTF-32"),
        ("id;frage\n1;Wo fährt sie?\n".encode("cp1252"), "not written in UTF-8. Line 2 holds"),
        ("frage\nWo?\n".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        (b"[" * 100_000, "JSON without a record that can be read"),
        (b"[1, 2]", "JSON without a record that can be read. It should be an object"),
        (b'{"question": "' + b"a" * (HEAD + 9), "Plain JSONL without a record that can be read"),
        (b"a" * 1_000_001, "It is longer than 1 MB"),
        (b"id,question\n", "a row with the names of its columns, and no other"),
    ],
)
def test_what_is_no_file_of_questions_is_named_with_what_to_do(content, sentence):
    with pytest.raises(WrongFormat, match=sentence):
        detect(content)


def test_only_the_head_of_a_large_file_is_read():
    class Counting(io.BytesIO):
        taken = 0

        def read(self, size=-1):
            data = super().read(size)
            self.taken += len(data)
            return data

    file = Counting(b'{"question": "Who built it, and when?"}\n' * 200_000)
    found = detect_file(file)
    assert len(found.preview_records(found.mapped)) == 5
    assert file.taken < 2 * HEAD
    assert file.tell() == 0
    assert not found.whole


def test_a_record_that_is_cut_off_with_the_head_is_not_shown():
    lines = b'{"question": "%s?"}\n' % (b"a" * 1_500)
    found = detect(lines * (HEAD // len(lines)) + b'{"question": "b?"}')
    assert all(
        isinstance(each.found, QuestionRecord) for each in found.preview_records(found.mapped)
    )


def test_a_nested_list_is_cut_in_bounded_memory_and_every_fault_is_named():
    shape = FileShape("nested", key="data")

    def cut(text):
        return [
            each.found if isinstance(each.found, bytes) else each.found.reason[:20]
            for each in cut_file(io.BytesIO(text.encode()), shape)
        ]

    assert cut('{"a": [1, [2]], "data": [{"x": [1]}, {}], "b": [3]}') == [b'{"x": [1]}', b"{}"]
    assert cut('{"data": []}') == []
    assert cut('{"data": [{}, ]}') == [b"{}", "There is no record b"]
    assert cut('{"data": [{}, {') == [b"{}", "The file ends in the"]
    assert cut('{"other": [{}]}') == ["The file has no list"]
    assert cut('{"data": [{}]} x') == [b"{}", "There is more after "]
    long = json.dumps({"skip": "a" * 1_200_000, "data": [{"a": "b" * 1_200_000}, {"c": 1}]})
    assert cut(long) == ["It is longer than 1 ", b'{"c": 1}']


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_recognised_or_refused(content):
    for start in (b"", b"{", b"[", b"id,question\n", b'{"data": [', b"\x1f\x8b", b"\xff\xfe"):
        try:
            found = detect_file(io.BytesIO(start + content))
        except WrongFormat:
            continue
        for reading in (found.known, found.mapped):
            if reading is not None and (reading.mapping is None or reading.mapping.uses):
                found.preview_records(reading)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(-1, 9), max_size=12))
def test_a_decoded_file_reads_as_utf_8_would(text, sizes):
    plain = io.BytesIO(text.replace("\r", "").encode())
    other = decode_file(io.BytesIO(text.replace("\r", "").encode("utf-16-le")), "utf-16-le")
    for size in sizes:
        assert other.readline(size) == plain.readline(size)
    assert other.read() == plain.read()


# --- columns --------------------------------------------------------------------------------------


def propose(*records, names=None):
    names = names or list(dict.fromkeys(name for record in records for name in record))
    mapping = propose_mapping(names, records)
    return {name: use for name, use in mapping.uses.items() if use != "keep"}, mapping.splits


@pytest.mark.parametrize(
    ("records", "uses"),
    [
        ([{"Frage": "Wer?", "Nr.": 1}], {"Frage": "question", "Nr.": "id"}),
        ([{"text": "a", "question": "b"}], {"question": "question"}),
        ([{"x": "Who?", "title": "Bridge"}], {"x": "question", "title": "page"}),
        ([{"title": "Who?"}], {"title": "question"}),
        ([{"question": "a", "id": 1}, {"question": "b", "id": 1}], {"question": "question"}),
        ([{"question": "a", "labels": [[0, 3, "Evidence"]]}], {"question": "question"}),
        (
            [{"question": "a", "answer": "b", "aliases": ["c"]}],
            {"question": "question", "answer": "answers", "aliases": "answers"},
        ),
        (
            [{"question": "a", "page_text": "b" * 20_001}],
            {"question": "question", "page_text": "leave"},
        ),
    ],
)
def test_columns_become_what_their_names_and_values_say(records, uses):
    assert propose(*records)[0] == uses


def test_values_of_a_column_of_splits_become_splits():
    records = [{"question": "a", "set": "eval"}, {"question": "b", "set": "Training"}]
    assert propose(*records)[1] == {"eval": "dev", "Training": "train"}


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("a|b", ("a|b",)),
        (["a", " a ", "b"], ("a", "b")),
        ([["a", "b"], ["c"]], ("a", "b", "c")),
        ({"Value": "a", "Aliases": ["b"], "Type": "x"}, ("a", "b")),
        ({"text": ["a"], "answer_start": [3]}, ("a",)),
        ([{"text": "a", "answer_start": 3}], ("a",)),
        ('{"text": ["a", "b"]}', ("a", "b")),
        ("[1843]", ("1843",)),
        (1843, ("1843",)),
        (True, ("yes",)),
        ("[not JSON", ("[not JSON",)),
        ([], ()),
        (None, ()),
    ],
)
def test_known_answers_are_read_as_files_write_them(value, answers):
    assert list_answers(value) == answers


@pytest.mark.parametrize("value", [{"a": 1}, [[1, 4, "Label"]], [[[[[["a"]]]]]], ["a\0"]])
def test_what_is_no_answer_is_refused(value):
    with pytest.raises(ValueError, match="answer"):
        list_answers(value)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "“text” is missing."),
        ({"text": " "}, "The question is empty."),
        ({"text": 7}, "“text” should be text in quotes"),
        ({"text": "a", "nr": "\u202e1"}, "“nr” holds an invisible character"),
        ({"text": "a", "gold": {"x": 1}}, "“gold”: The answers should be text"),
        ({"text": "a", "set": "all"}, "“set” is “all”. It should be train, dev or test"),
        ({"text": "a", "note": "\0"}, "“note” holds a NUL character"),
        ({"text": "a" * 2_001}, "The question has 2,001 characters"),
    ],
)
def test_a_record_that_cannot_be_read_says_why(record, reason):
    uses = {"text": "question", "nr": "id", "gold": "answers", "set": "split"}
    with pytest.raises(ValueError, match=reason):
        read_mapped(json.dumps(record).encode(), ColumnMapping(uses))


def test_an_empty_id_is_made_and_a_number_is_one():
    mapping = ColumnMapping({"text": "question", "nr": "id"})
    ids = [
        read_mapped(json.dumps({"text": "a", "nr": nr}).encode(), mapping).external_id
        for nr in (None, "", 0)
    ]
    assert ids == ["q-ca978112ca1bbdca", "q-ca978112ca1bbdca", "0"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "A mapping is an object"),
        ({"uses": []}, "“uses” should be an object"),
        ({"uses": {"a": 1}}, "“uses” should be an object that holds text"),
        ({"uses": {"a": "answers"}}, "Say which column holds the question."),
        ({"uses": {"a": "question", "b": "question"}}, "“a” and “b” are both used as question"),
        ({"uses": {"a": "question", "b": "title"}}, "“title” is not one of"),
        ({"uses": {"a": "question"}, "splits": {"x": "all"}}, "“all” is not a split"),
        ({"uses": {"a": "question"}, "separator": "|||||||"}, "“separator” should be text"),
    ],
)
def test_a_mapping_from_outside_is_checked(data, sentence):
    with pytest.raises(ValueError, match=sentence):
        mapping_from_json(data)


def test_changes_from_outside_are_checked():
    assert changes_from_json({"uses": {"a": "id"}, "separator": ";"})["separator"] == ";"
    for data in ([], {"use": {}}, {"splits": []}, {"separator": 1}):
        with pytest.raises(ValueError, match=r"should|object"):
            changes_from_json(data)


def test_unreadable_says_what_it_is_and_what_to_do_apart():
    with pytest.raises(Unreadable) as refusal:
        detect(workbook())
    assert refusal.value.what == "an Excel workbook"
    assert refusal.value.advice.startswith("In Excel choose Save as")


def test_rows_that_cannot_be_read_are_shown_with_their_beginning():
    found = detect('{"question": "Who?"}\n{"question": \n')
    [_, bad] = found.preview_records(found.mapped)
    assert isinstance(bad.found, BadLine)
    assert bad.found.text == '{"question":'
