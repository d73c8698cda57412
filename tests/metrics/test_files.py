"""Reading what people hand in: JSON or lines, packed or not, and a sentence for everything else."""

import gzip
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metrics.inputs import files, quick_json
from metrics.score import BadInput


@pytest.fixture
def write(tmp_path):
    def write(content, name="f.json"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_gzip_is_known_by_its_content_not_its_name(write):
    assert files.read_json(write(gzip.compress(b'{"a": 1}'))) == {"a": 1}


def test_a_byte_order_mark_is_no_part_of_the_text(write):
    assert files.read_json(write("\ufeff[1]")) == [1]


def test_a_file_of_one_value_and_a_file_of_lines_read_alike(write):
    pretty = json.dumps([{"a": 1}, {"a": 2}], indent=2)
    assert files.read_records(write(pretty)) == [{"a": 1}, {"a": 2}]
    assert files.read_records(write('{"a": 1}\n\n{"a": 2}\n')) == [{"a": 1}, {"a": 2}]
    assert files.read_records(write('{"a": 1}\n')) == {"a": 1}


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_only_a_newline_ends_a_line(write, separator):
    lines = f'"one{separator}"\n"two"' if separator not in "\x0b\x0c" else '"one"\n"two"'
    assert len(files.read_records(write(lines))) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "line 1: is not JSON"),
        ('{"a": 1,\n "b": }', "line 2: is not JSON"),
        ("", "line 1: is not JSON"),
        (b"[\n\n\xff]", "line 3: is not UTF-8"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "appears twice in one object: c."),
        (gzip.compress(b"[1, 2, 3]" * 99, mtime=0)[:-12], "damaged or cut short"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(write, content, said):
    with pytest.raises(BadInput, match=said):
        files.read_json(write(content))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '[{"b": {"a:b": 1, "a:b": ":"}}]',
        '{"a": "\\u003a\\u003A", "a": ":", "b" : 1}',
        "18446744073709551616",
        "-9223372036854775809",
        "[NaN]",
        '"\\ud800"',
        "[" * 500 + "]" * 500,
        "{",
    ],
)
def test_a_large_file_is_read_with_the_same_care(write, text):
    """Quickly where that gives the same; what that cannot read or might drop, as a small one."""
    with pytest.raises((TypeError, ValueError)):
        quick_json.parse_unique_keys(text.encode())
    found = []
    for place in (
        write(text, "small.json"),
        write(text + " " * files._LARGE_IF_LOADED, "large.json"),
    ):
        try:
            found.append(repr(files.read_json(place)))
        except BadInput as error:
            found.append(str(error).replace(str(place), ""))
    assert found[0] == found[1]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.booleans(),
)
@example({"5225754983651766092": [-922337203685477580, 1e400, 0.1, ":", '":', "\\"]}, False)
def test_what_is_read_quickly_is_what_json_reads(value, escaped):
    text = json.dumps(value, ensure_ascii=escaped)
    try:
        found = quick_json.parse_unique_keys(text.encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError):
        return
    assert repr(found) == repr(json.loads(text))


def test_a_bad_line_is_named_by_its_number(write):
    path = write('{"a": 1}\n{"a": 2}\nnot json\n', "f.jsonl")
    with pytest.raises(BadInput, match=r"f\.jsonl, line 3: is not JSON"):
        files.read_records(path)


def test_no_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        files.read_json(tmp_path / "none.json")
    with pytest.raises(BadInput, match="cannot be read"):
        files.read_json(tmp_path)


def test_what_is_missing_and_what_is_too_much_is_said_at_once(tmp_path):
    wanted = [str(number) for number in range(20)]
    with pytest.raises(BadInput) as error:
        files.check_ids_match(wanted, {"0": 1, "x": 2}, path=tmp_path, missing="error")
    assert "19 questions without a prediction: 1, 2, 3" in str(error.value)
    assert "10 and 9 more" in str(error.value)
    assert "1 prediction for no question of the references: x." in str(error.value)


def test_missing_and_extra_can_be_allowed(tmp_path):
    files.check_ids_match(["a", "b"], {"b": 1}, path=tmp_path, missing="zero")
    files.check_ids_match(["a"], {"a": 1, "b": 1}, path=tmp_path, missing="error", extra="ignore")
    with pytest.raises(BadInput, match="for no question"):
        files.check_ids_match(["a"], {"b": 1}, path=tmp_path, missing="zero")
