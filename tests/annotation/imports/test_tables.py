"""CSV and TSV tables of questions, and the examples of every format."""

import io

import pytest

from annotation.imports import formats
from annotation.imports.formats import BadLine, QuestionRecord, WrongFormat, all_formats


def read(text, format="table"):
    content = text if isinstance(text, bytes) else text.encode()
    return [(each.line, each.found) for each in formats.read_records(io.BytesIO(content), format)]


@pytest.mark.parametrize("key", all_formats())
def test_the_example_of_a_format_can_be_imported(key):
    found = read(all_formats()[key].example, key)
    assert len(found) in (1, 2)
    assert all(isinstance(each, QuestionRecord) for _, each in found)
    assert formats.count_records(io.BytesIO(all_formats()[key].example.encode()), key) == len(found)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_are_read_by_their_names(separator):
    rows = [["Question", "ID", "answers", "note"], ["who built it", "a", "Telford | Brunel", "x"]]
    [(line, record)] = read("\ufeff" + "\r\n".join(separator.join(row) for row in rows))
    assert line == 2
    assert (record.external_id, record.text) == ("a", "who built it")
    assert record.known_answers == ("Telford", "Brunel")
    assert record.context == {"note": "x"}


def test_a_quoted_cell_holds_commas_and_lines():
    found = read('id,question\na,"who, when\nand where"\n\nb,why\n')
    assert [(line, record.text) for line, record in found] == [
        (2, "who, when\nand where"),
        (5, "why"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"a,b,c", "The row has 3 cells and the header 2."),
        (b",who", "\u201cid\u201d is missing."),
        (b"a,", "\u201cquestion\u201d is missing."),
        (b"a,caf\xe9", "The row is not UTF-8. Save the file as UTF-8."),
        (b"a," + b"x" * 1_000_001, "The row cannot be read: it is longer than 1 MB."),
        (b"a,x\0", "\u201cquestion\u201d holds a NUL character. Remove it."),
    ],
)
def test_a_bad_row_is_named_and_the_next_one_is_read(row, reason):
    found = read(b"id,question\n" + row + b"\nz,why\n")
    assert found[0] == (2, BadLine(reason))
    assert found[1][1].external_id == "z"


def test_a_quote_that_never_ends_is_bounded():
    found = read('id,question\na,"who\n' + "line\n" * 300_000)
    assert isinstance(found[0][1], BadLine)
    assert "longer than 1 MB" in found[0][1].reason


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,question\na,b\n", "\u201cid\u201d is missing"),
        ("id\tanswer\n", "\u201cquestion\u201d is missing"),
        ("id,question,id\n", "the same name"),
        ('{"id": "a"}\n', "looks like JSON"),
        ("", "The file is empty"),
        ("id,question\n", "no records"),
    ],
)
def test_what_is_not_such_a_table_is_explained(text, sentence):
    with pytest.raises(WrongFormat, match=sentence):
        read(text)
