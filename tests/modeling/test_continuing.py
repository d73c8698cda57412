"""Going on from a known answer, with a tiny BART.

Its weights are random, so it would write anything after an answer.
"""

from itertools import islice, product

import pytest

from metrics.text import answer_key
from modeling import engines, inputs, outputs, weights
from modeling.engines.base import Limits
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL

pytestmark = pytest.mark.xdist_group("models")

LIMITS = Limits(tokens_in=1024, tokens_out=16, beams=4)
SPELLED = "1843 1869 Barry Jones Isambard tunnel deep walkers January ship Qx c# (it) é 1,000"
WORDS = SPELLED.split()
ANSWERS = [
    *WORDS,
    *(" ".join(words) for words in islice(product(WORDS, WORDS), 120)),
    *(" ".join(words) for words in islice(product(WORDS[::-1], WORDS, WORDS), 65)),
]
READ = inputs.span_seq_gen("When did the tunnel open?", [TUNNEL, TRAINS, BRIDGE])


@pytest.fixture
def continuer(tiny_model, settings):
    settings.MODELS_ENGINE = "reference"
    engines.unload_engines()
    found = weights.get_weights("span-seq-gen", str(tiny_model("bart")))
    loaded = engines.load_continuer(found)
    like(loaded, "Ġ", 2.0)  # the tiny model hardly writes pieces of words, so no space either
    yield loaded
    engines.unload_engines()


def like(continuer, token, bias):
    """Let the model like a token more or less."""
    (number,) = continuer.tokenizer.token_ids([token])
    continuer.model.final_logits_bias[0, number] = bias


def written(continuer, answers, limits=LIMITS):
    texts = continuer.continue_answers([READ] * len(answers), answers, limits)
    return [one.text for one in texts]


def lengthened(answer, text):
    return text != answer and not text.startswith(f"{answer} {inputs.SEPARATOR}")


def test_no_answer_of_two_hundred_is_made_longer(continuer):
    assert len(set(ANSWERS)) == 200
    texts = written(continuer, ANSWERS)
    assert [
        text for both in zip(ANSWERS, texts, strict=True) if lengthened(*both) for text in both
    ] == []
    parsed = [outputs.parse_separated_answers(text) for text in texts]
    assert [answer_key(found[0].text) for found in parsed] == list(map(answer_key, ANSWERS))
    more = sum(len(found) > 1 for found in parsed)
    assert more > 100  # answers were added, so one could have been longer


def test_a_model_that_may_write_what_it_likes_makes_answers_longer(continuer, monkeypatch):
    from modeling.engines import continuing

    monkeypatch.setattr(continuing._EndOrSeparate, "__call__", lambda self, ids, scores: scores)
    texts = written(continuer, ANSWERS[:40])
    assert any(map(lengthened, ANSWERS, texts))


def test_texts_that_are_read_together_are_as_if_alone(continuer):
    asked = ANSWERS[5:200:24]
    alone = [text for answer in asked for text in written(continuer, [answer])]
    assert written(continuer, asked) == alone
    assert written(continuer, asked[::-1]) == alone[::-1]


@pytest.mark.parametrize("beams", [1, 4])
def test_the_known_answer_counts_as_written(continuer, beams):
    limits = Limits(tokens_in=1024, tokens_out=3, beams=beams)
    (one,) = continuer.continue_answers([READ], ["January 1869 Barry walkers"], limits)
    assert outputs.parse_separated_answers(one.text)[0].text == "January 1869 Barry walkers"
    assert one.tokens_out <= len(continuer.tokenizer.encode_plain([one.text])[0].ids) + 2


def test_a_model_that_would_rather_end_gives_the_known_answer_alone(continuer):
    like(continuer, "</s>", 100.0)
    assert written(continuer, ["1843", "deep ship"]) == ["1843", "deep ship"]


def test_a_model_that_would_rather_go_on_adds_answers(continuer):
    like(continuer, "Ġ", 100.0)
    texts = written(continuer, ["1843", "deep ship"])
    assert [text.partition(inputs.SEPARATOR)[0] for text in texts] == ["1843 ", "deep ship "]


def test_only_the_first_beam_of_each_text_goes_on_at_first():
    """Beams are copies until something differs; those that end would be counted as texts."""
    import torch

    from modeling.engines.continuing import _EndOrSeparate

    only = _EndOrSeparate(begun=3, ends=[2, 5], separator=[5, 6], beams=4)
    scores = torch.zeros(8, 9)

    def left(tokens):
        found = only(torch.zeros(8, tokens, dtype=torch.long), scores)
        return [row.isfinite().nonzero().flatten().tolist() for row in found]

    assert left(3) == [[2, 5], [], [], [], [2, 5], [], [], []]
    assert left(4) == [[6]] * 8
    assert left(5) == [list(range(9))] * 8
