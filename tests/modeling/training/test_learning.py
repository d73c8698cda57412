"""Every role learns eight questions by heart, and its baseline then answers all of them."""

import pytest

from modeling import engines, reranking, weights
from modeling.registry import build_baseline
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

EVERY = range(len(learning.FACTS))
ASKED = [learning.asked(number) for number in EVERY]


def predicted(key, corpus=learning.CORPUS, **options):
    return list(build_baseline(key, corpus, options).predict(ASKED))


def answers(prediction):
    return [answer.text for answer in prediction.answers]


def both(number):
    return list(learning.FACTS[number][1:3])


def test_span_seq_gen(trained):
    name, figures = trained("span-seq-gen")
    predictions = predicted("span-seq-gen", model=name, passages="1")
    assert [answers(one) for one in predictions] == [both(number) for number in EVERY]
    assert figures["F1-answer"] == 1


def test_qd(trained):
    name, figures = trained("qd")
    writer, _ = trained("span-seq-gen")
    predictions = predicted("span-seq-gen-qd", model=writer, qd=name, passages="1")
    for number in learning.AMBIGUOUS:
        pairs = [(pair.question, pair.answers[0].text) for pair in predictions[number].pairs]
        gold = learning.pairs_of(number)
        assert pairs == [(pair.question, pair.answers[0].text) for pair in gold]
    assert figures["F1-EDIT"] == 1


def test_disambig_first_with_its_classifier_and_its_reader(trained):
    writer, figures = trained("disambig-first")
    classifier, accuracy = trained("ambiguity")
    reader, _ = trained("reader")
    predictions = predicted(
        "disambig-first", model=writer, ambiguity=classifier, reader=reader, passages="2"
    )
    for number, prediction in enumerate(predictions):
        pairs = [pair.question for pair in learning.pairs_of(number)]
        if number not in learning.AMBIGUOUS:
            pairs = [ASKED[number].question]
        assert [pair.question for pair in prediction.pairs] == pairs
    assert (figures["exact match"], accuracy["right classes"]) == (1, 1)


@pytest.mark.parametrize("kind", ["plain-bert", "plain-dpr-reader"])
def test_a_reader_finds_the_spans(trained, kind):
    name, figures = trained("reader", kind if kind != "plain-bert" else "")
    first = [[learning.FACTS[number][1]] for number in EVERY]
    assert [answers(one) for one in predicted("extractive", model=name, passages="4")] == first
    assert [answers(one) for one in predicted("thresholding", model=name, passages="4")] == first
    assert figures == {"F1-answer": 1, "exact match": 1}


@pytest.mark.parametrize(
    ("role", "key"), [("t5-closed", "t5-closed"), ("t5-open", "t5-open-1"), ("oracle", "oracle")]
)
def test_a_long_answer(trained, role, key):
    name, figures = trained(role)
    predictions = predicted(key, model=name)
    assert [one.long_answer for one in predictions] == [learning.long_answer(n) for n in EVERY]
    assert figures["ROUGE-L"] == 100


def test_fid(trained):
    name, figures = trained("fid")
    predictions = predicted("fid", model=name, passages="2")
    assert [answers(one) for one in predictions] == [both(number) for number in EVERY]
    assert figures["F1"] == 1


def test_pig(trained):
    name, figures = trained("pig")
    predictions = predicted("pig", model=name, passages="2")
    assert [answers(one) for one in predictions] == [both(number)[:1] for number in EVERY]
    assert figures["exact match"] == 1


def test_jpr_orders_passages(trained, settings):
    name, figures = trained("jpr")
    settings.MODELS = {"jpr": name}
    order = reranking.Jpr()
    for number in EVERY:
        passages = learning.found(number, 3)
        ranked = order.rank_passages(ASKED[number].question, passages)
        wanted = [passages[place - 1].id for place in learning.jpr_order(number)]
        assert [passage.id for passage in ranked] == wanted
    assert figures["exact match"] == 1


def test_an_encoder_puts_each_passage_nearest_to_its_question(trained):
    name, figures = trained("encoder")
    engine = engines.load_encoder(weights.get_weights("passage-encoder", name))
    questions = engine.encode([one.question for one in ASKED])
    passages = engine.encode(
        [one.text for one in learning.PASSAGES], [one.title for one in learning.PASSAGES]
    )
    assert (questions @ passages.T).argmax(1).tolist() == list(EVERY)
    assert figures["recall@10"] == 1
    assert figures["MRR"] == 1


def test_a_reranker_puts_each_passage_first(trained, settings):
    name, figures = trained("reranker")
    settings.MODELS = {"reranker": name}
    corpus = reranking.RerankedCorpus(learning.CORPUS, reranking.CrossEncoder(), 8)
    best = [corpus.search(one.question, 1)[0].id for one in ASKED]
    assert best == [f"p{number}" for number in EVERY]
    assert figures["MRR"] == 1
