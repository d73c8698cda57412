"""Losses are what the papers say, and a step is the same in however many batches."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from annotation.core.refusals import Conflict
from modeling.base import ArticlePassage
from modeling.training import losses, starting
from modeling.training.passage_tensors import find_answer_spans, holds_answer
from modeling.training.tensors import ExampleRows, keep_whole_targets
from modeling.training.trainer import build_arguments
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]


@pytest.fixture
def started(base, tmp_path):
    """From a role to a model at the start of its training, in the state in which it predicts."""

    def wanted(role, kind="", **changes):
        recipe = learning.recipe_of(role, **changes)
        examples = learning.examples_of(role)
        start = starting.start_model(recipe, base(role, kind), examples, tmp_path / role, 0)
        start.model.eval()
        return start

    return wanted


def rows_of(start):
    data = ExampleRows(start.examples, 0)
    return [data[place] for place in range(len(data))]


def reader_that_says(starts, ends, relevance=None):
    said = {"start_logits": torch.tensor(starts), "end_logits": torch.tensor(ends)}
    if relevance is not None:
        said["relevance_logits"] = torch.tensor(relevance)
    return lambda **read: SimpleNamespace(**said)


def batch_of_spans(begins, ends):
    """Two passages of one question; their first token is of the question, the last two are text."""
    return {
        "input_ids": torch.zeros((2, 3), dtype=torch.long),
        "inside": torch.tensor([[False, True, True], [False, True, True]]),
        "counts": torch.tensor([2]),
        "begins": torch.tensor([begins]),
        "ends": torch.tensor([ends]),
    }


STARTS = [[9.0, math.log(3), 0.0], [9.0, 0.0, 0.0]]
ENDS = [[9.0, 0.0, math.log(4)], [9.0, 0.0, 0.0]]


def test_the_marginal_loss_of_a_reader_that_judges_passages():
    """Shares of starts are 3/4 and 1/4, of ends 1/5 and 4/5, of passages 2/3 and 1/3."""
    model = reader_that_says(STARTS, ENDS, [math.log(2), 0.0])
    loss = losses.span_loss(model, batch_of_spans([1, 1, -1], [1, 2, -1]))
    assert loss.item() == pytest.approx(-math.log(3 / 4 * 1 / 5 + 3 / 4 * 4 / 5) - math.log(2 / 3))
    one = losses.span_loss(model, batch_of_spans([2, -1], [2, -1]))
    assert one.item() == pytest.approx(-math.log(1 / 4 * 4 / 5) - math.log(2 / 3))


def test_the_marginal_loss_of_a_reader_that_judges_only_tokens():
    """Its shares are of the tokens of both passages: of starts 3/6, 1/6; of ends 1/7, 4/7."""
    model = reader_that_says(STARTS, ENDS)
    loss = losses.span_loss(model, batch_of_spans([1, 2], [1, 2]))
    assert loss.item() == pytest.approx(-math.log(3 / 6 * 1 / 7 + 1 / 6 * 4 / 7))


def test_the_loss_of_an_encoder_leaves_out_passages_that_hold_the_answer(started):
    start = started("encoder")
    rows = rows_of(start)[:2]
    batch = start.collate(rows)
    count = batch["masked"].shape[1]
    assert batch["targets"].tolist() == [0, 1]
    assert count == 4
    assert not batch["masked"].any()
    twin = replace(rows[1].example, positives=(ArticlePassage("twin", "", "Brunel, of course."),))
    batch = start.collate([rows[0], rows[1]._replace(example=twin)])
    assert batch["masked"][0, 1]
    assert not batch["masked"][1, 0]
    with torch.no_grad():
        loss = start.loss(start.model, batch)
        scores = _scores(start.model, batch)
    by_hand = sum(
        -math.log(
            math.exp(scores[own][own])
            / sum(math.exp(s) for s, out in zip(scores[own], masked, strict=True) if not out)
        )
        for own, masked in enumerate(batch["masked"].tolist())
    )
    assert loss.item() == pytest.approx(by_hand, rel=1e-4)


def _scores(model, batch):
    def mean(read):
        states = model(**read).last_hidden_state
        mask = read["attention_mask"].unsqueeze(-1)
        return (states * mask).sum(1) / mask.sum(1)

    return (mean(batch["questions"]) @ mean(batch["passages"]).T).tolist()


def test_fusion_of_one_passage_is_plain_t5(started):
    start = started("fid")
    rows = [
        row._replace(example=replace(row.example, inputs=row.example.inputs[:1]))
        for row in rows_of(start)
    ]
    batch = start.collate(rows)
    with torch.no_grad():
        fused = losses.fused_loss(start.model, batch)
        plain = losses.written_loss(start.model, batch)
        read = {name: batch[name] for name in ("input_ids", "attention_mask", "labels")}
        own = start.model(**read).loss * batch["items"]
    assert fused.item() == plain.item()
    assert fused.item() == pytest.approx(own.item(), rel=1e-6)


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("span-seq-gen", ""), ("fid", ""), ("jpr", ""), ("ambiguity", ""), ("reader", ""),
        ("reader", "plain-dpr-reader"), ("reranker", ""),
    ],
)  # fmt: skip
def test_a_step_of_eight_is_one_of_four_and_four(started, role, kind):
    start = started(role, kind)
    start.model.double()

    def norm(parts):
        start.model.zero_grad()
        batches = [_doubled(start.collate(rows_of(start)[part])) for part in parts]
        items = sum(int(batch["items"]) for batch in batches)
        for batch in batches:
            (start.loss(start.model, batch) / items).backward()
        grads = [p.grad for p in start.model.parameters() if p.grad is not None]
        return torch.stack([grad.norm() for grad in grads]).norm().item()

    whole = norm([slice(8)])
    assert whole > 0
    assert norm([slice(4), slice(4, 8)]) == pytest.approx(whole, rel=1e-6)


def _doubled(batch):
    real = batch.get("labels")
    if real is not None and real.is_floating_point():
        batch["labels"] = real.double()
    return batch


def test_the_batch_of_an_encoder_is_not_divided(tmp_path):
    settings = {"seed": 0, "max_steps": 1, "device": "cpu", "looks": None, "with_dev": False}
    with pytest.raises(Conflict, match=r"compares each question with all passages of its batch"):
        build_arguments(learning.recipe_of("encoder"), tmp_path, 8, at_once=4, **settings)
    with pytest.raises(Conflict, match=r"A batch of 8 cannot be divided into parts of 3\."):
        build_arguments(learning.recipe_of("qd"), tmp_path, 8, at_once=3, **settings)
    half = build_arguments(learning.recipe_of("qd"), tmp_path, 8, at_once=4, **settings)
    assert (half.per_device_train_batch_size, half.gradient_accumulation_steps) == (4, 2)


# --- What is learnt from ------------------------------------------------------------------------


def test_targets_are_kept_whole_or_left_out(started):
    start = started("span-seq-gen")
    first, second, *_ = start.examples
    from modeling.engines.tokens import Tokens

    tokens = Tokens(start.weights)
    longest = "a very long answer " * 30
    (length,) = map(len, tokens.encode(["1843"], 99))
    kept, left_out = keep_whole_targets(
        tokens,
        [replace(first, targets=(longest, "1843")), replace(second, targets=(longest,))],
        length,
    )
    assert [example.targets for example in kept] == [("1843",)]
    assert left_out == {"too_long": 1}


def test_one_of_several_renderings_is_drawn_by_seed_epoch_and_example():
    example = replace(learning.examples_of("t5-closed")[0], targets=tuple("abcdefgh"))

    def drawn(seed, epoch):
        data = ExampleRows([example] * 20, seed)
        data.set_epoch(epoch)
        return [data[place].draws.choice(example.targets) for place in range(20)]

    assert drawn(0, 3) == drawn(0, 3)
    assert len(set(drawn(0, 3))) > 3
    assert drawn(0, 3) != drawn(0, 4)
    assert drawn(0, 3) != drawn(1, 3)


def test_places_of_an_answer_are_whole_words_of_what_is_read(started):
    from modeling.engines.tokens import Tokens

    tokens = Tokens(started("reader").weights)
    text = "The Tunnel: a tunnel of tunnels, and (the) tunnel."
    (page,) = tokens.encode_passages("Who?", [ArticlePassage("1", "T", text)], 99)
    spans = find_answer_spans(page, text, [["The tunnel"]])
    words = [
        text[page.places[begin - page.first][0] : page.places[end - page.first][1]]
        for begin, end in spans
    ]
    assert words == ["Tunnel", "tunnel", "tunnel"]
    assert find_answer_spans(page, text, [["tunnels and the"], ["tunn"]]) != []
    assert find_answer_spans(page, text, [["tunn"], ["walkers"], ["a"]]) == []
    (short,) = tokens.encode_passages("Who?", [ArticlePassage("1", "T", text)], 12)
    assert len(find_answer_spans(short, text, [["tunnel"]])) == 2


def test_an_answer_in_a_passage_is_of_whole_tokens():
    example = learning.examples_of("reader")[0]
    assert holds_answer(ArticlePassage("1", "", "It was (Brunel)."), example)
    assert not holds_answer(ArticlePassage("1", "Brunel", "Brunels built it."), example)
