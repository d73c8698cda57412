"""A reader of pages learns eight of them by heart, and its baseline answers on all of them."""

import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from metrics import nq
from modeling import engines, weights
from modeling.base import BadOption, BaselineQuestion, MissingModel
from modeling.engines.tokens import Tokens
from modeling.page_texts import list_outermost
from modeling.registry import build_baseline
from modeling.training import losses, page_tensors, publishing, recipe_changes, runs
from modeling.training.recipes import RECIPES
from modeling.training.tensors import ExampleRow
from tests.modeling.training import learning, pages

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

EVERY = range(len(pages.PAGES))
SILENT = next(number for number in EVERY if pages.PAGES[number][1] is None)
EXAMPLES = learning.examples_of("nq-reader")


def asked(number):
    return BaselineQuestion(f"q{number}", learning.FACTS[number][0], page=pages.page_of(number))


def predicted(model, **options):
    baseline = build_baseline("nq-reader", None, {"model": model, **options}, own_pages=True)
    return list(baseline.predict([asked(number) for number in EVERY]))


def test_every_page_is_answered_as_its_annotators_did(trained):
    name, figures = trained("nq-reader")
    predictions = predicted(name)
    assert figures == {"long F1": 1, "short F1": 1}
    unanswered = predictions[SILENT].spans.long_score
    assert unanswered < 0
    for number in set(EVERY) - {SILENT}:
        gold, spans = EXAMPLES[number].annotations[1], predictions[number].spans
        assert (spans.long, spans.short, spans.yes_no) == (gold.long, gold.short, "none")
        assert spans.long_score == spans.short_score > 0
        words = pages.PAGES[number][2]
        assert [answer.text for answer in predictions[number].answers] == [words] * bool(words)
    assert predictions[0].long_answer == "Brunel built the tunnel."


def test_a_page_is_read_up_to_a_number_of_boxes(trained):
    name, _ = trained("nq-reader")
    first = next(box for box in pages.page_of(0).candidates if box.top_level)
    assert predicted(name, boxes="1")[0].spans.long == first.span
    with pytest.raises(BadOption, match="a number from 1 to 1,000"):
        predicted(name, boxes="0")


def test_pages_without_words_and_questions_without_pages_have_no_answer(trained):
    name, _ = trained("nq-reader")
    baseline = build_baseline("nq-reader", None, {"model": name}, own_pages=True)
    empty = BaselineQuestion("e", "Who built it?", page=pages.parse_page("<h1>Tunnel</h1>"))
    none, nothing, again = baseline.predict([BaselineQuestion("n", "Who?"), empty, asked(0)])
    assert none.problem == "The question comes without a page."
    assert (nothing.problem, nothing.spans) == ("", nq.Prediction(None, (), "none", 0.0, 0.0))
    assert again.answers[0].text == "Brunel"


def test_the_figure_of_a_training_is_that_of_its_predictions(base, data_folder, monkeypatch):
    """Half trained, so that some answers are right and some are wrong."""
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)
    folder = data_folder / "runs" / "half-nq-reader"
    result = runs.train_model(
        folder,
        learning.recipe_of("nq-reader", learning_rate=1e-3),
        train=EXAMPLES,
        dev=EXAMPLES,
        base=base("nq-reader"),
        seed=1,
        max_steps=5,
        looks=5,
        device="cpu",
    )
    publishing.publish_model(folder, "half-nq-reader")
    engines.unload_engines()
    predictions = predicted("trained:half-nq-reader")
    scored = nq.score_predictions(
        {example.id: example.annotations for example in EXAMPLES},
        {one.id: one.spans for one in predictions},
    ).scores()
    assert 0 < scored["long.f1"].value < 1
    assert result.figures["long F1"] == pytest.approx(scored["long.f1"].value, abs=1e-9)
    assert result.figures["short F1"] == pytest.approx(scored["short.f1"].value, abs=1e-9)


def test_a_seed_draws_windows_and_weights_and_an_interrupted_training_goes_on(
    base, tmp_path, monkeypatch
):
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)
    recipe = learning.recipe_of("nq-reader", batch=4, null_windows=0.5)
    stops = iter([False, True])  # after the second step, then never

    def train(name, seed, stop=None):
        result = runs.train_model(
            tmp_path / name,
            recipe,
            train=EXAMPLES,
            dev=EXAMPLES,
            base=base("nq-reader"),
            seed=seed,
            max_steps=4,
            looks=2,
            device="cpu",
            stop=stop,
        )
        return result.finished, (result.checkpoint / "model.safetensors").read_bytes()

    whole, other = train("whole", 1), train("other", 2)
    assert train("stopped", 1, lambda: next(stops))[0] is False
    assert train("stopped", 1) == whole
    assert whole[0]
    assert whole != other


def test_converted_weights_answer_as_those_that_were_trained(trained, settings):
    from modeling.engines.converting import convert_weights

    name, _ = trained("nq-reader")
    slow = predicted(name)
    convert_weights(weights.get_weights("nq-reader", name))
    engines.unload_engines()
    settings.MODELS_ENGINE = "fast"
    assert weights.get_weights("nq-reader", name).fast is not None
    for number, one in enumerate(predicted(name)):
        if number != SILENT:
            assert (one.spans.long, one.spans.short) == slow[number].spans[:2]


def test_a_model_that_was_not_trained_for_it_is_refused(base):
    untrained = str(base("nq-reader").folder)
    with pytest.raises(MissingModel, match="has not been trained for “nq-reader”"):
        predicted(untrained)


# --- what is learnt of a page ---------------------------------------------------------------------


@pytest.fixture
def tokens(base):
    return Tokens(base("nq-reader"))


def cut(tokens, numbers=EVERY, seed=0, **changes):
    recipe = learning.recipe_of("nq-reader", **changes)
    return page_tensors.cut_windows(tokens, recipe, [EXAMPLES[n] for n in numbers], seed)


def test_windows_hold_all_of_the_answer_or_stand_for_none(tokens):
    windows, left_out = cut(tokens)
    assert not left_out
    answered = {one.id for one in windows if one.last}
    assert answered == {f"q{number}" for number in EVERY if number != SILENT}
    for one in windows:
        example = next(example for example in EXAMPLES if example.id == one.id)
        places = one.window.words[one.first : one.last + 1] if one.last else []
        words = [example.page.words[place] for place in dict.fromkeys(places)]
        number = EXAMPLES.index(example)
        # A long answer without a short one is learnt as all of its box.
        wanted = pages.PAGES[number][2].split() or [
            "Engineers",
            "were",
            "Barry",
            "and",
            "Jones",
            ".",
        ]
        assert words in ([], wanted)


def test_of_windows_without_an_answer_a_share_is_read_that_the_seed_draws(tokens):
    none, left_out = cut(tokens, null_windows=0.0)
    assert all(one.last for one in none)
    assert left_out == {"no_window": 1}
    every, _ = cut(tokens)
    assert len(every) > len(none)
    half = [[one.window for one in cut(tokens, seed=seed, null_windows=0.5)[0]] for seed in "ABCDE"]
    assert half[0] == [one.window for one in cut(tokens, seed="A", null_windows=0.5)[0]]
    assert len({len(one) for one in half}) > 1


def annotated(number, *annotations):
    page = EXAMPLES[number].page
    return page_tensors.find_target(
        page_tensors.PageExample("q", "Who?", page, annotations), list_outermost(page, 48)
    )


def test_the_first_annotation_with_short_answers_is_learnt_by_where_its_box_stands():
    page = EXAMPLES[0].page
    first, second = (box.span for box in page.boxes if box.top_level)
    span = lambda start, stop: page.span_of(range(start, stop))  # noqa: E731
    nothing = nq.NqAnnotation(None, ())
    later = nq.NqAnnotation(second, (span(7, 8),))
    several = nq.NqAnnotation(first, (span(1, 2), span(3, 5)))
    assert annotated(0, nothing, later, several) == range(1, 5)
    assert annotated(0, nq.NqAnnotation(first, ()), later) == range(7, 8)
    assert annotated(0, nq.NqAnnotation(second, (), "yes")) == page.find_words(second)
    assert annotated(0, nothing) is None
    # From one box to another there is no answer, and none in a row that a table holds.
    assert annotated(0, nq.NqAnnotation(first, (span(1, 2), span(8, 9)))) is None
    row = next(box.span for box in EXAMPLES[3].page.boxes if box.kind == "row")
    assert annotated(3, nq.NqAnnotation(row, ())) is None


def test_of_an_answer_that_no_window_can_hold_nothing_is_learnt(tokens):
    row = next(box.span for box in EXAMPLES[3].page.boxes if box.kind == "row")
    example = page_tensors.PageExample(
        "q", "Who?", EXAMPLES[3].page, (nq.NqAnnotation(row, ()), nq.NqAnnotation(None, ()))
    )
    recipe = learning.recipe_of("nq-reader")
    assert page_tensors.cut_windows(tokens, recipe, [example], 0) == ([], {"no_window": 1})


def test_the_loss_is_what_it_is_by_hand(tokens):
    """Two windows of which one is padded: what pads it takes no part."""
    windows = cut(tokens, [0, SILENT])[0]
    batch = page_tensors.PageBatches(tokens)([ExampleRow(one, random.Random(0)) for one in windows])
    width = batch["input_ids"].shape[1]
    drawn = torch.Generator().manual_seed(1)
    starts, ends = (torch.randn(2, width, generator=drawn) for _ in "se")

    def model(**read):
        assert {"input_ids", "attention_mask"} <= set(read)
        return type("Out", (), {"start_logits": starts, "end_logits": ends})

    by_hand = 0.0
    for number, one in enumerate(windows):
        own = slice(0, len(one.window))
        for logits, place in ((starts, one.first), (ends, one.last)):
            by_hand -= float(logits[number, own].log_softmax(0)[place]) / 2
    assert len({len(one.window) for one in windows}) == 2
    assert float(losses.page_loss(model, batch)) == pytest.approx(by_hand, abs=1e-5)
    assert int(batch["items"]) == 2


def test_a_batch_and_its_parts_have_the_same_loss(tokens, base):
    import transformers

    torch.manual_seed(0)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(base("nq-reader").folder)
    rows = [ExampleRow(one, random.Random(0)) for one in cut(tokens)[0]]
    collate = page_tensors.PageBatches(tokens)
    with torch.no_grad():
        parts = [float(losses.page_loss(model.eval(), collate([row]))) for row in rows]
        whole = float(losses.page_loss(model, collate(rows)))
    assert whole == pytest.approx(sum(parts), rel=1e-5)


def test_the_share_of_windows_without_an_answer_can_be_set():
    recipe = RECIPES["nq-reader"]
    changed = recipe_changes.change_recipe(recipe, "small", {"null_windows": "0.5"})
    assert (changed.null_windows, changed.batch, changed.epochs) == (0.5, 8, 1)
    with pytest.raises(BadOption, match="“null_windows=2”: write a number from 0 to 1"):
        recipe_changes.change_recipe(recipe, "paper", {"null_windows": "2"})


# --- pages in windows -----------------------------------------------------------------------------


@given(
    st.lists(
        st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=12), max_size=400
    ),
    st.integers(1, 60),
    st.integers(1, 200),
)
def test_every_token_of_a_window_is_of_the_word_that_is_named(
    plain_model, words, asked_words, step
):
    own = Tokens(weights.Weights("nq-reader", "plain", plain_model("plain-bert"), "1"))
    windows = own.encode_page("Who built it? " * asked_words, words, 120, step)
    assert bool(windows) == bool(words)
    seen = set()
    for number, window in enumerate(windows):
        assert len(window) <= 120
        places = [place for place in window.words if place is not None]
        assert places == sorted(places)
        for place in set(places):
            ids = [i for i, at in zip(window.ids, window.words, strict=True) if at == place]
            assert ids == own.encode_plain([words[place]])[0].ids
        seen |= set(places)
        if number + 1 == len(windows) and places:
            assert places[-1] == len(words) - 1
    if step < 10:  # windows share so much that no short word is cut by all of them
        assert seen == set(range(len(words)))
