"""F1-answer, BLEU and EDIT-F1: worked cases, the official numbers, and what holds for any text."""

import json
import math
import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics import bleu
from metrics.ambigqa import (
    AmbigqaAnnotation,
    GoldPair,
    PredictedPair,
    Reference,
    edit_f1,
    score_predictions,
)
from metrics.inputs.ambigqa import score_files
from metrics.score import BadInput

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=9).map(tuple)
PROMPT = "When did the Thames Tunnel open?"
OPENED = "When did the Thames Tunnel open to walkers?"
TRAINS = "When did the Thames Tunnel open to trains?"
TWO = Reference(
    "1",
    PROMPT,
    (
        AmbigqaAnnotation(
            pairs=(GoldPair(OPENED, ("1843", "in 1843")), GoldPair(TRAINS, ("1869",)))
        ),
    ),
)
ONE = Reference("2", PROMPT, (AmbigqaAnnotation(answer=("1843", "March 1843")),))
OFFICIAL = {
    "F1 answer": "f1_answer",
    "F1 bleu1": "f1_bleu1",
    "F1 bleu2": "f1_bleu2",
    "F1 bleu3": "f1_bleu3",
    "F1 bleu4": "f1_bleu4",
    "F1 edit-f1": "f1_edit",
}
TEXT = st.text(max_size=20) | st.sampled_from([PROMPT, OPENED, TRAINS, "1843", "", "|", "the"])
PREDICTIONS = st.lists(TEXT, max_size=6) | st.lists(
    st.builds(PredictedPair, TEXT, TEXT), max_size=6
)


def values(reference, prediction, **how):
    """Score one question and return its columns."""
    result = score_predictions([reference], {reference.id: prediction}, **how)
    return {name: column[0] for name, column in result.columns.items()}


@pytest.mark.parametrize(
    ("reference", "prediction", "precision", "recall"),
    [
        (TWO, ["1843", "1869"], 1, 1),
        (TWO, ["1843"], 1, 1 / 2),
        (TWO, ["The 1843!", "in 1843"], 1 / 2, 1 / 2),  # one gold answer is found once
        (TWO, ["1843", "1869", "1869"], 2 / 3, 1),  # a duplicate is a false positive
        (TWO, ["1850"], 0, 0),
        (TWO, [], 0, 0),
        (ONE, ["march, 1843"], 1, 1),
        (ONE, ["1843", "March 1843"], 1 / 2, 1),  # forms of one answer
    ],
)
def test_answers(reference, prediction, precision, recall):
    got = values(reference, prediction)
    assert got["precision_answer"] == pytest.approx(precision)
    assert got["recall_answer"] == pytest.approx(recall)
    both = precision + recall
    assert got["f1_answer"] == pytest.approx(2 * precision * recall / both if both else 0)


def test_each_measure_has_its_own_best_annotation():
    copied = AmbigqaAnnotation(pairs=(GoldPair(PROMPT, ("1843",)), GoldPair("Which?", ("x",))))
    other = AmbigqaAnnotation(pairs=(GoldPair("Which year saw it start", ("1843",)),))
    got = values(Reference("1", PROMPT, (copied, other)), [PredictedPair(PROMPT, "1843")])
    assert got["f1_answer"] == 1  # the second annotation has one answer only
    assert got["f1_edit"] == pytest.approx(2 / 3)  # the first has the question


def test_a_single_answer_counts_for_every_measure():
    got = values(ONE, [PredictedPair("anything at all", "1843"), PredictedPair("else", "1844")])
    for name in OFFICIAL.values():
        assert got[name] == pytest.approx(2 / 3)


def test_pairs_are_assigned_by_question_and_only_with_the_right_answer():
    right = values(TWO, [PredictedPair(TRAINS, "1869"), PredictedPair(OPENED, "1843")])
    assert right["f1_edit"] == 1
    swapped = values(TWO, [PredictedPair(TRAINS, "1843"), PredictedPair(OPENED, "1869")])
    assert swapped["f1_answer"] == 1
    assert swapped["f1_edit"] == pytest.approx(1 / 2)  # "to" of the two words added


def test_the_best_question_is_taken_first():
    got = values(TWO, [PredictedPair(PROMPT, "1843"), PredictedPair(OPENED, "1843")])
    assert got["f1_edit"] == pytest.approx(2 * 1 / 4)
    assert got["f1_answer"] == pytest.approx(1 / 2)


def test_a_bar_separates_alternatives_of_a_gold_question():
    reference = Reference(
        "1", PROMPT, (AmbigqaAnnotation(pairs=(GoldPair(f"{TRAINS}| |{OPENED}", ("1843",)),)),)
    )
    assert values(reference, [PredictedPair(OPENED, "1843")])["f1_edit"] == 1
    assert values(reference, [PredictedPair(TRAINS, "1843")])["f1_bleu1"] == pytest.approx(1)
    # + to, + walkers, + first: 2 of them are among the 2 of OPENED, 1 among the 2 of TRAINS
    near = values(reference, [PredictedPair(OPENED.replace("?", " first?"), "1843")])
    assert near["f1_edit"] == pytest.approx(2 * 2 / (3 + 2))


def test_the_formula_of_the_paper_gives_each_prediction_its_best_gold_pair():
    said = [PredictedPair(OPENED, "1843"), PredictedPair(PROMPT, "1843")]
    script, paper = values(TWO, said), values(TWO, said, pairing="paper")
    assert script["f1_edit"] == pytest.approx(2 * 1 / 4)
    assert paper["f1_edit"] == pytest.approx(2 * 1 / 4)  # the second rewrites nothing
    assert script["f1_answer"] == pytest.approx(1 / 2)
    assert paper["f1_answer"] == 1  # precision 2/2, recall 2/2
    thrice = values(TWO, ["1843"] * 3, pairing="paper")
    assert thrice["recall_answer"] == thrice["f1_answer"] == 1  # capped


@pytest.mark.parametrize(
    ("prompt", "gold", "said", "expected"),
    [
        ("who made it", "who wrote it", "who made it in 2012", 0.0),  # the paper's kind of miss
        ("who made it", "who wrote it", "who wrote it in 2012", 2 * 2 / (2 + 4)),
        ("who made it", "who made it", "who made it", 1.0),  # both empty
        ("who made it", "who made it", "who", 0.0),  # one empty
        ("who made it", "it made who", "who made it", 1.0),  # order does not count
        ("a a b", "a b b", "a b", 2 * 1 / (2 + 1)),  # multisets
        ("who made it", "who", "", 2 * 2 / (2 + 4)),  # no words count as one empty word
    ],
)
def test_edit_f1(prompt, gold, said, expected):
    words = [tuple(text.split()) for text in (prompt, gold, said)]
    assert edit_f1(*words) == pytest.approx(expected)


def change(prompt, question):
    """Return Counter's word on what is added and what is deleted."""
    before, after = (Counter(text or ("",)) for text in (prompt, question))
    return Counter((word, "added") for word in (after - before).elements()) + Counter(
        (word, "deleted") for word in (before - after).elements()
    )


@given(WORDS, WORDS, WORDS)
def test_edits_are_those_of_multisets(prompt, gold, said):
    wanted, made = change(prompt, gold), change(prompt, said)
    count = (wanted + made).total()
    expected = 2 * (wanted & made).total() / count if count else 1.0
    assert edit_f1(prompt, gold, said) == expected


@given(st.lists(WORDS, min_size=1, max_size=2), WORDS)
@example([tuple("abcdefg")], tuple("xabcdfg"))  # runs, and no word twice
def test_bleu_counts_the_ngrams_that_multisets_share(references, said):
    def grams(text, order):
        return Counter(text[start : start + order] for start in range(len(text) - order + 1))

    expected = []
    for order in range(1, 5):
        most = Counter()
        for text in references:
            most |= grams(text, order)
        expected.append((most & grams(said, order)).total())
    assert list(bleu.Gold(references).count_matches(said)) == expected


def test_bleu_of_short_and_of_clipped_texts():
    three = ("who", "sang", "it")
    assert bleu.bleu(bleu.Gold([three]), three)[3] == pytest.approx(0.0316, abs=5e-5)
    clipped = bleu.bleu(bleu.Gold([("a", "b", "c")]), ("a", "a", "a"))
    assert clipped[0] == pytest.approx(1 / 3)
    assert clipped[1] == pytest.approx(0, abs=1e-7)
    short = bleu.bleu(bleu.Gold([tuple("abcdefgh")]), tuple("abcd"))
    assert short[1] == pytest.approx(math.exp(1 - 8 / 4))
    closest = bleu.bleu(bleu.Gold([tuple("abcdefgh"), tuple("abc")]), tuple("abcd"))
    assert closest[0] == pytest.approx(1)  # no penalty: three words are nearer than eight
    assert bleu.bleu(bleu.Gold([("a",)]), ()) == (0, 0, 0, 0)


def test_figures_and_counts():
    result = score_predictions(
        [TWO, ONE], {"1": [PredictedPair(OPENED, "1843")], "2": [PredictedPair(PROMPT, "1843")]}
    )
    scores = result.scores()
    assert list(scores)[:4] == [
        "f1_answer.all",
        "f1_answer.multi",
        "f1_bleu1.multi",
        "f1_bleu1.all",
    ]
    assert scores["f1_answer.all"].value == pytest.approx((2 / 3 + 1) / 2)
    assert scores["f1_answer.multi"].value == pytest.approx(2 / 3)
    assert scores["answers.all"].value == 1
    assert scores["gold_answers.all"].value == 1.5
    assert result.counts == {"n": 2, "n_multi": 1}
    assert "pairing:script" in scores["f1_edit.all"].signature
    assert "tokens:ptb" in scores["f1_edit.all"].signature
    answers = score_predictions([TWO], {"1": ["1843"]}).scores()
    assert not any("bleu" in name or "edit" in name for name in answers)


def test_questions_without_an_answer_are_left_out_and_counted():
    none = Reference("3", PROMPT, ())
    result = score_predictions([TWO, none], {"1": ["1843", "1869"]})
    assert result.counts == {"n": 1, "n_multi": 1, "n_no_answer": 1}
    with pytest.raises(BadInput, match="nothing to score"):
        score_predictions([none], {})


def test_what_cannot_be_scored_is_said():
    with pytest.raises(BadInput, match="no prediction, among them 1"):
        score_predictions([TWO], {})
    with pytest.raises(BadInput, match="one kind"):
        score_predictions([TWO, ONE], {"1": ["1843"], "2": [PredictedPair(PROMPT, "1843")]})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), PREDICTIONS)
def test_any_text_scores_between_0_and_1(gold, prediction):
    pairs = tuple(GoldPair(question, (answer,)) for question, answer in gold)
    reference = Reference(
        "1", gold[0][0], (AmbigqaAnnotation(pairs=pairs), AmbigqaAnnotation(answer=("1843",)))
    )
    for pairing in ("script", "paper"):
        got = values(reference, prediction, pairing=pairing)
        for name in {*OFFICIAL.values(), "precision_answer", "recall_answer"} & set(got):
            assert -1e-12 <= got[name] <= 1 + 1e-9, name


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(4)), st.randoms(use_true_random=False))
def test_the_order_of_predictions_does_not_count_where_answers_differ(order, chance):
    said = [
        PredictedPair(chance.choice([PROMPT, OPENED, TRAINS]), f"{1843 + 26 * k}") for k in range(4)
    ]
    first, second = values(TWO, said), values(TWO, [said[k] for k in order])
    assert first == pytest.approx(second)


@given(st.lists(TEXT, min_size=1, max_size=4, unique_by=lambda text: text.strip().lower()))
def test_gold_scores_1(questions):
    pairs = tuple(
        GoldPair(question.replace("|", " ") or "x", (f"answer{k}",))
        for k, question in enumerate(questions)
    )
    reference = Reference("1", PROMPT, (AmbigqaAnnotation(pairs=pairs),))
    got = values(reference, [PredictedPair(pair.question, pair.answers[0]) for pair in pairs])
    assert got["f1_answer"] == 1
    assert got["f1_edit"] == pytest.approx(1)  # BLEU does not: it is lower for short questions


@pytest.fixture
def official(realdata):
    """Give the path of the reference questions, and the folder of their predictions."""
    return realdata / "ambignq/dev_light.json", realdata / "reference/ambignq"


@pytest.mark.realdata
def test_equal_to_the_official_scorer_on_every_question_and_mean(official):
    references, folder = official
    result = score_files(references, folder / "predictions.json")
    expected = json.loads((folder / "per_example.json").read_bytes())
    for place, name in enumerate(result.ids):
        for theirs, ours in {**OFFICIAL, "is_multi": "multi"}.items():
            got = result.columns[ours][place]
            assert got == pytest.approx(float(expected[name][theirs]), abs=1e-9), (name, ours)
    means = json.loads((folder / "scores.json").read_bytes())
    scores = result.scores()
    assert result.counts == {"n": means["n"], "n_multi": means["n_multi_only"]}
    for theirs, ours in OFFICIAL.items():
        for kind, items in (("all_mean", "all"), ("multi_only_mean", "multi")):
            value = scores[f"{ours}.{items}"].value
            assert value == pytest.approx(means["metrics"][theirs][kind], abs=1e-9)


@pytest.mark.realdata
def test_answers_only_and_a_copy_of_the_gold(official, tmp_path):
    references, folder = official
    said = json.loads((folder / "predictions.json").read_bytes())
    answers = {name: [pair["answer"] for pair in pairs] for name, pairs in said.items()}
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers))
    both = score_files(references, folder / "predictions.json").scores()
    only = score_files(references, path).scores()
    assert only["f1_answer.all"].value == both["f1_answer.all"].value
    assert only["precision_answer.multi"].value == both["precision_answer.multi"].value
    gold = {}
    for record in json.loads(references.read_bytes()):
        chosen = random.Random(1).choice(record["annotations"])
        pairs = chosen.get("qaPairs") or [{"question": "x", "answer": chosen["answer"]}]
        gold[record["id"]] = [
            {"question": pair["question"].split("|")[0], "answer": pair["answer"][0]}
            for pair in pairs
        ]
    path.write_text(json.dumps(gold))
    perfect = score_files(references, path).scores()
    assert perfect["f1_answer.all"].value == 1
    assert perfect["f1_edit.all"].value == 1
    assert 0.95 < perfect["f1_bleu4.multi"].value < 1  # questions of fewer than four words
