"""Losses and batches of Natural Questions' baselines; the three learn eight pages by heart."""

import math

import pytest
import torch
from safetensors.torch import load_file

from metrics import nq
from metrics.nq import NqAnnotation, NqSpan
from modeling import weights
from modeling.base import BadOption, BaselineQuestion, MissingModel
from modeling.engines.tokens import Tokens
from modeling.registry import build_baseline
from modeling.training import page_network_losses as losses
from modeling.training import runs, starting
from modeling.training.examples import PageExample
from modeling.training.recipes import RECIPES
from modeling.training.tensors import ExampleRows
from modeling.training.trainer import choose_optimiser
from tests.modeling.test_page_answers import page_of
from tests.modeling.training import learning, pages

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

NO = -math.inf


# --- Losses -------------------------------------------------------------------------------------


def model_that_says(*said):
    tensors = [torch.tensor(one) for one in said]
    return lambda **read: tensors[0] if len(tensors) == 1 else tuple(tensors)


def test_the_right_box_is_one_of_all_boxes_and_of_no_answer_which_counts_less():
    """Two questions with two boxes each. Of no answer the score is 0, which is a weight of 1."""
    model = model_that_says([math.log(3), 0.0, math.log(2), math.log(2)])
    batch = {
        "counts": torch.tensor([2, 2]),
        "labels": torch.tensor([1, 0]),
        "weights": torch.tensor([1.0, 0.3]),
    }
    expected = -math.log(3 / (1 + 3 + 1)) - 0.3 * math.log(1 / (1 + 2 + 2))
    assert losses.box_loss(model, batch).item() == pytest.approx(expected)


def test_a_stretch_is_found_among_the_tokens_of_both_boxes():
    """Normalisation is shared: what is likely in the second box makes the first one less so."""
    model = model_that_says(
        [[math.log(3), 0.0, NO], [0.0, math.log(4), 0.0]],
        [[0.0, math.log(5), NO], [0.0, 0.0, math.log(2)]],
    )
    batch = {
        "counts": torch.tensor([2]),
        "firsts": torch.tensor([0]),
        "lasts": torch.tensor([1]),
    }
    expected = -math.log(3 / (3 + 1 + 1 + 4 + 1)) - math.log(5 / (1 + 5 + 1 + 1 + 2))
    assert losses.stretch_loss(model, batch).item() == pytest.approx(expected)


def test_both_ends_of_a_short_answer_are_found_among_the_tokens_of_its_box():
    model = model_that_says(
        [[math.log(3), 0.0, NO], [0.0, 0.0, 0.0]], [[0.0, math.log(4), NO], [math.log(2), 0.0, 0.0]]
    )
    batch = {"firsts": torch.tensor([0, 2]), "lasts": torch.tensor([1, 2])}
    expected = -math.log(3 / 4) - math.log(4 / 5) - math.log(1 / 3) - math.log(1 / 4)
    assert losses.text_loss(model, batch).item() == pytest.approx(expected)


# --- Batches ------------------------------------------------------------------------------------

MILL = page_of("the mill was built in 1702", "a sluice gate feeds the wheel", "the wheel broke")
GATE, WHEEL = NqSpan(-1, -1, 10, 12), NqSpan(-1, -1, 14, 15)
NOWHERE = NqAnnotation(None, ())


def example_of(*annotations, page=MILL):
    return PageExample("q", "what feeds the wheel", page, annotations or (NOWHERE,))


def in_box(box, *short):
    return NqAnnotation(MILL.boxes[box].span, short)


@pytest.fixture
def started(base, tmp_path):
    """From a role to the start of a training with some examples, by the tiny model's words."""

    def wanted(role, *examples, **changes):
        recipe = learning.recipe_of(role, **changes)
        start = starting.start_model(recipe, base(role), examples, tmp_path / role, 0)
        start.model.eval()
        return start

    return wanted


def batch_of(start, places=None):
    rows = ExampleRows(start.examples, 0)
    return start.collate([rows[place] for place in places or range(len(rows))])


def test_the_label_is_the_place_of_the_box_or_of_no_answer(started):
    nested = NqAnnotation(NqSpan(-1, -1, 10, 12), ())  # it is in a box, and none of the outermost
    start = started(
        "decatt", example_of(in_box(1)), example_of(), example_of(nested), null_weight=0.3
    )
    batch = batch_of(start)
    assert batch["labels"].tolist() == [2, 0, 0]
    assert batch["weights"].tolist() == pytest.approx([1, 0.3, 0.3])
    assert (batch["counts"].tolist(), batch["places"].tolist()[:3]) == ([3, 3, 3], [0, 1, 2])


def test_a_page_without_words_is_left_out(started):
    start = started("decatt", example_of(page=page_of()), example_of())
    assert (len(start.examples), start.left_out) == (1, {"no_page": 1})


def words_between(start, batch, box=0):
    """Return the words of the tokens that are to be found, by the tokenizer itself."""
    ids = batch["texts" if "texts" in batch else "boxes"][box].tolist()
    first, last = batch["firsts"][0], batch["lasts"][0]
    names = Tokens(start.weights).token_names(ids[first : last + 1])
    return "".join(name.removeprefix("##") for name in names)


def test_the_short_answer_is_found_in_its_long_one(started):
    start = started("doc-reader", example_of(NOWHERE, in_box(1), in_box(1, GATE)))
    assert words_between(start, batch_of(start)) == "sluicegate"


def test_without_a_short_answer_that_is_read_nothing_is_learnt_of_where_it_is(started):
    cut = example_of(in_box(1, WHEEL))
    start = started("doc-reader", cut, example_of(in_box(1)), example_of(in_box(1, GATE)))
    assert (len(start.examples), start.left_out) == (2, {"no_answer": 1})
    start = started("doc-reader", cut, example_of(in_box(1, GATE)), tokens_in=12)
    assert (len(start.examples), start.left_out) == (1, {"no_answer": 1})


def test_the_shortest_answer_is_learnt_and_the_right_box_comes_first(started):
    both = example_of(in_box(1, GATE, WHEEL), in_box(1))
    start = started("document-qa", both)
    batch = batch_of(start)
    assert words_between(start, batch) == "wheel"
    assert batch["counts"].tolist() == [2]  # with another one, which is drawn anew


def test_a_box_without_a_short_answer_is_learnt_from_mark_to_mark(started):
    start = started("document-qa", example_of(in_box(1)), example_of())
    batch = batch_of(start)
    assert start.left_out == {"no_answer": 1}
    first, last = int(batch["firsts"][0]), int(batch["lasts"][0])
    assert batch["marks"][0, [first, last]].tolist() == [1, 2]


@pytest.mark.parametrize("role", ["decatt", "doc-reader", "document-qa"])
def test_a_batch_of_eight_is_two_of_four(role, started):
    """The loss and its gradient are sums: nothing of a question depends on the others."""
    start = started(role, *learning.examples_of(role))
    lengths = []
    every = range(len(start.examples))
    for parts in ([every], [every[:4], every[4:]]):
        start.model.zero_grad()
        loss = sum(start.loss(start.model, batch_of(start, part)) for part in parts)
        loss.backward()
        grads = [one.grad.flatten() for one in start.model.parameters() if one.grad is not None]
        lengths.append((loss.item(), *torch.cat(grads)[::50].tolist()))
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-3, abs=1e-5)
    assert lengths[0][0] > 0.1


# --- By heart -----------------------------------------------------------------------------------

EVERY = range(8)


def predicted(key, **options):
    asked = [
        BaselineQuestion(f"q{number}", question, page=pages.parse_page(html))
        for number, (question, html, *_) in enumerate(learning.WORD_PAGES)
    ]
    return list(build_baseline(key, None, options).predict(asked))


def official_f1(role, predictions):
    evaluation = nq.score_predictions(
        {example.id: example.annotations for example in learning.examples_of(role)},
        {one.id: one.spans for one in predictions},
    )
    figures = {figure.name: evaluation.value(figure) for figure in evaluation.figures}
    return figures["long.f1"], figures["short.f1"]


def test_decatt_and_the_document_reader(trained):
    """One page has no answer: its box gets a score below 0, and no threshold has to be found."""
    long, boxes = trained("decatt")
    short, words = trained("doc-reader")
    options = {"model": long, "doc-reader": short}
    assert official_f1("decatt", predicted("decatt-docreader", **options)) == (1, 1)
    silent = predicted("decatt-docreader", **options, threshold="0")
    assert [one.spans.long is None for one in silent] == [False] * 7 + [True]
    assert [one.answers[0].text for one in silent[:2]] == ["Brunel", "1894"]
    assert (boxes["long F1"], words["short F1"]) == (1, 1)


def test_document_qa(trained):
    """One page is answered by a whole box."""
    name, figures = trained("document-qa")
    predictions = predicted("document-qa", model=name, threshold="none")
    assert official_f1("document-qa", predictions) == (1, 1)
    assert figures == {"long F1": 1, "short F1": 1}
    whole = learning.WHOLE
    assert (predictions[whole].answers, predictions[whole].spans.short) == ((), ())
    assert predictions[whole].long_answer == "It was deep."
    bounded = predicted("document-qa", model=name, threshold="1000")
    assert {one.spans[:3] for one in bounded} == {nq.NOTHING[:3]}


def test_the_same_seed_gives_the_same_weights(base, data_folder, monkeypatch):
    """And another one others; the word vectors stay what they were."""
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)
    made = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        examples = learning.examples_of("document-qa")
        result = runs.train_model(
            data_folder / "runs" / f"seeds-{name}",
            learning.recipe_of("document-qa", dropout=0.2),
            train=examples, dev=examples, base=base("document-qa"), seed=seed, max_steps=4,
            looks=4, device="cpu",
        )  # fmt: skip
        made[name] = load_file(result.checkpoint / "model.safetensors")
    same = {name: torch.equal(tensor, made["b"][name]) for name, tensor in made["a"].items()}
    assert all(same.values())
    other = {name for name, tensor in made["a"].items() if torch.equal(tensor, made["c"][name])}
    assert other == {"vectors.weight"}


def test_a_training_begins_with_a_file_of_vectors_and_goes_on_from_its_own_weights(
    base, trained, tmp_path
):
    name, _ = trained("doc-reader")
    own = weights.get_weights("doc-reader", name)
    recipe = learning.recipe_of("doc-reader", hidden_size=99)
    again = starting.start_model(recipe, own, learning.examples_of("doc-reader"), tmp_path, 0)
    before = load_file(own.folder / "model.safetensors")
    assert all(torch.equal(before[name], one) for name, one in again.model.state_dict().items())
    file = tmp_path / "vectors.txt"
    file.write_text("tunnel 1 2 3\nbridge 4 5 6\n")
    vectors = weights.get_weights("doc-reader", str(file))
    start = starting.start_model(recipe, vectors, again.examples, tmp_path / "file", 0)
    assert start.model.vectors.weight.tolist() == [[0] * 3, [0] * 3, [1, 2, 3], [4, 5, 6]]
    assert math.isfinite(start.loss(start.model, batch_of(start)).item())


@pytest.mark.parametrize("role", ["decatt", "doc-reader", "document-qa"])
def test_networks_have_no_place_for_adapters(role, base, tmp_path):
    recipe = learning.recipe_of(role, adapters=16)
    with pytest.raises(BadOption, match="no place for adapters"):
        starting.start_model(recipe, base(role), [], tmp_path, 0)


def test_other_weights_are_refused_as_not_trained_for_this(base):
    folder = str(base("decatt").folder)
    baseline = build_baseline("document-qa", None, {"model": folder})
    page = pages.parse_page("<p>It was deep.</p>")
    with pytest.raises(MissingModel, match="has not been trained for “document-qa”"):
        list(baseline.predict([BaselineQuestion("q", "How deep?", page=page)]))


@pytest.mark.parametrize("threshold", ["three", "1e3", "--1", "nan", "9999999"])
def test_a_threshold_is_a_number(threshold, base):
    options = {"model": str(base("decatt").folder), "threshold": threshold}
    with pytest.raises(BadOption, match=r"Set it to a number, such as 3 or -1\.5, or to none"):
        build_baseline("document-qa", None, options)


@pytest.mark.parametrize(
    ("role", "optimiser"),
    [("decatt", "Adagrad"), ("doc-reader", "AdamW"), ("document-qa", "Adadelta")],
)
def test_each_is_trained_by_the_optimiser_of_its_code(role, optimiser):
    chosen = choose_optimiser(RECIPES[role])
    assert (chosen[0].__name__ if chosen else "AdamW") == optimiser
