"""What models reply: anything at all."""

import json

import pytest

from modeling.replies import BadReply, parse_reply
from tests.modeling.chat import GOOD
from tests.modeling.corpora import TRAINS, TUNNEL


def reply(**fields):
    pair = {"question": "Who?", "answers": ["Ada"]}
    return json.dumps({"pairs": [pair], "long_answer": "Ada."} | fields)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here you are:\n\n```JSON\n{GOOD}\n``` I hope that it helps.",
        f"Sure! {GOOD} Anything else?",
        f"```json\n{GOOD}",
        f"{GOOD}\n```\nThis is all.\n```",
        f"The reply for {{you}}:\n```json\n{GOOD}\n```",
        f"\ufeff  {GOOD}",
    ],
)
def test_an_object_is_read_with_words_or_a_fence_around_it(text):
    assert parse_reply(text) == parse_reply(GOOD)
    assert [answer.text for answer in parse_reply(text).answers] == ["1843", "1869", "in 1869"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no JSON object"),
        ("\0\0", "no JSON object"),
        ("I do not know.", "no JSON object"),
        ('["Ada"]', "no JSON object"),
        ("{", "not JSON: "),
        ('{"pairs": [', "not JSON: "),
        ('{"n": ' + "9" * 5_000 + "}", "not JSON that can be read"),
        ('{"a":' * 20_000, "not JSON"),
        ("{}", "neither pairs nor a long answer"),
        ('{"pairs": [], "long_answer": " \\u0000 "}', "neither pairs nor a long answer"),
        (reply(pairs={"0": 1}), "“pairs” should be a list, and is an object"),
        (reply(pairs=None), "should be a list, and is null"),
        (reply(pairs=["Ada"]), 'Pair 1 should be an object, and is "Ada"'),
        (reply(pairs=[{"question": 7, "answers": ["x"]}]), "question of pair 1 should be text"),
        (reply(pairs=[{"answers": ["x"]}]), "question of pair 1 should be text, and is null"),
        (reply(pairs=[{"question": "Who?", "answers": "Ada"}]), "answers of pair 1 should be a li"),
        (reply(pairs=[{"question": "Who?", "answers": [["Ada"]]}]), "answer of pair 1 should be t"),
        (reply(pairs=[{"question": "Who?", "answers": []}]), "Pair 1 has no answer"),
        (reply(pairs=[{"question": "Who?", "answers": ["\0 "]}]), "Pair 1 has no answer"),
        (reply(pairs=[{"question": " ", "answers": ["x"]}]), "Pair 1 has no question"),
        (reply(pairs=[{"question": "Who?", "answers": ["x"] * 5_000}]), "5,000 answers. The max"),
        (reply(pairs=[{"question": "Who?", "answers": ["x"]}] * 3_000), "3,000 pairs. The maximum"),
        (reply(pairs=[{"question": "y" * 501, "answers": ["x"]}]), "has 501 characters"),
        (reply(pairs=[{"question": "Who?", "answers": ["x" * 501]}]), "has 501 characters"),
        (reply(long_answer="x" * 10_001), "“long_answer” has 10,001 characters"),
        (reply(long_answer=["x"]), "“long_answer” should be text, and is a list"),
        ("x" * 200_001, "200,001 characters. The maximum is 200,000"),
    ],
)
def test_what_is_wrong_is_named(text, sentence):
    with pytest.raises(BadReply, match=sentence):
        parse_reply(text)


def test_a_fence_inside_an_answer_is_text():
    assert parse_reply(reply(long_answer="First:\n```\ncode\n```")).long_answer.endswith("```")


def test_text_is_cleaned_and_repeated_answers_count_once():
    text = json.dumps(
        {
            "pairs": [
                {"question": "Who\nwon?", "answers": [" Ada\u0000 ", "ada.", "Ada \ud800Lovelace"]},
                {"question": "Who won?", "answers": ["ADA", "Byron"]},
            ],
            "long_answer": "Ada\x00 won.\r\n\r\nTwice.",
        }
    )
    (pair,) = parse_reply(text).pairs

    assert pair.question == "Who won?"
    assert [answer.text for answer in pair.answers] == ["Ada", "Ada Lovelace", "Byron"]
    assert parse_reply(text).long_answer == "Ada won.\n\nTwice."


@pytest.mark.parametrize("number", [0, 3, -1, "1", 1.0, True, [1]])
def test_a_passage_that_was_not_given_is_refused(number):
    pair = {"question": "Who?", "answers": ["Ada"], "passage": number}
    with pytest.raises(BadReply, match="passage of pair 1"):
        parse_reply(reply(pairs=[pair]), [TRAINS, TUNNEL])


def test_a_passage_is_found_by_its_number_and_ignored_where_none_was_given():
    pair = {"question": "Who?", "answers": ["Ada"], "passage": 2}
    assert parse_reply(reply(pairs=[pair]), [TRAINS, TUNNEL]).answers[0].passage == TUNNEL
    assert parse_reply(reply(pairs=[pair])).answers[0].passage is None
