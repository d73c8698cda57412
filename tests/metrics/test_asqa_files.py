"""ASQA's files: every layout that is read, and a sentence for everything that is not."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.inputs import asqa
from metrics.score import BadInput

RECORD = {
    "ambiguous_question": "when?",
    "qa_pairs": [
        {"question": "when first?", "short_answers": ["1843"], "context": None, "wikipage": None},
        {
            "question": "when last?",
            "short_answers": ["2010", "in 2010"],
            "context": "No context provided",
        },
    ],
    "annotations": [
        {"long_answer": "In 1843.", "knowledge": [{"content": "Opened.", "wikipage": "X"}]},
        {"long_answer": "In 2010.", "knowledge": [{"content": None, "wikipage": "X"}]},
    ],
}


@pytest.fixture
def write(tmp_path):
    """Write a value as JSON and return the path; a list of values as lines."""

    def write(name, value):
        path = tmp_path / name
        text = "\n".join(map(json.dumps, value)) if isinstance(value, list) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def rules(monkeypatch, tmp_path):
    """Without NLTK's data, wherever the tests run."""
    monkeypatch.setattr("metrics.sentences.find_punkt_folder", lambda: None)


def changed(**changes):
    """Return the record with some keys replaced."""
    return copy.deepcopy(RECORD) | changes


@pytest.mark.parametrize(
    ("content", "split"),
    [
        ({"dev": {"q": RECORD}, "train": {}}, None),
        ({"train": {"q": RECORD}}, None),
        ({"dev": {}, "train": {"q": RECORD}}, "train"),
        ({"q": RECORD}, None),
        ([{"sample_id": "q"} | RECORD], None),
        ([{"sample_id": "q"} | RECORD, {"sample_id": "r"} | RECORD], None),
    ],
)
def test_layouts_of_references(write, content, split):
    question = asqa.read_references(write("refs.json", content), split=split)["q"]
    assert [pair.short_answers for pair in question.pairs] == [["1843"], ["2010", "in 2010"]]
    assert [pair.context for pair in question.pairs] == ["", ""]
    assert [a.long_answer for a in question.annotations] == ["In 1843.", "In 2010."]
    assert [a.knowledge for a in question.annotations] == [["Opened."], []]


@pytest.mark.parametrize(
    "content",
    [
        {"q": "In 1843."},
        [{"id": "q", "long_answer": "In 1843."}],
        [{"id": "q", "long_answer": "In 1843."}, {"id": "r", "long_answer": ""}],
    ],
)
def test_layouts_of_predictions(write, content):
    assert asqa.read_predictions(write("p.json", content))["q"] == "In 1843."


def test_load(write):
    evaluation = asqa.score_files(
        write("refs.json", {"dev": {"q": RECORD}}),
        write("p.json", {"q": "In 1843."}),
        reader_answers=write("r.json", {"q_0": "1843", "q_1": ["x", "2010"]}),
    )
    scores = {name: score.value for name, score in evaluation.scores().items()}
    assert scores == {
        "rouge_lsum": 100, "str_em": 50, "length": 2,
        "qa_f1": 100, "qa_em": 100, "qa_hit": 100, "dr": 100,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "split", "says"),
    [
        ({"a": {"q": RECORD}, "b": {}}, None, "has no split dev. It has a, b. Choose one"),
        ({"a": {"q": RECORD}}, "test", "has no split test. It has a."),
        ({"q": RECORD}, "dev", "has no splits"),
        ([{"sample_id": "q"} | RECORD], "dev", "has no splits"),
        ({"dev": {}}, None, "holds no question"),
        ({}, None, "is empty"),
        ({"dev": [RECORD]}, None, "dev: is a list"),
        ("x", None, "is not ASQA data"),
        ({"dev": {"q": RECORD, "r": 5}}, None, "r: is a number, not a question"),
        ({"q": RECORD, "r": None}, None, "r: is missing, not a question"),
        ({"q": changed(qa_pairs=[])}, None, "q: has no qa_pairs"),
        ({"q": changed(qa_pairs={})}, None, "q: has no qa_pairs"),
        ({"q": changed(annotations=[])}, None, "q: has no annotations"),
        ({"q": changed(qa_pairs=["x"])}, None, r"q, qa_pairs\[0\]: is text"),
        ({"q": changed(qa_pairs=[{}])}, None, r"q, qa_pairs\[0\]: has no short_answers"),
        (
            {"q": changed(qa_pairs=[RECORD["qa_pairs"][0], {"short_answers": []}])},
            None,
            r"q, qa_pairs\[1\]: has no short_answers",
        ),
        ({"q": changed(qa_pairs=[{"short_answers": [1.5]}])}, None, "a short answer is a number"),
        (
            {"q": changed(qa_pairs=[{"short_answers": ["x"], "context": []}])},
            None,
            "context is a list",
        ),
        ({"q": changed(annotations=[{}])}, None, r"q, annotations\[0\]: long_answer is missing"),
        (
            {"q": changed(annotations=[{"long_answer": "x", "knowledge": ["y"]}])},
            None,
            "knowledge is text",
        ),
        (
            {"q": changed(annotations=[{"long_answer": "x", "knowledge": "y"}])},
            None,
            "knowledge is text, not a list",
        ),
        ([RECORD], None, "record 1: sample_id must be a string"),
        ([{"sample_id": "q"} | RECORD] * 2, None, "record 2: q is already in record 1"),
        ([{"sample_id": "q"} | RECORD, 7], None, "record 2: must be one JSON object"),
    ],
)
def test_references_that_cannot_be_read(write, content, split, says):
    path = write("refs.json", content)
    with pytest.raises(BadInput, match=says) as caught:
        asqa.read_references(path, split=split)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x", "not an object of long answers"),
        ({"q": 5}, "q: the long answer is a number"),
        ({"q": None}, "q: the long answer is missing"),
        ({"q": ["x"]}, "q: the long answer is a list"),
        ([{"id": "q"}, {"id": "r", "long_answer": "x"}], "q: the long answer is missing"),
        ([{"id": 5.5, "long_answer": "x"}], "id must be a string or a whole number"),
        ([{"id": "q", "long_answer": "x"}] * 2, "record 2: q is already in record 1"),
    ],
)
def test_predictions_that_cannot_be_read(write, content, says):
    with pytest.raises(BadInput, match=says):
        asqa.read_predictions(write("p.json", content))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (3, "not an object of the reader's answers"),
        ({"q_0": None}, "q_0: the reader's answer is missing"),
        ({"q_0": [True]}, "q_0: the reader's answer is true or false"),
        ({"q_0": []}, "q_0: the list of answers is empty"),
    ],
)
def test_readers_answers_that_cannot_be_read(write, content, says):
    with pytest.raises(BadInput, match=says):
        asqa.read_reader_answers(write("r.json", content))


def test_missing_and_extra_items(write):
    references = write("refs.json", {"q": RECORD, "r": RECORD})
    predictions = write("p.json", {"q": "In 1843.", "z": "?"})
    full = write("full.json", {"q": "In 1843.", "r": "?"})
    answers = write("r.json", {"q_0": "1843", "q_1": "2010", "q_2": "?"})
    with pytest.raises(BadInput, match=r"1 question without a prediction: r\..*1 prediction.*: z"):
        asqa.score_files(references, predictions)
    with pytest.raises(BadInput, match=r"without a prediction: r_0, r_1\..*: q_2\."):
        asqa.score_files(references, full, reader_answers=answers)
    evaluation = asqa.score_files(
        references, predictions, missing="zero", extra="ignore", reader_answers=answers
    )
    assert evaluation.columns["rouge_lsum"] == [100, 0]
    assert evaluation.columns["qa_f1"] == [100, 0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["dev", "q", "qa_pairs", "annotations", "short_answers", "long_answer"])
            | st.sampled_from(["knowledge", "context", "question", "content", "sample_id", "id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_json_it_is_there_is_a_sentence(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    said = []
    for read in (asqa.read_references, asqa.read_predictions, asqa.read_reader_answers):
        try:
            read(path)
        except BadInput as error:
            said.append(str(error))
    assert said  # nothing is all three
    assert all(message.startswith(str(path)) for message in said)
