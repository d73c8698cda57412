"""SmolLM2 in this process: what it is sent and says, by transformers, from its file of GGUF."""

import pytest

from modeling import engines, pace, registry, weights
from modeling.base import BaselineQuestion, MissingModel
from tests.modeling.corpora import Corpus

ASKED = BaselineQuestion("q1", "When did the Thames Tunnel open?")


@pytest.mark.xdist_group("models")
def test_it_answers_from_its_own_weights(warnings_of_transformers):
    talker = engines.load_language_model(weights.get_weights("language-model"))
    question = [{"role": "user", "content": "What is the capital of France?"}]
    heard = []
    try:
        with pace.heard_by(heard.append):
            said = talker.write_reply(question, 24)
        assert sum(heard) == said.tokens_out
        assert "Paris" in said.text
        assert (said.cut, said.tokens_out < 24, 20 < said.tokens_in < 60) == (False, True, True)
        cut = talker.write_reply(question, 3)
        assert (cut.cut, cut.tokens_out) == (True, 3)
        assert said.text.startswith(cut.text)
        long = [{"role": "user", "content": "bridge " * 9_000}]
        assert talker._ids(long, 24).shape[1] == talker._most - 24
        assert warnings_of_transformers == []
    finally:
        engines.unload_engines()


def test_it_is_asked_as_an_endpoint_is(models):
    baseline = registry.build_baseline("smollm2", Corpus(), {"passages": "2", "model": "./llama"})
    (prediction,) = baseline.predict([ASKED])
    assert models.named == {"language-model": "./llama"}
    assert prediction.long_answer == "1843"
    assert [answer.text for answer in prediction.answers] == ["1843"]
    assert (prediction.tokens_in, prediction.tokens_out, prediction.cost) == (20, 4, None)
    first, second = models.read["language-model"]
    assert first[-1]["content"].endswith("\n\nQuestion: When did the Thames Tunnel open?")
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]


def test_without_the_package_that_reads_gguf_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr("modeling.baselines.local.find_spec", lambda name: None)
    with pytest.raises(MissingModel, match=r"gguf is not installed .*make models"):
        registry.build_baseline("smollm2", Corpus())
