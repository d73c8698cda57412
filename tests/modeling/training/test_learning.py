"""Every role learns eight questions by heart, and its baseline then answers all of them."""

import io

import pytest
from django.core.management import call_command

from metrics import ambigqa
from modeling import engines, inputs, reranking, weights
from modeling.baselines import bart, lists, questions, t5
from modeling.engines.base import Limits
from modeling.registry import build_baseline
from modeling.training import publishing, runs
from modeling.training.recipes import RECIPES
from modeling.training.scoring import BEAMS, score_without_model
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


def test_what_is_reached_without_a_model():
    """Nothing is edited where questions stay as asked, yet they have words in common (A96)."""
    asked = score_without_model(RECIPES["qd"], learning.examples_of("qd"))
    assert asked["as asked, F1-EDIT"] == 0
    assert 0 < asked["as asked, F1-BLEU"] < 1
    classes = learning.examples_of("ambiguity")
    assert score_without_model(RECIPES["ambiguity"], classes[1:]) == {"majority": 4 / 7}
    assert score_without_model(RECIPES["reader"], []) == {}


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


def test_jpr_chooses_a_passage_of_each_answer_first(trained, settings):
    name, figures = trained("jpr")
    settings.MODELS = {"jpr": name}
    order = reranking.Jpr()
    for number in EVERY:
        ranked = order.rank_passages(ASKED[number].question, learning.jpr_passages(number))
        assert {passage.id for passage in ranked[:2]} == {f"{number}-0", f"{number}-1"}
    assert figures["right choices"] == 1


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


# --- dev is read as the baseline reads it -------------------------------------------------------


def test_dev_is_written_within_the_limits_of_the_baselines():
    ours = {
        "span-seq-gen": bart._ANSWERS,
        "disambig-first": bart._QUESTIONS,
        "qd": questions._LIMITS,
        "fid": lists._LIST,
        "pig": lists._ONE,
        "t5-closed": Limits(inputs.T5_CLOSED_TOKENS, t5._TOKENS_OUT, t5._BEAMS),
        "t5-open": Limits(inputs.T5_OPEN_TOKENS[5], t5._TOKENS_OUT, t5._BEAMS),
        "oracle": Limits(inputs.T5_OPEN_TOKENS[5], t5._TOKENS_OUT, t5._BEAMS),
    }
    for role, limits in ours.items():
        recipe = RECIPES[role]
        assert Limits(recipe.tokens_in, recipe.tokens_out, BEAMS.get(role, 1)) == limits


@pytest.mark.parametrize(
    ("role", "key", "passages", "rate"),
    [("span-seq-gen", "span-seq-gen", "1", 5e-3), ("reader", "thresholding", "8", 1.5e-3)],
)
def test_the_figure_of_a_training_is_that_of_its_predictions(
    base, data_folder, monkeypatch, role, key, passages, rate
):
    """Half trained, so that some answers are right and some are wrong."""
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)
    # What the model reads and writes is bounded alike; tiny models are trained on less.
    monkeypatch.setattr(bart, "_ANSWERS", Limits(120, 60, beams=4))
    examples = learning.examples_of(role)
    folder = data_folder / "runs" / f"half-{role}"
    result = runs.train_model(
        folder,
        learning.recipe_of(role, learning_rate=rate),
        train=examples,
        dev=examples,
        base=base(role),
        seed=1,
        max_steps=40,
        looks=40,
        device="cpu",
    )
    publishing.publish_model(folder, f"half-{role}")
    engines.unload_engines()
    predictions = predicted(key, model=f"trained:half-{role}", passages=passages)
    references = []
    for example in examples:
        first, *rest = example.answers
        gold = ambigqa.AmbigqaAnnotation(answer=first)
        if rest:
            pairs = tuple(ambigqa.GoldPair("", forms) for forms in example.answers)
            gold = ambigqa.AmbigqaAnnotation(pairs=pairs)
        references.append(ambigqa.Reference(example.id, example.question, (gold,)))
    said = {one.id: answers(one) for one in predictions}
    scored = ambigqa.score_predictions(references, said).scores()["f1_answer.all"].value
    assert 0 < scored < 1
    assert result.figures["F1-answer"] == pytest.approx(scored, abs=1e-9)


def test_converted_weights_answer_as_those_that_were_trained(trained, settings, monkeypatch):
    """In full precision, so that the two differ by nothing but the library that runs them."""
    monkeypatch.setattr("modeling.engines.converting.NUMBERS", "float32")
    name, _ = trained("span-seq-gen")
    slow = build_baseline("span-seq-gen", learning.CORPUS, {"model": name, "passages": "1"})
    before = [answers(one) for one in slow.predict(ASKED)]
    call_command("convert_model", "span-seq-gen", name=name, stdout=io.StringIO())
    engines.unload_engines()
    settings.MODELS_ENGINE = "fast"
    fast = build_baseline("span-seq-gen", learning.CORPUS, {"model": name, "passages": "1"})
    assert fast.version != slow.version
    assert [answers(one) for one in fast.predict(ASKED)] == before


@pytest.mark.parametrize("role", ["span-seq-gen", "reader", "ambiguity", "reranker", "t5-closed"])
def test_figures_have_the_intervals_of_the_scorers(trained, data_folder, role):
    """Eight of eight questions: Wilson's bounds of a share, or of a mean on its scale."""
    _, figures = trained(role)
    result = runs.read_result(data_folder / "runs" / role)
    assert set(result.intervals) <= set(figures) == set(result.figures)
    metric = RECIPES[role].metric
    low, high = result.intervals[metric]
    scale = 100 if role == "t5-closed" else 1
    assert (low, high) == pytest.approx((0.67559 * scale, scale), rel=1e-4)
