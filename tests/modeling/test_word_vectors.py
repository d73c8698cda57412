"""Files of word vectors: what they give, and what is no such file."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from modeling import weights
from modeling.base import BadOption, MissingModel
from modeling.word_vectors import read_word_vectors


@pytest.fixture
def write(tmp_path):
    def wanted(content):
        path = tmp_path / "tiny.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return wanted


def test_words_are_read_in_small_letters_and_the_first_of_two_counts(write):
    rows, table = read_word_vectors(write("The 1 0.5\nof -1 2e-1\nthe 9 9\nna\u00efve 0 1\n"))
    assert rows == {"[PAD]": 0, "[UNK]": 1, "the": 2, "of": 3, "na\u00efve": 4}
    assert table.dtype == np.float32
    assert table.tolist() == [[0, 0], [0, 0], [1, 0.5], [-1, pytest.approx(0.2)], [0, 1]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("2 3\nmill 1 2 3\nlock 4 5 6\n", ["mill", "lock"]),  # word2vec's first line
        ("mill 1 2 3\r\n\r\nlock 4 5 6\r\n", ["mill", "lock"]),
        ("mill 1 2 3\nat a@example.org 1 2 3\n. . 1 2 3", ["mill", "at a@example.org", ". ."]),
        ("mill 1 2 3 \nlock 4 5 6 ", ["mill", "lock"]),
    ],
)
def test_the_ways_in_which_such_files_are_written(write, content, words):
    rows, table = read_word_vectors(write(content))
    assert list(rows)[2:] == words
    assert table.shape == (len(words) + 2, 3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "tiny.txt has no word vectors"),
        ("\n\n", "tiny.txt has no word vectors"),
        ("mill\n", "line 1: a word and 1 to 2,000 numbers"),
        ("mill 1 2 3\nlock 4 5\n", "line 2: .* as many as in line 1; there are 2 after"),
        ("mill 1 2 3\nlock 4 5 6 7\n", "line 2: .* as many as in line 1; there are 4 after"),
        ("mill 1 2 3\nlock 4 five 6\n", "line 2: 3 finite numbers are expected"),
        ("mill 1 2 3\nlock 4 nan 6\n", "line 2: 3 finite numbers are expected"),
        ("mill 1 2 3\nlock 4 1e99 6\n", "line 2: 3 finite numbers are expected"),
        ("mill 1 2 3\nlock 4 inf 6\n", "line 2: 3 finite numbers are expected"),
        ("mill 1  2 3\nlock 4 5 6\n", "line 1: 3 finite|line 1: 4 finite"),
        ("{" + "a" * 200_000, "line 1: it is longer than 100,000 characters"),
        ("mill " + "1 " * 3_000, "line 1: a word and 1 to 2,000 numbers"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "no text in UTF-8"),
        ("# a file\nof other things\n", "line 1"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_line(write, content, sentence):
    with pytest.raises(BadOption, match=sentence):
        read_word_vectors(write(content))


def test_no_more_words_than_fit_are_read(write, monkeypatch):
    monkeypatch.setattr("modeling.word_vectors.MOST_WORDS", 2)
    rows, table = read_word_vectors(write("a 1\nb 2\nc 3\nd oops\n"))
    assert list(rows) == ["[PAD]", "[UNK]", "a", "b"]
    assert len(table) == 4


# --- As weights to begin with -------------------------------------------------------------------


@pytest.mark.models
def test_a_file_is_converted_once_and_has_a_tokenizer_of_its_words(write, settings, tmp_path):
    from modeling.engines.tokens import Tokens

    settings.AMBIT_DATA = tmp_path / "data"
    path = write("the 1 0.5\nmill 2 2\n? 3 3\n")
    own = weights.get_weights("decatt", str(path))
    kept = (own.folder / "model.safetensors").stat().st_mtime_ns
    assert own.folder.parent == tmp_path / "data" / "models" / "words"
    again = weights.get_weights("doc-reader", str(path))
    assert (again.folder, again.version) == (own.folder, own.version)
    assert (own.folder / "model.safetensors").stat().st_mtime_ns == kept
    [row] = Tokens(own).encode_words([["The", "mill?", "Sluice"]], 10)
    assert (row.ids, row.places) == ([2, 3, 4, 1], [0, 1, 1, 2])
    assert row.letters == ["The", "mill", "?", "Sluice"]
    write("the 1 0.5\nmill 2 2.5\n")
    assert weights.get_weights("decatt", str(path)).version != own.version


@pytest.mark.models
def test_a_bad_file_leaves_nothing(write, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path / "data"
    with pytest.raises(BadOption, match="line 2"):
        weights.get_weights("decatt", str(write("mill 1 2\nlock 3\n")))
    assert not list((tmp_path / "data").glob("models/words/*"))


@pytest.mark.models
def test_only_networks_over_words_begin_with_a_file(write, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path / "data"
    with pytest.raises(MissingModel, match="There is no model in"):
        weights.get_weights("reader", str(write("mill 1 2\n")))


@pytest.mark.models
@pytest.mark.parametrize("role", ["decatt", "doc-reader", "document-qa"])
def test_without_trained_weights_a_sentence_says_that_they_come_first(role, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path / "data"
    with pytest.raises(MissingModel, match=f"None are released for “{role}”: train them first"):
        weights.get_weights(role)


@pytest.mark.models
@pytest.mark.parametrize("role", ["decatt", "doc-reader", "document-qa"])
def test_networks_over_words_are_not_converted(role, write, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path / "data"
    path = write("mill 1 2\n")
    with pytest.raises(CommandError, match=f"“{role}” is a network of a few layers") as refused:
        call_command("convert_model", role, name=str(path))
    assert refused.value.returncode == 2
