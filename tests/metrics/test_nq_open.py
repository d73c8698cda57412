"""NQ-open: exact match, keyed on the question."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import nq_open
from metrics.inputs import nq_open as inputs
from metrics.score import BadInput

TEXT = st.text(max_size=12)


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


@pytest.fixture
def write(tmp_path):
    def write(name, *records):
        path = tmp_path / name
        lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.mark.realdata
def test_parity_with_the_official_scorer(realdata):
    evaluation = inputs.score_files(
        realdata / "nq_open/NQ-open.dev.jsonl", realdata / "reference/nq_open/predictions.jsonl"
    )
    printed = json.loads((realdata / "reference/nq_open/scores.json").read_text())
    assert values(evaluation)["accuracy"] == pytest.approx(printed["accuracy"], abs=1e-9)
    assert evaluation.counts == {
        "correct": printed["num_correct"],
        "n": printed["num_total"],
        "missing": printed["missing_predictions"],
    }


@pytest.mark.parametrize(
    ("gold", "prediction", "right"),
    [
        (["Neil Armstrong"], "neil  armstrong.", True),
        (["The Who"], "who", True),
        (["1995", "1996"], "1996", True),
        (["1995\u201396"], "1995-96", False),  # only ASCII punctuation goes
        (["Jose"], "Jos\u00e9", False),  # accents stay
        (["Jose\u0301"], "Jos\u00e9", True),  # two ways of writing the same
        (["10 m\u00b2"], "10 m2", False),  # decomposed, but not to what is only similar
        (["\uac01"], "\u1100\u1161\u11a8", True),
        (["Neil"], "", False),
        (["The"], "", True),  # nothing is left of either
    ],
)
def test_exact_match(gold, prediction, right):
    evaluation = nq_open.score_predictions({"q": gold}, {"q": [prediction]})
    assert values(evaluation)["accuracy"] == right


def test_first_gold_answer_and_several_predictions():
    gold = {"q": ["a b", "c"], "r": ["d"], "s": ["e"]}
    given = {"q": ["c"], "r": ["x", "d"], "s": []}
    first = nq_open.score_predictions(gold, given)
    assert first.columns == {"correct": [1, 0, 0], "correct_first": [0, 0, 0]}
    some = nq_open.score_predictions(gold, given, several="any")
    assert some.columns == {"correct": [1, 1, 0], "correct_first": [0, 1, 0]}
    assert some.counts == {"correct": 2, "n": 3, "missing": 0}
    assert first.signature(first.figures[0]) != some.signature(some.figures[0])


@given(st.dictionaries(TEXT, st.lists(TEXT, min_size=1, max_size=3), min_size=1, max_size=5))
def test_gold_scores_1_and_order_does_not_matter(gold):
    predictions = {question: [answers[-1]] for question, answers in gold.items()}
    assert values(nq_open.score_predictions(gold, predictions))["accuracy"] == 1
    backwards = dict(reversed(list(gold.items())))
    assert nq_open.score_predictions(backwards, predictions).counts["correct"] == len(gold)


def test_missing_is_wrong_unless_it_is_to_be_an_error(write):
    gold = write("g", {"question": "q", "answer": ["a"]}, {"question": "r", "answer": ["b"]})
    given = write("p", {"question": "q", "prediction": "a."})
    evaluation = inputs.score_files(gold, given)
    assert evaluation.counts == {"correct": 1, "n": 2, "missing": 1}
    assert values(evaluation)["accuracy"] == 0.5
    with pytest.raises(BadInput, match=r"1 question without a prediction: r\."):
        inputs.score_files(gold, given, missing="error")


def test_extra_is_an_error_unless_it_is_to_be_ignored(write):
    gold = write("g", {"question": "q", "answer": ["a"]})
    given = write("p", {"question": "q", "prediction": "b"}, {"question": "z", "prediction": "b"})
    with pytest.raises(BadInput, match="for no question of the references: z"):
        inputs.score_files(gold, given)
    assert inputs.score_files(gold, given, extra="ignore").counts["n"] == 1


def test_the_other_answers_of_efficientqa(write):
    record = {"question": "q", "answer": ["a"], "answer_and_def_correct_predictions": ["a", "b"]}
    gold, given = write("g", record), write("p", {"question": "q", "prediction": "b"})
    assert inputs.score_files(gold, given).counts["correct"] == 0
    field = "answer_and_def_correct_predictions"
    assert inputs.score_files(gold, given, answer_field=field).counts["correct"] == 1


def test_a_question_twice(write):
    one, other = {"question": "q", "answer": ["a"]}, {"question": "q", "answer": ["b"]}
    assert inputs.read_references(write("same", one, one)) == {"q": ["a"]}
    with pytest.raises(BadInput, match=r"record 2: the question 'q' is also in record 1"):
        inputs.read_references(write("differ", one, other))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1: is not JSON"),
        ([1], "one JSON object"),
        ({"answer": ["a"]}, "question must be a string"),
        ({"question": 3, "answer": ["a"]}, "question must be a string"),
        ({"question": "q"}, "has no answer"),
        ({"question": "q", "answer": "a"}, "list of strings"),
        ({"question": "q", "answer": ["a", 1]}, "list of strings"),
        ({"question": "q", "answer": []}, "answer is empty"),
        ("", "has no questions"),
    ],
)
def test_bad_references(write, line, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_references(write("g", line))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([{"question": "q"}], "has no prediction"),
        ([{"question": "q", "prediction": None}], "a string or a list of strings"),
        ([{"question": "q", "prediction": [["a"]]}], "a string or a list of strings"),
        ([{"question": "q", "prediction": "a"}] * 2, "record 2: .* already has a prediction"),
        ([{"question": "q", "prediction": float("nan")}], "a string or a list of strings"),
    ],
)
def test_bad_predictions(write, lines, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_predictions(write("p", *lines))


def test_a_question_without_gold_answers_is_refused():
    with pytest.raises(ValueError, match="'q' has no gold answer"):
        nq_open.score_predictions({"q": []}, {})
