"""Reading AmbigNQ references and AmbigQA predictions: every form, and a sentence for bad ones."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.ambigqa import AmbigqaAnnotation, GoldPair, PredictedPair
from metrics.inputs.ambigqa import read_predictions, read_references, score_files
from metrics.score import BadInput

MULTI = {
    "id": "1",
    "question": "Who won?",
    "annotations": [
        {
            "type": "multipleQAs",
            "qaPairs": [
                {"question": "Who won in 1990?", "answer": ["Ann", "Anne"]},
                {"question": "Who won in 1991?", "answer": "Bob"},
            ],
        }
    ],
}
SINGLE = {
    "id": "2",
    "question": "Who lost?",
    "annotations": [{"type": "singleAnswer", "answer": ["Cy"]}, {"type": "noAnswer"}],
}
NONE = {"id": "3", "question": "Who knows?", "annotations": [{"type": "noAnswer"}]}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "question", "annotations", "type", "qaPairs", "answer", "predictions", "x"]
            ),
            inner
            | st.sampled_from(
                ["singleAnswer", "multipleQAs", "noAnswer", [{"type": "singleAnswer"}]]
            ),
            max_size=4,
        )
    ),
    max_leaves=8,
)


@pytest.fixture
def write(tmp_path):
    """Write a value as JSON, or several as lines, and return the path."""

    def write(*values, name="file.json", lines=False):
        path = tmp_path / name
        text = "\n".join(map(json.dumps, values)) if lines else json.dumps(values[0])
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_references_as_a_list_as_lines_and_packed(write, tmp_path):
    path = write([MULTI, SINGLE, NONE])
    found = read_references(path)
    assert found == read_references(write(MULTI, SINGLE, NONE, lines=True, name="lines.jsonl"))
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert found == read_references(packed)
    assert found == [*read_references(write([MULTI])), *read_references(write([SINGLE, NONE]))]
    assert found[0].annotations == (
        AmbigqaAnnotation(
            pairs=(
                GoldPair("Who won in 1990?", ("Ann", "Anne")),
                GoldPair("Who won in 1991?", ("Bob",)),
            )
        ),
    )
    assert found[1].annotations == (AmbigqaAnnotation(answer=("Cy",)),)
    assert found[2].annotations == ()
    assert [reference.multi for reference in found[:2]] == [True, False]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": None}, 'record 1: "id" must be'),
        ({"question": 3}, 'question 1: "question" must be a text'),
        ({"annotations": []}, "at least one annotation"),
        ({"annotations": None}, "at least one annotation"),
        ({"annotations": ["x"]}, 'annotation 1: "type" must be'),
        ({"annotations": [{"type": "many"}]}, 'annotation 1: "type" must be'),
        ({"annotations": [{"type": "singleAnswer", "answer": []}]}, "at least one text"),
        ({"annotations": [{"type": "singleAnswer", "answer": [1]}]}, "at least one text"),
        ({"annotations": [{"type": "multipleQAs", "qaPairs": []}]}, "at least one pair"),
        ({"annotations": [{"type": "multipleQAs", "qaPairs": ["x"]}]}, "pair 1"),
        (
            {"annotations": [{"type": "multipleQAs", "qaPairs": [{"question": " | "}]}]},
            "pair 1: .*not empty",
        ),
    ],
)
def test_bad_references_are_said_with_their_place(write, change, said):
    path = write([MULTI | change])
    with pytest.raises(BadInput, match=said) as error:
        read_references(path)
    assert str(error.value).startswith(str(path))


def test_references_of_another_form(write):
    with pytest.raises(BadInput, match="list of AmbigNQ records"):
        read_references(write([]))
    with pytest.raises(BadInput, match="appears twice"):
        read_references(write([MULTI, MULTI]))
    with pytest.raises(BadInput, match="record 2: is not an object"):
        read_references(write([MULTI, 5]))


def test_predictions_in_each_form(write):
    pairs = [{"question": "Who won in 1990?", "answer": "Ann"}]
    expected = {"1": [PredictedPair("Who won in 1990?", "Ann")], "2": []}
    assert read_predictions(write({"1": pairs, "2": []})) == expected
    records = [{"id": "1", "predictions": pairs}, {"id": 2, "predictions": []}]
    assert read_predictions(write(records)) == expected
    assert read_predictions(write(*records, lines=True)) == expected
    assert read_predictions(write(records[0])) == {"1": expected["1"]}
    assert read_predictions(write({"1": "Ann", "2": ["Cy"]})) == {"1": ["Ann"], "2": ["Cy"]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (5, "must be one object"),
        ([5], "record 1: the file must be one object"),
        ([{"id": "1"}], "record 1: the file must be"),
        ([{"id": "", "predictions": []}], '"id" must be'),
        ([{"id": "1", "predictions": []}] * 2, "question 1 appears twice"),
        ({"1": None}, "question 1: must be a list"),
        ({"1": [1]}, "question 1: must be a list"),
        ({"1": [{"question": "x"}]}, "question 1: must be a list"),
        ({"1": [{"question": "x", "answer": ["y"]}]}, "two texts each"),
        ({"1": ["x", {"question": "x", "answer": "y"}]}, "question 1: mixes"),
        (
            {"1": ["x"], "2": ["x"], "3": [{"question": "x", "answer": "y"}]},
            "pairs for 1 questions and answers only for 2. .* pairs: 3",
        ),
    ],
)
def test_bad_predictions_are_said(write, value, said):
    with pytest.raises(BadInput, match=said):
        read_predictions(write(value))


def test_missing_and_extra_predictions(write):
    references = write([MULTI, SINGLE, NONE], name="references.json")
    predictions = write({"1": ["Ann", "Bob"], "9": ["x"]})
    with pytest.raises(BadInput, match=r"1 question without a prediction: 2.*no question.*: 9"):
        score_files(references, predictions)
    result = score_files(references, predictions, missing="zero", extra="ignore")
    assert result.ids == ["1", "2"]
    assert result.columns["f1_answer"] == [1, 0]
    assert result.counts == {"n": 2, "n_multi": 1, "n_no_answer": 1}
    assert "missing:zero" in result.scores()["f1_answer.all"].signature


def test_a_prediction_for_a_question_without_an_answer_is_not_extra(write):
    references = write([MULTI, NONE], name="references.json")
    result = score_files(references, write({"1": ["Ann"], "3": ["x"]}), pairing="paper")
    assert result.ids == ["1"]
    assert "pairing:paper" in result.scores()["f1_answer.all"].signature


@settings(max_examples=150, deadline=None)
@given(JUNK, JUNK)
def test_any_json_is_scored_or_said(tmp_path_factory, references, predictions):
    folder = tmp_path_factory.getbasetemp()
    first, second = folder / "junk-references.json", folder / "junk-predictions.json"
    first.write_text(json.dumps(references))
    second.write_text(json.dumps(predictions))
    for read in (lambda: score_files(first, second), lambda: read_predictions(second)):
        said = ""
        try:
            read()
        except BadInput as error:
            said = str(error)
        assert not said or str(folder) in said or "nothing to score" in said
