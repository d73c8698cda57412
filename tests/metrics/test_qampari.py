"""QAMPARI: sets of answers with aliases."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import qampari
from metrics.inputs import qampari as inputs
from metrics.qampari import QampariAnswer, find_matching_answer, score_predictions
from metrics.score import BadInput

KEYS = ("f1", "recall", "precision", "f1_above", "recall_above")


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


def score(answers, predictions):
    return values(score_predictions({"q": answers}, {"q": predictions}))


def answers(*every):
    return [QampariAnswer(aliases[0], tuple(aliases)) for aliases in every]


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return path

    return write


@pytest.mark.realdata
@pytest.mark.parametrize("gold", ["reference/qampari/predictions.json", "qampari/qampari_dev.json"])
def test_parity_with_the_official_scorer(realdata, gold):
    evaluation = inputs.score_files(
        realdata / gold, realdata / "reference/qampari/predictions.json"
    )
    printed = json.loads((realdata / "reference/qampari/scores.json").read_text())
    printed["recall_above"] = printed.pop("rec_above")
    assert values(evaluation) == pytest.approx(printed, abs=1e-9)
    assert evaluation.counts["n"] == 1000


def test_worked_example():
    gold = answers(["Paris", "City of Light"], ["Rome"], ["Berlin"], ["Madrid"], ["Oslo"])
    found = score(gold, ["the paris", "City of light!", "Rome", "Bonn"])
    assert found["precision"] == 2 / 4  # two strings are Paris: one counts, both divide
    assert found["recall"] == 2 / 5
    assert found["f1"] == pytest.approx(4 / 9)
    assert (found["f1_above"], found["recall_above"]) == (0, 0)
    assert score(gold, ["Paris", "Rome", "Oslo", "Berlin"])["recall_above"] == 1


def test_predictions_are_distinct_as_raw_strings():
    gold = answers(["Rome"], ["Oslo"])
    assert score(gold, ["Rome", "Rome"])["precision"] == 1
    assert score(gold, ["Rome", "rome"])["precision"] == 0.5


def test_no_predictions_score_0():
    assert set(score(answers(["Rome"]), []).values()) == {0.0}
    assert set(values(score_predictions({"q": answers(["Rome"])}, {})).values()) == {0.0}


def test_a_repeated_answer_divides_twice_and_counts_once():
    assert score(answers(["Rome"], ["Oslo"], ["Rome"]), ["Rome", "Oslo"])["recall"] == 2 / 3


def test_an_alias_of_two_answers_belongs_to_the_later_one():
    gold = answers(["Georgia", "GE"], ["Georgia (US)", "Georgia"])
    assert find_matching_answer(gold, "georgia") == "Georgia (US)"
    assert find_matching_answer(gold, "ge") == "Georgia"
    assert score(gold, ["Georgia", "Georgia (US)"])["recall"] == 0.5


def test_of_aliases_normalised_alike_the_first_in_the_list_is_taken():
    assert find_matching_answer(answers(["The Who"], ["Who"]), "who") == "The Who"


def test_of_answers_with_one_name_the_last_aliases_count():
    gold = [
        QampariAnswer("Rome", ("Rome",)),
        QampariAnswer("Oslo", ("Oslo",)),
        QampariAnswer("Rome", ("Roma",)),
    ]
    assert find_matching_answer(gold, "Rome") is None
    assert find_matching_answer(gold, "roma") == "Rome"
    assert score(gold, ["Roma", "Oslo"])["recall"] == 2 / 3


def test_a_name_counts_only_where_it_is_an_alias():
    assert find_matching_answer([QampariAnswer("Rome", ())], "Rome") is None


TEXTS = st.text(alphabet="aA the.b1 é", max_size=5)


@given(
    st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=5),
    st.lists(TEXTS, max_size=6),
)
def test_bounds_order_and_a_plain_restatement(gold, predictions):
    listed = answers(*gold)
    found = score(listed, predictions)
    assert all(0 <= value <= 1 for value in found.values())
    assert score(listed, predictions[::-1]) == found
    owner = {}
    for answer in {answer.name: answer for answer in listed}.values():
        owner |= dict.fromkeys(answer.aliases, answer.name)
    hit = set()
    for prediction in predictions:
        same = [
            n for a, n in owner.items() if qampari.text.normalise_text(a) == match_form(prediction)
        ]
        hit |= set(same[:1])
    assert found["recall"] == len(hit) / len(gold)
    assert found["precision"] == (len(hit) / len(set(predictions)) if predictions else 0)


def match_form(prediction):
    return qampari.text.normalise_text(prediction)


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique_by=match_form))
def test_gold_scores_1_where_no_two_answers_are_alike(names):
    assert score(answers(*[[name] for name in names]), names) == dict.fromkeys(KEYS, 1.0)


RELEASE = {
    "qid": "q1",
    "question_text": "?",
    "answer_list": [{"answer_text": "Rome", "aliases": ["Rome", "Roma"], "proof": []}],
}
PLAIN = {"id": "q1", "question": "?", "answers": [["Rome", "Roma"]]}


@pytest.mark.parametrize("record", [RELEASE, PLAIN])
@pytest.mark.parametrize("form", ["list", "lines", "gzip", "one"])
def test_forms_of_references(tmp_path, record, form):
    path = tmp_path / "gold"
    other = record | {"qid": "q2", "id": "q2"}
    text = json.dumps([record, other]) if form == "list" else json.dumps(record) + "\n"
    if form in {"lines", "gzip"}:
        text += json.dumps(other) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if form == "gzip" else text.encode())
    gold = inputs.read_references(path)
    assert list(gold) == (["q1"] if form == "one" else ["q1", "q2"])
    assert gold["q1"] == [QampariAnswer("Rome", ("Rome", "Roma"))]


@pytest.mark.parametrize(
    "data",
    [
        {"q1": ["Roma"], "q2": []},
        [{"qid": "q1", "predictions": ["Roma"]}, {"qid": "q2", "predictions": []}],
        '{"id": "q1", "predictions": ["Roma"]}\n{"id": "q2", "predictions": []}\n',
    ],
)
def test_forms_of_predictions(write, data):
    assert inputs.read_predictions(write("p", data)) == {"q1": ["Roma"], "q2": []}


def test_a_reader_file_without_ids_serves_as_both(write):
    record = {"answer_list": RELEASE["answer_list"], "answers": ["Rome"], "predictions": ["roma"]}
    path = write("reader", [record, record | {"predictions": []}])
    evaluation = inputs.score_files(path, path)
    assert list(evaluation.ids) == ["#1", "#2"]
    assert values(evaluation)["f1"] == 0.5


def test_answers_without_aliases_have_their_text(write):
    path = write("g", [{"qid": "q", "answer_list": [{"answer_text": "Rome"}]}])
    assert inputs.read_references(path) == {"q": [QampariAnswer("Rome", ("Rome",))]}


def test_missing(write):
    gold = write("g", [PLAIN, PLAIN | {"id": "q2"}])
    given = write("p", {"q1": ["Rome"]})
    with pytest.raises(BadInput, match="1 question without a prediction: q2"):
        inputs.score_files(gold, given)
    assert values(inputs.score_files(gold, given, missing="zero"))["f1"] == 0.5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "has no questions"),
        ([], "has no questions"),
        ("{", "line 1: is not JSON"),
        (3, "must be a list"),
        ([3], "record 1: must be one JSON object"),
        ([PLAIN, PLAIN], "record 2: q1 is already in record 1"),
        ([PLAIN, {"answers": [["a"]]}], r"record 2: qid \(or id\) must be a string"),
        ([{"id": "q"}], "question q: has neither answer_list nor answers"),
        ([{"id": "q", "answers": []}], "has no answers"),
        ([{"id": "q", "answers": [[]]}], "an answer has no aliases"),
        ([{"id": "q", "answers": ["a"]}], "list of lists of strings"),
        ([{"id": "q", "answers": [["a", None]]}], "list of lists of strings"),
        ([{"id": "q", "answer_list": {"a": 1}}], "answer_list must be a list of objects"),
        ([{"id": "q", "answer_list": [{"aliases": ["a"]}]}], "answer 1: answer_text must be"),
        (
            [{"id": "q", "answer_list": [{"answer_text": "a", "aliases": "a"}]}],
            "answer 1: aliases must be",
        ),
    ],
)
def test_bad_references(write, data, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_references(write("g", data))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"q": "Rome"}, "question q: predictions must be a list of strings"),
        ({"q": [None]}, "predictions must be a list of strings"),
        ([{"qid": "q"}], "question q: has no predictions"),
        ([{"qid": "q", "predictions": [1]}], "predictions must be a list of strings"),
        ([{"qid": ["q"], "predictions": []}], "must be a string"),
    ],
)
def test_bad_predictions(write, data, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_predictions(write("p", data))


def test_a_question_without_gold_answers_is_refused():
    with pytest.raises(ValueError, match="q has no gold answer"):
        score_predictions({"q": []}, {})
    assert score_predictions({}, {}).counts == {"n": 0}


def test_shares_at_the_bound_count():
    gold = answers(*[[name] for name in "bcdef"])
    found = score(gold, ["b", "c", "d", "e"])
    assert (found["recall"], found["recall_above"]) == (0.8, 1)
    found = score(gold[:1], ["b", "x", "y"])
    assert (found["f1"], found["f1_above"]) == (0.5, 1)
    assert score(gold, ["b", "c", "d"])["recall_above"] == 0
