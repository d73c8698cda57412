"""From what models write to answers, pairs and votes, whatever they write."""

import pytest

from modeling import outputs
from modeling.base import Prediction, ShortAnswer
from tests.modeling.corpora import TRAINS, TUNNEL


def texts(answers):
    return [answer.text for answer in answers]


@pytest.mark.parametrize(
    ("written", "answers"),
    [
        ("1843 [SEP] 1869", ["1843", "1869"]),
        ("1843[SEP]1869", ["1843", "1869"]),
        ("1843 <SEP> 1869", ["1843", "1869"]),
        ("1843 <sep> 1869", ["1843", "1869"]),
        ("<s> 1843 [SEP] 1869</s><pad><pad>", ["1843", "1869"]),
        ("[SEP] 1843 [SEP] [SEP] ", ["1843"]),
        ("The Beatles [SEP] the beatles. [SEP] Beatles", ["The Beatles"]),
        ("? [SEP] The The", ["?", "The The"]),
        ("", []),
        (" [SEP] ", []),
        ("18\x0043 [SEP] 18\ud80069", ["1843", "1869"]),
        ("x" * 501 + " [SEP] 1843", ["1843"]),
    ],
)
def test_answers_between_separators(written, answers):
    assert texts(outputs.parse_separated_answers(written)) == answers


def test_answers_between_number_signs():
    assert texts(outputs.parse_fid_answers("Oslo#Bergen # oslo##Tromsø#")) == [
        "Oslo",
        "Bergen",
        "Tromsø",
    ]


@pytest.mark.parametrize("read", [outputs.parse_separated_answers, outputs.parse_fid_answers])
def test_a_model_that_never_stops_gives_a_bounded_list(read):
    mark = "#" if read is outputs.parse_fid_answers else "[SEP]"
    answers = read(mark.join(f"answer {number}" for number in range(50_000)))
    assert len(answers) == outputs.MOST_ANSWERS
    assert answers[0].text == "answer 0"


def test_the_union_over_passages_leaves_out_what_is_not_relevant():
    answers = outputs.parse_pig_answers(
        ["Not Relevant", "1843", "1869", "1843.", "not relevant", ""],
        [TRAINS, TUNNEL, TRAINS, TRAINS, TUNNEL, TUNNEL],
    )
    assert [(answer.text, answer.passage) for answer in answers] == [
        ("1843", TUNNEL),
        ("1869", TRAINS),
    ]


def test_a_text_for_each_passage_is_needed():
    with pytest.raises(ValueError, match="longer than"):
        outputs.parse_pig_answers(["1843"], [TUNNEL, TRAINS])


def test_questions_between_separators():
    written = "Who won? [SEP] who won? [SEP] [SEP]  Who lost? "
    assert outputs.parse_questions(written) == ("Who won?", "Who lost?")


def test_each_answer_is_a_pair_and_people_read_a_question_once():
    pairs = outputs.build_pairs(
        ["When did it open?", "When did it open?", " ", "Who built it?"],
        [ShortAnswer("1843"), ShortAnswer("1869"), ShortAnswer("1900"), ShortAnswer("Brunel")],
    )
    assert [(pair.question, texts(pair.answers)) for pair in pairs] == [
        ("When did it open?", ["1843"]),
        ("When did it open?", ["1869"]),
        ("Who built it?", ["Brunel"]),
    ]
    merged = outputs.merge_questions(pairs)
    assert [(pair.question, texts(pair.answers)) for pair in merged] == [
        ("When did it open?", ["1843", "1869"]),
        ("Who built it?", ["Brunel"]),
    ]


def test_answers_above_the_threshold_likeliest_first():
    spans = [
        ShortAnswer("1869", score=0.2), ShortAnswer("1843", score=0.5), ShortAnswer("1,843",
        score=0.9), ShortAnswer("1825", score=0.1),
    ]  # fmt: skip
    assert [(a.text, a.score) for a in outputs.filter_by_likelihood(spans, 0.1)] == [
        ("1,843", 0.9),
        ("1869", 0.2),
    ]


def test_an_answer_that_is_an_alias_of_one_before_is_left_out():
    merged = outputs.merge_answers(
        [ShortAnswer("New York City", ("NYC", "New York")), ShortAnswer("nyc")]
    )
    assert texts(merged) == ["New York City"]


def prediction(*answers):
    return Prediction("1", answers=tuple(map(ShortAnswer, answers)))


def test_the_answers_that_most_models_predict_win():
    vote = outputs.vote_on_answers(
        [prediction("1843", "1869"), prediction("1869"), prediction("1825", "the 1869")]
    )
    assert [(answer.text, answer.score) for answer in vote] == [("1869", 1.0)]


def test_all_answers_win_at_a_tie():
    vote = outputs.vote_on_answers(
        [prediction("1843", "1869"), prediction("1869", "1843"), prediction("x")]
    )
    assert [(answer.text, round(answer.score, 2)) for answer in vote] == [
        ("1843", 0.67),
        ("1869", 0.67),
    ]


def test_all_that_more_than_half_predict_win_by_majority():
    """A second answer that one model misses is kept; what half of them predict is not."""
    given = [prediction("1843", "1869", "1825"), prediction("1869", "1843"), prediction("1869")]
    vote = outputs.vote_on_answers([*given, prediction("1843", "1869", "1825")], majority=True)
    assert [(answer.text, answer.score) for answer in vote] == [("1843", 0.75), ("1869", 1.0)]


def test_without_a_majority_those_that_most_predict_win():
    given = [prediction("1843"), prediction("1869"), prediction("1825"), prediction("1825")]
    assert texts(outputs.vote_on_answers(given, majority=True)) == ["1825"]


def test_a_model_has_one_vote_for_an_answer():
    vote = outputs.vote_on_answers(
        [prediction("1843", "1843."), prediction("1869"), prediction("1869")]
    )
    assert texts(vote) == ["1869"]


@pytest.mark.parametrize("predictions", [[], [prediction()], [prediction(), prediction()]])
def test_a_vote_without_answers_has_no_winner(predictions):
    assert outputs.vote_on_answers(predictions) == ()


def test_a_long_answer_is_cut_after_a_word():
    text = outputs.clean_long_answer("<pad> " + "word " * 5_000 + "</s>")
    assert len(text) <= outputs.MOST_LONG + 2
    assert text.endswith("word …")
    assert outputs.clean_long_answer("It\x00 opened.\n\nTwice.</s>") == "It opened.\n\nTwice."
