"""A language model that is asked in plain words: what it is sent, and which answers count."""

import pytest

from modeling import registry
from modeling.base import BadOption, BaselineQuestion
from tests.modeling.chat import Reply
from tests.modeling.corpora import TRAINS, TUNNEL, Corpus

ASKED = BaselineQuestion("q1", "When did the Thames Tunnel open?")


def ask(corpus=None, asked=(ASKED,), **options):
    return list(registry.build_baseline("llm-plain", corpus or Corpus(), options).predict(asked))


def test_a_long_answer_and_then_the_short_ones_that_a_passage_has(chat, naps):
    year = TRAINS.text.split()[-1].strip(".")
    chat.replies = [
        Reply("[1] It opened twice, for walkers and for trains."),
        Reply(f"1. {year}.\n- {year}\n1999\nThames Tunnel\n{TUNNEL.text}"),
    ]
    (prediction,) = ask()

    assert prediction.problem == ""
    assert prediction.long_answer == "It opened twice, for walkers and for trains."
    # Neither what is in no passage, nor the question's own words, nor a whole passage.
    assert [answer.text for answer in prediction.answers] == [year]
    assert prediction.answers[0].passage.id == TRAINS.id
    assert (prediction.tokens_in, prediction.tokens_out) == (200, 40)
    first, second = chat.bodies
    assert f"[1] Thames Tunnel\n{TRAINS.text}" in first["messages"][1]["content"]
    assert second["messages"][-1]["content"] == first["messages"][1]["content"]
    assert second["messages"][2] == {"role": "assistant", "content": "1843\n1869"}
    assert all("response_format" not in body and body["max_tokens"] == 120 for body in chat.bodies)


def test_a_long_answer_that_was_cut_ends_with_its_last_sentence(chat, naps):
    chat.replies = [Reply("It opened in 1843. Later it was", finish="length"), Reply("1843")]
    assert ask()[0].long_answer == "It opened in 1843."
    chat.replies = [Reply("It opened in 1843 and", finish="length"), Reply("1843")]
    assert ask()[0].long_answer == "It opened in 1843 and"


def test_without_passages_there_is_no_list(chat, naps):
    chat.replies = [Reply("Nobody knows.")]
    (prediction,) = ask(asked=[BaselineQuestion("q1", "Why?")])
    assert (prediction.long_answer, prediction.answers) == ("Nobody knows.", ())
    assert len(chat.bodies) == 1


def test_a_reply_without_a_word_is_a_problem(chat, naps):
    chat.replies = [Reply(" \n\u200b")]
    (prediction,) = ask()
    assert prediction.problem == "The model's reply cannot be used: It says nothing."


def test_it_reads_as_many_passages_as_it_is_told_and_knows_no_json(chat, naps):
    corpus = Corpus()
    ask(corpus, passages="2")
    assert corpus.asked == [(ASKED.question, 2)]
    with pytest.raises(BadOption, match="no option “json”"):
        ask(json="off")
    assert registry.build_baseline("llm-plain", corpus, {}).version == "tiny-1 p1"


def test_where_a_list_is_asked_for_there_is_one_question_and_no_long_answer(chat, naps):
    chat.replies = [Reply("1843\n1999")]
    (prediction,) = ask(asked=[BaselineQuestion("q1", ASKED.question, as_list=True)])
    assert ([answer.text for answer in prediction.answers], prediction.long_answer) == (
        ["1843"],
        "",
    )
    assert len(chat.bodies) == 1
