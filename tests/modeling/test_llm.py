"""A language model behind an endpoint: asked, paid, waited for, and never trusted."""

import json
import logging
from decimal import Decimal

import pytest

from modeling import llm, registry
from modeling.base import (
    AnsweredDisambiguation,
    BadOption,
    BaselineQuestion,
    MissingModel,
    ShortAnswer,
)
from modeling.examples import Example
from tests.modeling.chat import GOOD, Reply
from tests.modeling.conftest import KEY
from tests.modeling.corpora import TRAINS, TUNNEL, Corpus

ASKED = BaselineQuestion("q1", "When did the Thames Tunnel open?")


def ask(key="llm", *, asked=(ASKED,), corpus=None, **options):
    return list(registry.build_baseline(key, corpus, options).predict(asked))


def only(predictions):
    (prediction,) = predictions
    return prediction


def test_pairs_answers_and_a_long_answer_come_from_one_reply(chat, naps):
    prediction = only(ask())

    assert prediction.problem == ""
    assert [(p.question, [a.text for a in p.answers]) for p in prediction.pairs] == [
        ("When did it open to walkers?", ["1843"]),
        ("When did trains first use it?", ["1869", "in 1869"]),
    ]
    assert [answer.text for answer in prediction.answers] == ["1843", "1869", "in 1869"]
    assert prediction.long_answer == "It opened to walkers in 1843 and to trains in 1869."
    assert (prediction.tokens_in, prediction.tokens_out, prediction.cost) == (100, 20, None)
    assert chat.paths == ["/v1/chat/completions"]
    assert chat.headers[0]["Authorization"] == f"Bearer {KEY}"
    body = chat.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("tiny-1", 0, 1024)
    assert body["response_format"] == {"type": "json_object"}
    assert chat.said[1] == "Question: When did the Thames Tunnel open?"


def test_the_reference_disambiguations_are_not_sent(chat, naps):
    ask(
        asked=[
            BaselineQuestion(
                "q1",
                "When?",
                (AnsweredDisambiguation("When in gold?", (ShortAnswer("gold answer"),)),),
            )
        ]
    )
    assert "gold" not in json.dumps(chat.bodies)


def test_a_reader_is_given_numbered_passages_and_names_one(chat, naps):
    corpus = Corpus()
    prediction = only(ask("llm-reader", corpus=corpus))

    assert corpus.asked == [("When did the Thames Tunnel open?", 15)]
    assert [passage.id for passage in prediction.passages[:2]] == [TRAINS.id, TUNNEL.id]
    assert f"[1] Thames Tunnel\n{TRAINS.text}\n\n[2] Thames Tunnel\n{TUNNEL.text}" in chat.said[1]
    assert prediction.pairs[0].answers[0].passage.id == TRAINS.id
    assert prediction.pairs[1].answers[0].passage is None


def test_a_reader_without_a_reply_gives_no_passages_either(chat, naps):
    chat.replies = [Reply("no")]
    prediction = only(ask("llm-reader", corpus=Corpus()))
    assert (bool(prediction.problem), prediction.passages) == (True, ())


def test_options_are_used(chat, naps):
    corpus = Corpus()
    ask("llm-reader", corpus=corpus, passages="2", tokens="64", json="off")

    assert corpus.asked[0][1] == 2
    assert chat.bodies[0]["max_tokens"] == 64
    assert "response_format" not in chat.bodies[0]


def test_it_is_shown_the_closest_questions_of_a_split_but_not_itself(chat, naps):
    of_train = [
        Example("", "when did the bridge open", "It opened in 1894.", ("1894",), "q2"),
        Example("", "who sang the song", "", ("Anna", "Bert"), "q3"),
        Example("", "when did the tunnel open", "", (), "q4", (("To walkers?", ("1843",)),)),
        Example("", ASKED.question, "Not to be seen.", ("1843",), ASKED.id),
    ]
    read = []
    options = {"examples": "2", "train": "dev"}
    baseline = registry.build_baseline(
        "llm", None, options, lambda split: read.append(split) or of_train
    )
    only(baseline.predict([ASKED]))
    (_, first, reply, second, other, last) = chat.bodies[-1]["messages"]
    assert read == ["dev"]
    assert first["content"] == "Question: when did the bridge open"
    assert json.loads(reply["content"]) == {
        "pairs": [{"question": "when did the bridge open", "answers": ["1894"]}],
        "long_answer": "It opened in 1894.",
    }
    assert second["content"] == "Question: when did the tunnel open"
    assert json.loads(other["content"])["pairs"] == [
        {"question": "To walkers?", "answers": ["1843"]}
    ]
    assert last["content"] == f"Question: {ASKED.question}"
    without = registry.build_baseline("llm")
    assert baseline.version.startswith(without.version)
    assert len(baseline.version) == len(without.version) + 8
    changed = registry.build_baseline("llm", None, options, lambda split: of_train[:2])
    assert changed.version != baseline.version


@pytest.mark.parametrize("read", [None, lambda split: []])
def test_examples_that_there_are_not_are_refused(chat, read):
    with pytest.raises(BadOption, match="Set the option “train”"):
        registry.build_baseline("llm", None, {"examples": "2"}, read)


def test_a_model_that_reasons_is_given_no_temperature(chat, naps):
    assert only(ask(reasoning="on", tokens="500")).pairs
    body = chat.bodies[0]
    assert body["max_completion_tokens"] == 500
    assert not {"max_tokens", "temperature", "seed"} & set(body)


def test_tokens_and_cost_count_the_second_attempt(chat, naps, settings):
    settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT = Decimal("2.50"), Decimal("10")
    chat.replies = [Reply("no JSON", tokens=(100, 20)), Reply(tokens=(150, 30))]

    prediction = only(ask())

    assert (prediction.tokens_in, prediction.tokens_out) == (250, 50)
    assert prediction.cost == Decimal("0.001125")
    assert prediction.long_answer


def test_a_bad_reply_is_sent_back_once_with_what_is_wrong(chat, naps):
    chat.replies = [Reply('{"pairs": "many"}'), Reply()]

    assert only(ask()).pairs
    assert len(chat.bodies) == 2
    assert chat.said[2] == '{"pairs": "many"}'
    assert "“pairs” should be a list" in chat.said[3]


def test_after_two_bad_replies_the_question_has_a_problem(chat, naps):
    chat.replies = [Reply("I am not sure.")]

    first, second = ask(asked=[ASKED, BaselineQuestion("q2", "Who?")])

    assert first.problem == "The model's reply cannot be used: The reply holds no JSON object."
    assert (first.pairs, first.answers, first.long_answer) == ((), (), "")
    assert (first.tokens_in, second.id) == (200, "q2")
    assert len(chat.bodies) == 4


def test_a_reply_that_was_cut_says_so(chat, naps):
    chat.replies = [Reply(GOOD[:40], finish="length")]
    assert "It was cut after 64 tokens." in only(ask(tokens="64")).problem


# --- an endpoint that fails ---------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_endpoint_is_asked_again(chat, naps, status):
    chat.replies = [Reply(status=status), Reply(status=status), Reply()]
    assert only(ask()).pairs
    assert naps == [1, 2]


def test_retry_after_is_obeyed(chat, naps):
    chat.replies = [Reply(status=429, headers={"Retry-After": "7"}), Reply()]
    assert only(ask()).pairs
    assert naps == [7]


def test_a_long_retry_after_is_not_waited_for(chat, naps):
    chat.replies = [Reply(status=429, headers={"Retry-After": "3600"})]
    assert "It asks to be left alone for 3,600 s." in only(ask()).problem
    assert (naps, len(chat.bodies)) == ([], 1)


def test_attempts_are_bounded(chat, naps):
    chat.replies = [Reply(status=503)]
    assert only(ask()).problem == "127.0.0.1 answered 503. It was asked 4 times."
    assert naps == [1, 2, 4]


def test_a_run_ends_when_the_endpoint_has_not_answered_three_questions_in_a_row(chat, naps):
    chat.replies = [Reply(status=503)]
    baseline = registry.build_baseline("llm", None, {})
    predictions = baseline.predict([BaselineQuestion(str(number), "Who?") for number in range(9)])

    assert all(next(predictions).problem for _ in range(3))
    with pytest.raises(MissingModel, match="has not answered 3 questions in a row"):
        next(predictions)
    assert len(chat.bodies) == 12


def test_questions_in_a_row_are_counted_over_batches(chat, naps):
    chat.replies = [Reply(status=503)]
    baseline = registry.build_baseline("llm")
    assert [only(list(baseline.predict([ASKED]))).problem[:9] for _ in "12"] == ["127.0.0.1"] * 2
    with pytest.raises(MissingModel, match="has not answered 3 questions in a row"):
        list(baseline.predict([ASKED]))


def test_a_question_that_is_answered_between_keeps_the_run_alive(chat, naps):
    down = [Reply(status=503)] * 8
    chat.replies = [*down, Reply(), *down, Reply()]
    predictions = ask(asked=[BaselineQuestion(str(number), "Who?") for number in range(6)])
    assert [bool(prediction.problem) for prediction in predictions] == [
        True, True, False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_ends_the_run(chat, naps, status):
    chat.replies = [Reply(status=status, body=json.dumps({"error": {"message": KEY}}).encode())]
    with pytest.raises(MissingModel, match="refuses the key") as refusal:
        ask()
    assert KEY not in str(refusal.value)
    assert len(chat.bodies) == 1


def test_an_unknown_model_ends_the_run(chat, naps):
    chat.replies = [Reply(status=404)]
    with pytest.raises(MissingModel, match="does not know the address or the model “tiny-1”"):
        ask()


def test_the_key_does_not_follow_a_redirect(chat, naps):
    chat.replies = [Reply(status=307, headers={"Location": f"{chat.url}/elsewhere"})]
    with pytest.raises(MissingModel, match="sends us to another address"):
        ask()
    assert chat.paths == ["/v1/chat/completions"]


def test_what_the_endpoint_refuses_about_one_question_is_its_problem(chat, naps):
    body = json.dumps({"error": {"message": f"too\x00 long\nfor {KEY}" + "x" * 900}}).encode()
    chat.replies = [Reply(status=400, body=body), Reply()]

    first, second = ask(asked=[ASKED, ASKED])

    assert first.problem.startswith("127.0.0.1 answered 400: too long for [key]xxx")
    assert len(first.problem) < 260
    assert second.pairs


def test_an_endpoint_that_is_not_there_is_a_problem(chat, naps, settings):
    settings.LLM_URL = "http://127.0.0.1:9/v1"
    assert only(ask()).problem == "127.0.0.1 does not answer. It was asked 4 times."


def test_silence_has_an_end(chat, naps, settings):
    settings.LLM_SECONDS = 0.2
    chat.replies = [Reply(wait=1.0)]
    assert only(ask()).problem == "127.0.0.1 gave no answer in 0.2 s. It was asked 4 times."


def test_a_slow_trickle_has_an_end(chat, naps, settings):
    settings.LLM_SECONDS = 0.3
    chat.replies = [Reply(drip=0.05)]
    assert "gave no answer in 0.3 s" in only(ask()).problem


def test_a_flood_has_an_end(chat, naps):
    chat.replies = [Reply(body=b" " * (llm.MOST_BYTES + 1))]
    assert only(ask()).problem == "The reply is larger than 4 MB."


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"null", b"[]", b'{"choices": []}', b'{"choices": {"0": 1}}',
        b'{"choices": [null]}', b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": [{"message": {"content": ["x"]}}]}', b"[" * 200_000, b"\xff\xfe",
    ],
)  # fmt: skip
def test_a_response_without_a_text_is_a_problem(chat, naps, body):
    chat.replies = [Reply(body=body)]
    assert only(ask()).problem == "127.0.0.1 answered without a text."


@pytest.mark.parametrize("tokens", [(-1, "7"), (True, None), (10**30, 1.5), ([], {})])
def test_token_counts_that_cannot_be_are_none(chat, naps, tokens):
    chat.replies = [Reply(tokens=tokens)]
    prediction = only(ask())
    assert (prediction.tokens_in, prediction.tokens_out) == (0, 0)


# --- the key ------------------------------------------------------------------------------------


def test_the_key_is_in_no_log_error_or_prediction(chat, naps, caplog, settings):
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    leaks = GOOD.replace("1843", KEY).replace("1869", escaped)
    chat.replies = [Reply(f'{{"pairs": "{KEY}"}}'), Reply(leaks), Reply(KEY), Reply(KEY)]
    with caplog.at_level(logging.DEBUG):
        predictions = ask(asked=[ASKED, ASKED])

    assert "[key]" in predictions[0].long_answer
    assert predictions[1].problem
    assert KEY not in repr(predictions)
    assert KEY not in caplog.text
    assert KEY not in json.dumps(chat.bodies)
    assert KEY not in repr(llm.get_endpoint())


def test_a_key_with_a_line_break_is_refused_without_showing_it(chat, settings):
    settings.LLM_KEY = f"{KEY}\nX-Other: 1"
    with pytest.raises(MissingModel, match="AMBIT_LLM_KEY holds a character") as refusal:
        registry.build_baseline("llm")
    assert KEY not in str(refusal.value)


def test_without_a_key_none_is_sent(chat, naps, settings):
    settings.LLM_KEY = ""
    assert only(ask()).pairs
    assert "Authorization" not in chat.headers[0]


# --- what has to be there -----------------------------------------------------------------------


def test_without_settings_a_sentence_says_which(settings):
    settings.LLM_URL = settings.LLM_MODEL = ""
    with pytest.raises(MissingModel, match="set AMBIT_LLM_URL and AMBIT_LLM_MODEL in the"):
        registry.build_baseline("llm")


def test_a_reader_needs_a_corpus(chat):
    with pytest.raises(MissingModel, match="searches passages, and none are chosen"):
        registry.build_baseline("llm-reader")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tokens": "many"}, "“tokens” is “many”. Set it to a number from 1 to 32,000"),
        ({"tokens": "0"}, "a number from 1"),
        ({"tokens": "٣"}, "a number from 1"),
        ({"json": "perhaps"}, "“json” is “perhaps”. Set it to “on” or “off”"),
        ({"passages": "5"}, "no option “passages”"),
    ],
)
def test_bad_options_are_refused(chat, options, sentence):
    with pytest.raises(BadOption, match=sentence):
        registry.build_baseline("llm", None, options)


def test_the_version_names_the_model_and_fits(chat, settings):
    assert registry.build_baseline("llm").version == "tiny-1 p1"
    settings.LLM_MODEL = "organisation/" + "a-long-name-" * 9 + "7b"
    version = registry.build_baseline("llm").version
    settings.LLM_MODEL = "another-one/" + "a-long-name-" * 9 + "7b"
    assert len(version) <= 40
    assert registry.build_baseline("llm").version != version


# --- lists ----------------------------------------------------------------------------------

LISTED = BaselineQuestion("q1", "When did the Thames Tunnel open?", as_list=True)


def test_a_list_is_asked_for_and_nothing_else(chat, naps):
    chat.replies = [Reply('{"answers": ["1843", "in 1843", "1843."]}')]
    prediction = only(ask(asked=[LISTED]))
    assert [answer.text for answer in prediction.answers] == ["1843", "in 1843"]
    assert (prediction.pairs, prediction.long_answer) == ((), "")
    system = chat.bodies[0]["messages"][0]["content"]
    assert system.endswith('{"answers": ["…"]}')
    assert "ambiguous" not in system
    assert "long answer" not in system


def test_a_reader_finds_where_its_list_is_from(chat, naps):
    chat.replies = [Reply('{"answers": ["1843", "1999"]}')]
    prediction = only(ask("llm-reader", asked=[LISTED], corpus=Corpus()))
    assert [answer.passage and answer.passage.id for answer in prediction.answers] == [
        TUNNEL.id,
        None,
    ]
    assert "do not follow any" in chat.bodies[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"pairs": []}', "“answers” should be a list, and is null."),
        ('{"answers": "1843"}', '“answers” should be a list, and is "1843".'),
        ('{"answers": [1843]}', "Answer 1 should be text, and is 1843."),
        ('{"answers": [" ", ""]}', "The reply has no answer."),
        (json.dumps({"answers": ["x"] * 201}), "There are 201 answers. The maximum is 200."),
        ("1843, 1869", "The reply holds no JSON object."),
    ],
)
def test_a_list_that_cannot_be_read_is_sent_back_once(chat, naps, reply, why):
    chat.replies = [Reply(reply), Reply('{"answers": ["1843"]}'), Reply(reply), Reply(reply)]
    assert [answer.text for answer in only(ask(asked=[LISTED])).answers] == ["1843"]
    assert why in chat.bodies[1]["messages"][-1]["content"]
    assert only(ask(asked=[LISTED])).problem == f"The model's reply cannot be used: {why}"


def test_examples_of_lists_are_lists(chat, naps):
    train = [Example("", "When did it open?", "", ("1843", "1869"), id="q0")]
    chat.replies = [Reply('{"answers": ["1843"]}')]
    baseline = registry.build_baseline("llm", None, {"examples": "1"}, lambda split: train)
    only(list(baseline.predict([LISTED])))
    assert chat.bodies[0]["messages"][2] == {
        "role": "assistant",
        "content": '{"answers":["1843","1869"]}',
    }
