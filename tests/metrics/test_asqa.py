"""ASQA's measures on answers small enough to work out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import asqa
from metrics.asqa import AsqaAnnotation, AsqaPair, Question
from metrics.resampling import bootstrap_intervals
from metrics.score import BadInput
from metrics.sentences import Rules

REFERENCES = {
    "1": Question(
        [
            AsqaPair("when did it open?", ["1843", "25 March 1843"]),
            AsqaPair("and reopen?", ["2010"]),
        ],
        [
            AsqaAnnotation("It opened in 1843."),
            AsqaAnnotation("It opened in 1843. It reopened in 2010."),
        ],
    ),
    "2": Question(
        [AsqaPair("who?", ["The Who"])], [AsqaAnnotation("the who"), AsqaAnnotation("A band.")]
    ),
}
TEXT = st.text(max_size=30)
QUESTION = st.builds(
    Question,
    st.lists(
        st.builds(AsqaPair, TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=3
    ),
    st.lists(st.builds(AsqaAnnotation, TEXT), min_size=1, max_size=3),
)


def scored(predictions, references=REFERENCES, **options):
    """Score with the rules for sentences, which are there on every machine."""
    return asqa.score_predictions(references, predictions, splitter=Rules(), **options)


def values(evaluation):
    """Return the figures' values by name."""
    return {name: score.value for name, score in evaluation.scores().items()}


def test_by_hand():
    evaluation = scored({"1": "It opened in 1843. Twice.", "2": "nobody"})
    # first reference: 4 tokens, all among the 5 of the prediction; second: 4 of its 8
    assert evaluation.columns["rouge_lsum_1"] == pytest.approx([100 * 8 / 9, 0])
    assert evaluation.columns["rouge_lsum_2"] == pytest.approx([100 * 8 / 13, 0])
    assert evaluation.columns["rouge_lsum"] == pytest.approx([100 * 8 / 9, 0])
    assert evaluation.columns["str_em"] == [50, 0]
    assert evaluation.columns["length"] == [5, 1]
    assert values(evaluation) == pytest.approx({"rouge_lsum": 400 / 9, "str_em": 25, "length": 3})
    assert dict(evaluation.counts) == {"n": 2, "qa_pairs": 3}


def test_the_readers_answers():
    answers = {"1_0": ["opened 1843"], "1_1": ["in", "2010!"], "2_0": ["who"]}
    evaluation = scored({"1": "", "2": "the who"}, reader_answers=answers)
    # "opened 1843": half right of "1843", one word of three of "25 march 1843"
    assert evaluation.columns["qa_f1"] == pytest.approx([100 * (2 / 3 + 1) / 2, 100])
    assert evaluation.columns["qa_em"] == [50, 100]
    assert evaluation.columns["qa_hit"] == [0, 100]
    figures = values(evaluation)
    assert list(figures) == ["rouge_lsum", "str_em", "length", "qa_f1", "qa_em", "qa_hit", "dr"]
    assert figures["rouge_lsum"] == 50
    assert figures["dr"] == pytest.approx(math.sqrt(50 * figures["qa_f1"]))


def test_dr_is_made_of_the_aggregates_in_every_resample():
    evaluation = scored(
        {"1": "", "2": "the who"}, reader_answers={"1_0": ["1843"], "1_1": ["2010"]}
    )
    # question 1 has F1 100 and ROUGE-L 0, question 2 the reverse: each product alone is 0
    assert evaluation.scores()["dr"].value == pytest.approx(50)
    drawn = bootstrap_intervals(evaluation, resamples=200)["dr"]
    assert (drawn.low, drawn.high) == pytest.approx((0, 50))


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("25 March 1843", "March 25", 4 / 5),
        ("a b b", "b b c", 1.0 * 2 * (2 / 3) / (5 / 3)),  # the article goes
        ("the", "", 1),
        ("", "?!", 1),
        ("", "x", 0),
        ("x", "", 0),
        ("x", "y", 0),
    ],
)
def test_token_f1(gold, answer, expected):
    assert asqa.token_f1(gold, answer) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answers", "text", "expected"),
    [
        (["1843"], "in 18435", 100),  # characters, not words
        (["U.S.A."], "the usa won", 100),
        (["José"], "jose", 0),
        (["1995-96"], "1995–96", 0),
        (["x", "won"], "they won", 100),
        (["The"], "", 100),  # nothing is left of it, and nothing is in everything
    ],
)
def test_str_em(answers, text, expected):
    assert asqa.str_em([AsqaPair("", answers)], text) == expected


def test_a_question_without_a_prediction_counts_nothing_at_all():
    references = {"1": Question([AsqaPair("", ["The"])], [AsqaAnnotation("a b")])}
    answered = scored({"1": ""}, references, reader_answers={"1_0": [""]})
    assert (answered.columns["str_em"], answered.columns["qa_em"]) == ([100], [100])
    absent = scored({}, references, reader_answers={})
    assert not any(value for column in absent.columns.values() for value in column)
    assert "missing:zero" in absent.signature(absent.figures[0])
    assert "missing" not in answered.signature(answered.figures[0])


def test_the_signature_says_who_cut_the_sentences(monkeypatch):
    evaluation = scored({"1": "", "2": ""})
    assert evaluation.signature(evaluation.figures[0]).startswith(
        "asqa.rouge_lsum|items:all|sentences:rules|"
    )


def test_columns_of_single_references_are_those_every_question_has():
    three = Question(
        REFERENCES["2"].pairs, [AsqaAnnotation("a"), AsqaAnnotation("b"), AsqaAnnotation("c")]
    )
    columns = scored({"1": "x", "2": "c"}, REFERENCES | {"2": three}).columns
    assert "rouge_lsum_3" not in columns
    assert columns["rouge_lsum"] == [0, 100]


def test_one_annotator_against_the_other():
    first = asqa.human_performance(REFERENCES, splitter=Rules())
    assert first.columns["rouge_lsum"] == pytest.approx([100 * 8 / 12, 0])
    assert first.columns["str_em"] == [50, 100]
    second = asqa.human_performance(REFERENCES, annotator=1, splitter=Rules())
    assert second.columns["str_em"] == [100, 0]
    with pytest.raises(BadInput, match="nothing to compare"):
        asqa.human_performance(REFERENCES, annotator=2, splitter=Rules())


def test_agreement():
    alone = Question(REFERENCES["2"].pairs, [AsqaAnnotation("alone")])
    evaluation = asqa.score_annotator_agreement(REFERENCES | {"3": alone}, splitter=Rules())
    assert evaluation.ids == ["1", "2"]
    assert values(evaluation) == pytest.approx({"rouge_lsum": 100 / 3, "rouge_l": 100 / 3})
    with pytest.raises(BadInput, match="agreement needs two"):
        asqa.score_annotator_agreement({"3": alone})


def test_attributability():
    question = Question(
        [
            AsqaPair("when opened?", ["1843"], "It is a tunnel."),
            AsqaPair("and reopened?", ["2010"]),
        ],
        [
            AsqaAnnotation("Tunnel opened 1843 by Brunel", ["Brunel built it."]),
            AsqaAnnotation("tunnel"),
        ],
    )
    assert asqa.support_document(question, question.annotations[0]) == (
        "when opened? 1843\nand reopened? 2010\nIt is a tunnel.\nBrunel built it."
    )
    evaluation = asqa.score_attributability({"1": question})
    assert evaluation.ids == ["1_0", "1_1"]
    assert evaluation.columns == {
        "with_disambiguations": [80, 100],
        "without_disambiguations": [40, 100],
        "support_length": [13, 10],
        "support_length_without_disambiguations": [7, 4],
    }


@given(QUESTION, TEXT, st.lists(TEXT, min_size=1, max_size=2))
def test_bounds_on_any_text(question, prediction, answers):
    read = {f"1_{place}": answers for place in range(len(question.pairs))}
    evaluation = scored({"1": prediction}, {"1": question}, reader_answers=read)
    for name, score in evaluation.scores().items():
        assert 0 <= score.value <= (100 + 1e-9 if name != "length" else 30)
    columns = evaluation.columns
    assert columns["qa_em"][0] <= columns["qa_f1"][0] + 1e-9
    assert columns["qa_hit"][0] == (100 if columns["qa_em"][0] == 100 else 0)


@given(st.lists(QUESTION, min_size=1, max_size=4), st.data())
def test_the_gold_scores_100(questions, data):
    references = dict(zip("abcd", questions, strict=False))
    read = {
        f"{name}_{place}": [data.draw(st.sampled_from(pair.short_answers))]
        for name, question in references.items()
        for place, pair in enumerate(question.pairs)
    }
    words = {name: question.annotations[0].long_answer for name, question in references.items()}
    evaluation = scored(words, references, reader_answers=read)
    figures = values(evaluation)
    assert figures["qa_f1"] == figures["qa_em"] == figures["qa_hit"] == 100
    for name, value in zip(references, evaluation.columns["rouge_lsum"], strict=True):
        # a text without a letter or digit of ASCII has no tokens, so nothing can be found of it
        if any(c.isascii() and c.isalnum() for c in words[name].lower()):
            assert value == 100


@given(st.permutations(["1", "2"]))
def test_the_order_of_questions_does_not_matter(order):
    predictions = {"1": "It opened in 1843. It did.", "2": "the band"}
    read = {"1_0": ["1843"], "1_1": ["2011"], "2_0": ["band"]}
    references = {name: REFERENCES[name] for name in order}
    assert values(scored(predictions, references, reader_answers=read)) == pytest.approx(
        values(scored(predictions, reader_answers=read))
    )


def test_the_signature_says_where_the_reader_left_a_pair_out():
    said = {"1": "In 1843.", "2": "the who"}
    read = {"1_0": ["1843"], "1_1": ["2010"], "2_0": ["the who"]}
    whole = scored(said, reader_answers=read)
    part = scored(said, reader_answers={"1_0": ["1843"]})
    assert "missing" not in whole.signature(whole.figures[0])
    assert "missing:zero" in part.signature(part.figures[0])
