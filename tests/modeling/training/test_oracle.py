"""What JPR may choose next, and how likely it is that it chooses right."""

import math
import random
from itertools import pairwise
from types import SimpleNamespace

import pytest
import torch

from modeling.base import ArticlePassage
from modeling.training import oracle, oracle_tensors
from modeling.training.examples import TextExample
from modeling.training.tensors import ExampleRow
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

# Answers 0 and 1 stand in the first passage, 1 in the second, none in the third, 2 in the others.
COVERS = [frozenset(own) for own in ({0, 1}, {1}, set(), {2}, {2})]


@pytest.mark.parametrize(
    ("before", "right"),
    [
        ((), (0, 1, 3, 4)),
        ((0,), (3, 4)),  # the second has nothing new
        ((1,), (0, 3, 4)),
        ((0, 3), (1, 4)),  # all are covered: every other with an answer
        ((2,), (0, 1, 3, 4)),
        ((0, 3, 1, 4), ()),
    ],
)
def test_right_is_what_has_a_new_answer_and_then_what_has_any(before, right):
    assert oracle.list_right(COVERS, before) == right


def test_a_path_is_of_right_places_and_drawn_by_the_seed():
    def draw(seed, most=10):
        return list(oracle.draw_choices(COVERS, random.Random(seed), most))

    for seed in range(20):
        choices = draw(seed)
        assert len(choices) == 4
        for choice, following in pairwise(choices):
            assert choice.right == oracle.list_right(COVERS, choice.before)
            assert following.before[:-1] == choice.before
            assert following.before[-1] in choice.right
    assert draw(3) == draw(3)
    assert len({draw(seed)[-1].before for seed in range(20)}) > 3
    assert len(draw(0, most=2)) == 2


def test_answers_stand_in_passages_as_whole_words_in_any_form():
    passages = tuple(
        ArticlePassage(str(n), title, text)
        for n, (title, text) in enumerate([("Brunel", "built"), ("", "the 1843s"), ("", "In 1843")])
    )
    answers = (("Isambard", "Brunel"), ("1843",))
    example = TextExample("q", "Who?", ("", "", ""), ("1",), answers, passages)
    assert oracle.find_covers(example) == [{0}, set(), {1}]


@pytest.mark.parametrize(
    ("chosen", "share"),
    [((0, 3, 4, 1), 1), ((3, 0, 1, 4), 1), ((0, 1, 3, 4), 3 / 4), ((2, 0, 3, 1), 3 / 4), ((), 0)],
)
def test_the_share_of_right_choices(chosen, share):
    assert oracle.share_right(COVERS, chosen, 10) == share
    assert oracle.share_right(COVERS, [0, 2], 2) == 0.5
    with pytest.raises(ValueError, match="none of the passages"):
        oracle.share_right([frozenset()], [0], 10)


# --- The loss -----------------------------------------------------------------------------------

# The tokens of places 1, 2 and 12 in a vocabulary of a mark, 1, 2 and an end; 12 is two tokens.
NAMES = [[1], [2], [1, 2]]
# What comes next, for each beginning: how likely are 0, 1, 2 and 3.
NEXT = {
    (): (0.1, 0.4, 0.3, 0.2),
    (1,): (0.1, 0.2, 0.5, 0.2),
    (2,): (0.1, 0.6, 0.2, 0.1),
    (2, 1): (0.3, 0.3, 0.2, 0.2),
}


class Saying:
    """A model that continues each beginning as NEXT says, whatever it has read."""

    def prepare_decoder_input_ids_from_labels(self, labels):
        before = torch.cat([torch.zeros_like(labels[:, :1]), labels[:, :-1]], 1)
        return before.masked_fill(before < 0, 0)

    def get_encoder(self):
        return lambda **read: SimpleNamespace(last_hidden_state=torch.zeros((1, 2, 4)))

    def __call__(self, *, decoder_input_ids, **more):
        rows = [
            [NEXT.get(tuple(row[1 : at + 1]), (0.25,) * 4) for at in range(len(row))]
            for row in decoder_input_ids.tolist()
        ]
        return SimpleNamespace(logits=torch.tensor(rows).log())


def lose(*choices, examples=1):
    table = oracle_tensors._Table(examples)
    table.add(0, [oracle.PassageChoice(*choice) for choice in choices], NAMES)
    read = {
        "input_ids": torch.zeros((1, 2)),
        "attention_mask": torch.ones((1, 2), dtype=torch.long),
    }
    batch = table.build() | read | {"counts": torch.tensor([1])}
    return oracle_tensors.oracle_loss(Saying(), batch).item(), batch


def test_a_name_counts_where_it_does_not_go_on_to_be_a_longer_one():
    """1 is written with 0.4, and goes on to be 12 with 0.5; 2 is written with 0.3."""
    assert lose(((), (0,)))[0] == pytest.approx(-math.log(0.4 * 0.5), rel=1e-5)
    assert lose(((), (1,)))[0] == pytest.approx(-math.log(0.3), rel=1e-5)
    assert lose(((), (2,)))[0] == pytest.approx(-math.log(0.4 * 0.5), rel=1e-5)
    assert lose(((), (0, 1)))[0] == pytest.approx(-math.log(0.4 * 0.5 + 0.3), rel=1e-5)
    assert lose(((), (0, 1, 2)))[0] == pytest.approx(-math.log(0.7), rel=1e-5)


def test_choices_follow_each_other_along_one_path():
    """After 2 is written, 1 comes with 0.6 and goes on to be 12 with 0.2."""
    loss, batch = lose(((), (0, 1)), ((1,), (0, 2)))
    second = 0.6 * (1 - 0.2) + 0.6 * 0.2
    assert loss == pytest.approx(-math.log(0.5) - math.log(second), rel=1e-5)
    assert batch["items"].item() == 2
    assert batch["labels"][0].tolist() == [2, -100, -100]  # the path
    assert batch["owners"].tolist() == [0] * len(batch["labels"])


def test_names_of_one_token_need_one_row_an_example():
    table = oracle_tensors._Table(1)
    choices = [
        oracle.PassageChoice((), (0, 1, 2)),
        oracle.PassageChoice((1,), (0, 2)),
        oracle.PassageChoice((1, 2), (0,)),
    ]
    table.add(0, choices, [[5], [6], [7]])
    assert table.rows == [[6, 7]]
    assert len(lose(((), (0, 1)), ((1,), (0, 2)))[1]["labels"]) == 3


def test_a_batch_has_the_choices_of_all_of_its_examples(base):
    from modeling.engines.tokens import Tokens

    collate = oracle_tensors.OracleBatches(Tokens(base("jpr")), learning.recipe_of("jpr"))
    rows = [ExampleRow(each, random.Random(0)) for each in learning.examples_of("jpr")]
    batch = collate(rows)
    assert batch["items"].item() == 16  # two passages of each question have an answer
    assert batch["counts"].tolist() == [3] * 8
    assert set(batch["owners"].tolist()) == set(range(8))
