"""Retrieval: answers, evidence and ids among the first K passages."""

import json
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import retrieval
from metrics.inputs import retrieval as inputs
from metrics.retrieval import Reference, TitledPassage
from metrics.score import BadInput


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


def texts(*every):
    return [TitledPassage("t", text, str(place)) for place, text in enumerate(every, 1)]


@pytest.mark.parametrize(
    ("alias", "text", "found"),
    [
        ("art", "He left the party.", False),
        ("art", "Art", True),
        ("Orwell", "the narrator\u2014Orwell's own", True),
        ("New York", "a New York-based firm", True),
        ("New York", "new  york", True),
        ("York New", "new york", False),
        ("3.5", "about 3.5 m", True),
        ("3.5", "about 3 . 5 m", True),
        ("3.5", "about 35 m", False),
        ("C++", "in C++.", True),
        ("The Who", "Who?", False),  # nothing is dropped
        ("Jos\u00e9", "Jose\u0301 came", True),
        ("Jose", "Jos\u00e9 came", False),
        (" ", "a  b", False),
        ("a\nb", "a b", True),
    ],
)
def test_an_answer_in_a_passage(alias, text, found):
    assert retrieval.answer_ranks([[alias]], texts("-", text)) == [2 if found else inf]


def test_answers_do_not_cross_passages():
    assert retrieval.answer_ranks([["a b"]], texts("x a", "b y")) == [inf]


def test_answer_ranks():
    passages = texts("Oslo and Roma", "Rome", "Paris")
    assert retrieval.answer_ranks([["Rome", "Roma"], ["Paris"], ["Bonn"], []], passages) == [
        1,
        3,
        inf,
        inf,
    ]
    assert retrieval.answer_ranks([["Rome"]], []) == [inf]


@given(st.lists(st.text(max_size=6), max_size=4), st.text(max_size=3))
def test_ranks_are_those_of_each_passage_alone(found, alias):
    passages = texts(*found)
    alone = [retrieval.answer_ranks([[alias]], [each])[0] == 1 for each in passages]
    expected = alone.index(True) + 1 if any(alone) else inf
    assert retrieval.answer_ranks([[alias]], passages) == [expected]


def longest_common_substring(first, second):
    best, row = 0, [0] * (len(second) + 1)
    for one in first:
        previous = 0
        for place, other in enumerate(second, 1):
            previous, row[place] = row[place], previous + 1 if one == other else 0
            best = max(best, row[place])
    return best


SMALL = st.text(alphabet="ab", max_size=14)


@given(SMALL, SMALL, st.sampled_from([0.5, 0.6, 0.7, 0.9]))
def test_overlaps_is_exact(first, second, share):
    shorter = min(len(first), len(second))
    expected = bool(shorter) and longest_common_substring(first, second) / shorter > share
    assert retrieval.has_long_overlap(first, second, share) is expected


@given(SMALL, SMALL, SMALL, SMALL, st.text(alphabet="ab", min_size=6, max_size=20))
def test_overlaps_is_exact_around_a_common_part(a, b, c, d, common):
    first, second = a + common + b, c + common + d
    shorter = min(len(first), len(second))
    expected = longest_common_substring(first, second) / shorter > 0.7
    assert retrieval.has_long_overlap(first, second) is expected


def test_overlaps_needs_more_than_the_share():
    assert not retrieval.has_long_overlap("abcdefghij", "abcdefgXYZ")  # 7 of 10
    assert retrieval.has_long_overlap("abcdefghij", "abcdefghYZ")
    with pytest.raises(ValueError, match=r"at least 0\.5 and below 1"):
        retrieval.has_long_overlap("a", "b", 0.4)


def test_evidence_is_known_by_title_and_text():
    gold = TitledPassage("Rome", "Rome is the capital of Italy.")
    ranked = [
        TitledPassage("Italy", "Rome is the capital of Italy."),
        TitledPassage("Rome", "Rome was not built in a day."),
        TitledPassage("ROME", "rome is the CAPITAL of Italy, as everybody knows by now."),
    ]
    assert retrieval.evidence_ranks([gold, TitledPassage("Rome", "x")], ranked) == [3, inf]


def test_worked_example():
    gold = {
        "q": Reference(
            answers=(("Rome", "Roma"), ("Oslo",), ("Bonn",)),
            evidence=(
                (TitledPassage("t", "Visit Rome"), TitledPassage("t", "the forum")),
                (TitledPassage("t", "Oslo!"),),
            ),
        ),
        "r": Reference(answers=(("Bonn",),)),
    }
    found = {"q": texts("near Roma", "visit rome!", "-", "Oslo!"), "r": texts("-", "Bonn")}
    evaluation = retrieval.score_predictions(gold, found, depths=(1, 2, 4))
    assert values(evaluation) == pytest.approx(
        {
            "arecall.1": (1 / 3 + 0) / 2,
            "arecall.2": (1 / 3 + 1) / 2,
            "arecall.4": (2 / 3 + 1) / 2,
            "hit.1": 0.5,
            "hit.2": 1,
            "hit.4": 1,
            "answer_mrr": 0.75,
            "erecall.1": 0,  # only q has evidence: r does not count
            "erecall.2": (1 / 2 + 0) / 2,
            "erecall.4": (1 / 2 + 1) / 2,
        }
    )
    assert {figure.name: len(evaluation.members(figure)) for figure in evaluation.figures} == (
        dict.fromkeys(values(evaluation), 2) | {f"erecall.{depth}": 1 for depth in (1, 2, 4)}
    )


def test_relevant_ids():
    gold = {"q": Reference(relevant=frozenset("24")), "r": Reference(relevant=frozenset("9"))}
    found = {"q": texts("a", "b", "c", "d")}
    assert values(retrieval.score_predictions(gold, found, depths=(2, 4))) == {
        "recall.2": 0.25,
        "recall.4": 0.5,
        "mrr": 0.25,
    }
    with pytest.raises(ValueError, match="at least 1"):
        retrieval.score_predictions(gold, found, depths=(0,))


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=3), min_size=1, max_size=3))
def test_recall_grows_with_the_depth(found):
    gold = {str(n): Reference(answers=(("a",), ("b", "c"))) for n in range(len(found))}
    ranked = {str(n): texts(*each) for n, each in enumerate(found)}
    scored = values(retrieval.score_predictions(gold, ranked, depths=(1, 2, 3)))
    assert 0 <= scored["arecall.1"] <= scored["arecall.2"] <= scored["arecall.3"] <= 1
    assert all(scored[f"arecall.{depth}"] <= scored[f"hit.{depth}"] for depth in (1, 2, 3))


# Files.


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return path

    return write


@pytest.mark.realdata
def test_gold_passages_hold_their_answers(realdata):
    path = realdata / "nq_open/nq-open-oracle-passages.jsonl.gz"
    evaluation = inputs.score_files(path, path, depths=(1, 10))
    assert evaluation.counts["n"] == 2655
    assert values(evaluation)["hit.1"] == 1


def test_evidence_belongs_to_its_answer(write):
    record = {
        "qid": "q",
        "answer_list": [
            {"answer_text": "Rome", "aliases": ["Rome"], "proof": [{"pid": 1}, {"pid": 2}]},
            {"answer_text": "Oslo", "proof": [{"pid": 3}, {"proof_text": "no id"}]},
            {"answer_text": "Bonn"},
        ],
        "answers": ["Rome", "Oslo", "Bonn"],
        "positive_ctxs": [
            {"title": "t", "text": "r1", "pid": 1},
            {"title": "t", "text": "x"},
            {"title": "t", "text": "r2", "pid": 2},
            {"title": "t", "text": "o", "pid": 3},
        ],
    }
    found = inputs.read_references(write("g", [record]))["q"]
    assert found.answers == (("Rome",), ("Oslo",), ("Bonn",))
    names = [[passage.text for passage in group] for group in found.evidence]
    assert names == [["r1", "r2"], ["o"], ["x"]]


def test_forms_of_answers(write):
    path = write(
        "g",
        '{"question": "a", "answers": ["x", "y"]}\n'
        '{"question": "b", "answers": [["x"], ["y"]]}\n'
        '{"question": "c", "relevant": ["p1", 2]}\n',
    )
    found = inputs.read_references(path)
    assert found["a"].answers == (("x", "y"),)
    assert found["b"].answers == (("x",), ("y",))
    assert found["c"] == Reference(relevant=frozenset({"p1", "2"}))


def test_passages(write):
    path = write("p", [{"id": 3, "ctxs": [{"title": "t", "text": "x", "psg_id": 7}, {"id": "8"}]}])
    assert inputs.read_predictions(path) == {
        "3": [TitledPassage("t", "x", "7"), TitledPassage("", "", "8")]
    }


def test_missing(write):
    gold = write("g", [{"id": "q", "relevant": ["1"]}, {"id": "r", "relevant": ["1"]}])
    given = write("p", [{"id": "q", "ctxs": [{"id": "1"}]}])
    with pytest.raises(BadInput, match="1 question without a prediction: r"):
        inputs.score_files(gold, given)
    assert values(inputs.score_files(gold, given, missing="zero", depths=(1,)))["mrr"] == 0.5
    with pytest.raises(BadInput, match="Depths must be"):
        inputs.score_files(gold, given, depths=())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3, "must be a list"),
        ([], "has no questions"),
        ([3], "record 1: must be one JSON object"),
        ([{"qid": "a"}, {"id": "b"}], "every record must have a qid"),
        ([{"id": "q", "answers": ["a"]}] * 2, "record 2: q is already in record 1"),
        ([{"id": None, "answers": ["a"]}], "record 1: id must be a string"),
        ([{"id": "q"}], "has no answers, no positive_ctxs and no relevant"),
        ([{"id": "q", "answers": "a"}], "answers must be a list"),
        ([{"id": "q", "answers": [["a"], "b"]}], "answers must be a list of strings"),
        ([{"id": "q", "answer_list": [3]}], "answer_list must be a list of JSON objects"),
        ([{"id": "q", "answer_list": [{}]}], "aliases must be a list of strings"),
        ([{"id": "q", "positive_ctxs": [{"title": 3}]}], "title and text must be strings"),
        ([{"id": "q", "positive_ctxs": 3}], "passages must be a list"),
        ([{"id": "q", "answer_list": [{"aliases": ["a"], "proof": 3}]}], "proof must be a list"),
        ([{"id": "q", "relevant": "1"}], "relevant must be a list of passage ids"),
    ],
)
def test_bad_references(write, data, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_references(write("g", data))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([{"id": "q"}], "question q: has no ctxs"),
        ([{"id": "q", "ctxs": ["text"]}], "must be a list of JSON objects"),
        ([{"id": "q", "ctxs": [{"title": "t"}]}], "passage 1: has neither text nor id"),
        ([{"id": "q", "ctxs": [{"text": "t", "id": [1]}]}], "the id must be a string"),
    ],
)
def test_bad_predictions(write, data, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_predictions(write("p", data))
