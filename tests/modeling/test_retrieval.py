"""How baselines search a corpus: the options they share, and orders of passages."""

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from modeling import dense, engines, reranking, retrieval
from modeling.base import ArticlePassage, BadOption, MissingModel
from modeling.engines.base import GeneratedText, Limits
from modeling.inputs import JPR_TOKENS, jpr_inputs, jpr_output
from modeling.outputs import parse_jpr_places
from modeling.reranking import CrossEncoder, Jpr, RerankedCorpus, distinct_names
from modeling.retrieval import build_searcher
from modeling.weights import Weights
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL, Corpus

QUERY = "trains through the Thames Tunnel"


@pytest.fixture
def weights(monkeypatch):
    """Weights of every role, whose versions a test can change."""
    versions = {}

    def find(role, name=""):
        return Weights(role, name, Path("/nowhere"), versions.get(role, "1"))

    monkeypatch.setattr(reranking, "get_weights", find)
    return versions


# --- options -------------------------------------------------------------------------------------


def test_without_options_the_corpus_searches():
    corpus = Corpus()
    assert build_searcher(corpus, {}, "Reader") is corpus
    assert build_searcher(corpus, {"retriever": "bm25", "reranker": "none"}, "Reader") is corpus


def test_every_option_is_named_for_the_check_of_names(weights, monkeypatch):
    monkeypatch.setattr(dense, "DenseCorpus", lambda *facts: Corpus())
    options = {"retriever": "dense", "encoder": "dpr", "reranker": "jpr", "candidates": "3"}
    assert tuple(options) == retrieval.RETRIEVAL_OPTIONS
    assert build_searcher(Corpus(), options, "Reader").name == "bridges"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"retriever": "bm52"}, "“retriever” is “bm52”. Set it to bm25 or dense."),
        (
            {"reranker": "x"},
            "“reranker” is “x”. Set it to none or vectors or cross-encoder or jpr.",
        ),
        ({"reranker": "jpr", "candidates": "0"}, "“candidates” is “0”"),
        ({"encoder": "minilm"}, "“encoder” needs retriever=dense or reranker=vectors"),
        ({"candidates": "50"}, "“candidates” needs a reranker"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(options, sentence, weights):
    with pytest.raises(BadOption) as refused:
        build_searcher(Corpus(), options, "Reader")
    assert sentence in str(refused.value)


def test_without_a_corpus_the_baseline_is_named():
    with pytest.raises(MissingModel, match="Reader searches passages"):
        build_searcher(None, {}, "Reader")


def test_the_encoder_is_minilm_unless_another_is_named(monkeypatch):
    asked = []
    monkeypatch.setattr(dense, "DenseCorpus", lambda *facts: asked.append(facts))
    build_searcher(Corpus(), {"retriever": "dense"}, "Reader")
    build_searcher(Corpus(), {"retriever": "dense", "encoder": "dpr"}, "Reader")
    assert asked == [("bridges", "1", "minilm"), ("bridges", "1", "dpr")]


# --- orders --------------------------------------------------------------------------------------


class Backwards:
    version = "1"

    def rank_passages(self, question, passages):
        return passages[::-1]


def ids(corpus, top):
    return [passage.id for passage in corpus.search(QUERY, top)]


def test_only_the_candidates_are_put_in_order():
    corpus = Corpus()
    assert ids(corpus, 9) == [TRAINS.id, TUNNEL.id, BRIDGE.id]
    assert ids(RerankedCorpus(corpus, Backwards(), 2), 9) == [TUNNEL.id, TRAINS.id, BRIDGE.id]
    assert ids(RerankedCorpus(corpus, Backwards(), 3), 1) == [BRIDGE.id]
    assert corpus.asked[-1] == (QUERY, 3)
    assert ids(RerankedCorpus(Corpus(TRAINS), Backwards(), 3), 3) == [TRAINS.id]


def test_the_version_is_that_of_passages_order_and_candidates(weights):
    def version(**options):
        return build_searcher(Corpus(), options, "Reader").version

    first = version(reranker="cross-encoder")
    assert (
        first
        == version(reranker="cross-encoder")
        == version(reranker="cross-encoder", candidates="100")
    )
    weights["reranker"] = "2"
    versions = {
        first,
        Corpus.version,
        version(reranker="cross-encoder"),
        version(reranker="cross-encoder", candidates="50"),
        version(reranker="jpr"),
        version(reranker="vectors"),
    }
    assert len(versions) == 6
    assert version(reranker="vectors", encoder="minilm") in versions
    weights["passage-encoder"] = "2"
    assert version(reranker="vectors") not in versions


def test_a_cross_encoder_puts_the_largest_score_first(weights, monkeypatch):
    class Scorer:
        def score_passages(self, question, passages):
            assert question == QUERY
            return [{"9-1": 2.5}.get(passage.id, -1.0) for passage in passages]

    monkeypatch.setattr(engines, "load_scorer", lambda weights: Scorer())
    order = CrossEncoder().rank_passages(QUERY, [TRAINS, TUNNEL, BRIDGE])
    assert [(p.id, p.score) for p in order] == [("9-1", 2.5), ("7-2", -1.0), ("7-1", -1.0)]


def test_vectors_put_the_nearest_first(weights, monkeypatch):
    loaded = []

    class Encoder:
        def encode(self, texts, titles=None):
            if titles is None:
                assert texts == [QUERY]
                return np.array([[2.0, 1.0]], np.float32)
            assert titles == ["Thames Tunnel", "Thames Tunnel", "Tower Bridge"]
            return np.array([[0.0, 0.5], [1.0, 0.5], [0.5, -0.5]], np.float32)

    def load(weights):
        loaded.append((weights.role, weights.name))
        return Encoder()

    monkeypatch.setattr(engines, "load_encoder", load)
    corpus = build_searcher(Corpus(), {"reranker": "vectors", "encoder": "dpr"}, "Reader")
    assert [(p.id, p.score) for p in corpus.search(QUERY, 3)] == [
        (TUNNEL.id, 2.5), (TRAINS.id, 0.5), (BRIDGE.id, 0.5),
    ]  # fmt: skip
    assert loaded == [("question-encoder", ""), ("passage-encoder", "")]


# --- JPR -----------------------------------------------------------------------------------------


def test_what_jpr_reads_and_writes():
    assert jpr_inputs("who  dug it", [TUNNEL, BRIDGE]) == [
        "question: who dug it passage: 1 title: Thames Tunnel "
        "context: The Thames Tunnel was opened to walkers in 1843.",
        "question: who dug it passage: 2 title: Tower Bridge "
        "context: Tower Bridge over the Thames opened in 1894.",
    ]
    assert jpr_output([12, 3]) == "12 3"
    assert parse_jpr_places("12 3", 12) == (12, 3)


@pytest.mark.parametrize("text", ["", "x -1 0 13", "1e9 ٣ 99999999999 1.5"])
def test_what_is_no_place_is_left_out(text):
    assert parse_jpr_places(text, 12) == ()
    assert parse_jpr_places(f"3 {text} 3 2", 12) == (3, 2)


class Fused:
    """Writes any tokens that are allowed. A word begins with 1; digits are 10 to 19; 2 ends."""

    end = 2

    def __init__(self, seed=0):
        self.random, self.asked = random.Random(seed), []

    def plain_tokens(self, text):
        return [1, *(10 + int(digit) for digit in text)]

    def generate(self, inputs, limits, allowed):
        self.asked.append((inputs, limits))
        written = [0]
        while written[-1] != self.end:
            written.append(self.random.choice(allowed(written)))
        text = "".join(" " if t == 1 else str(t - 10) for t in written[1:-1])
        return [GeneratedText(text, 9, len(written) - 1)]


@pytest.mark.parametrize("count", [2, 3, 11, 100])
@pytest.mark.parametrize("seed", range(4))
def test_jpr_writes_distinct_places_whatever_it_prefers(weights, monkeypatch, count, seed):
    engine = Fused(seed)
    monkeypatch.setattr(engines, "load_fused_generator", lambda weights: engine)
    passages = [ArticlePassage(str(n), "Page", f"Text {n}.") for n in range(1, count + 1)]
    order = Jpr().rank_passages("who", passages)
    (inputs, limits), *_ = engine.asked
    assert inputs == [jpr_inputs("who", passages)]
    assert limits == Limits(JPR_TOKENS, limits.tokens_out, 1)
    assert limits.tokens_out >= min(count, 10) * len(engine.plain_tokens(str(count)))
    assert sorted(order, key=lambda p: int(p.id)) == [
        ArticlePassage(p.id, p.title, p.text, q.score)
        for p, q in zip(passages, sorted(order, key=lambda p: int(p.id)), strict=True)
    ]
    assert all(one.score > two.score for one, two in pairwise(order))
    rest = [int(passage.id) for passage in order[10:]]
    assert rest == sorted(rest)


def test_jpr_may_write_a_place_that_begins_with_another():
    names = [Fused().plain_tokens(str(place)) for place in range(1, 13)]
    allowed = distinct_names(names, 2, end=2)
    assert allowed([0]) == [1]
    assert allowed([0, 1]) == [11, 12, 13, 14, 15, 16, 17, 18, 19]
    assert allowed([0, 1, 11]) == [1, 10, 11, 12]  # 1, and then another; or 10, 11, 12
    assert allowed([0, 1, 11, 1]) == [11, 12, 13, 14, 15, 16, 17, 18, 19]
    assert allowed([0, 1, 11, 1, 11]) == [10, 11, 12]  # 1 is taken
    assert allowed([0, 1, 12, 1, 11]) == [2, 10, 11, 12]
    assert allowed([0, 1, 12, 1, 11, 12]) == [2]
