"""Which models are best left to vote together (A93)."""

from itertools import combinations
from random import Random
from time import perf_counter

import pytest

from metrics import ambigqa
from metrics.ambigqa import AmbigqaAnnotation, GoldPair, Reference
from modeling import outputs
from modeling.base import Prediction, ShortAnswer
from modeling.management.commands.co_train import _list_votes
from modeling.training.vote_combinations import NOTE, describe_votes, rank_combinations

WORDS = ["1843", "1869", "1894", "Brunel", "Barry", "The Barry.", "A+", ""]


def reference(number, *answers):
    pairs = tuple(GoldPair(f"{number} {answer}?", (answer,)) for answer in answers)
    one = AmbigqaAnnotation(answers) if len(answers) == 1 else AmbigqaAnnotation(pairs=pairs)
    return Reference(f"q{number}", f"{number}?", (one,))


def drawn(models, questions, seed=5):
    """Return questions, and what models that are right now and then say of them."""
    random = Random(seed)
    references = [
        reference(number, *random.sample(WORDS[:5], random.choice([1, 2, 3])))
        for number in range(questions)
    ]
    answers = {
        f"m{model}": {
            one.id: random.sample(WORDS, random.choice([0, 1, 2, 3, 4])) for one in references
        }
        for model in range(models)
    }
    return references, answers


def voted(references, answers, names, *, majority=False):
    """Return the mean F1-answer of a vote as the baseline takes it."""
    said = {}
    for one in references:
        rows = [
            Prediction(one.id, answers=tuple(map(ShortAnswer, answers[name][one.id])))
            for name in names
        ]
        said[one.id] = [answer.text for answer in outputs.vote_on_answers(rows, majority=majority)]
    columns = ambigqa.score_predictions(references, said).columns["f1_answer"]
    return sum(columns) / len(columns)


def test_each_combination_has_the_figure_of_the_ensemble():
    references, answers = drawn(7, 24)
    ranking = rank_combinations(references, answers)
    expected = {
        names: voted(references, answers, names)
        for size in (4, 5, 6)
        for names in combinations(answers, size)
    }
    assert len(ranking.ranked) == 35 + 21 + 7
    for own in ranking.ranked:
        assert own.f1_answer == pytest.approx(expected.pop(own.models), abs=1e-11)
    figures = [own.f1_answer for own in ranking.ranked]
    assert figures == sorted(figures, reverse=True)
    assert len(set(figures)) > 20


def test_what_is_chosen_on_one_half_is_scored_on_the_other():
    references, answers = drawn(6, 30)
    ranking = rank_combinations(references, answers)
    half = ranking.half
    sums = {}
    for names in (half.models, ranking.ranked[0].models):
        sums[names] = voted(references, answers, names)
    both = (half.f1_answer + ranking.unseen) / 2
    assert both == pytest.approx(sums[half.models], abs=1e-11)
    assert half.f1_answer != ranking.unseen
    assert ranking.note == NOTE


def test_the_halves_are_drawn_by_id_and_not_by_order():
    references, answers = drawn(5, 20)
    ranking = rank_combinations(references, answers)
    turned = rank_combinations(references[::-1], answers)
    assert (turned.half, turned.unseen) == (ranking.half, ranking.unseen)


def test_of_equal_ones_the_smaller_comes_first():
    references, _ = drawn(1, 4)
    same = {name: {one.id: ["1843"] for one in references} for name in "abcde"}
    ranking = rank_combinations(references, same)
    assert [own.models for own in ranking.ranked[:2]] == [tuple("abcd"), tuple("abce")]
    assert ranking.ranked[-1].models == tuple("abcde")


def test_models_that_all_say_nothing_score_nothing():
    references, _ = drawn(1, 4)
    silent = {name: {one.id: [""] for one in references} for name in "abcd"}
    ranking = rank_combinations(references, silent)
    assert (ranking.ranked[0].f1_answer, ranking.unseen) == (0, 0)


def test_votes_stand_beside_single_models():
    references, answers = drawn(6, 24)
    said = describe_votes(references, answers)
    assert said["questions"] == 24
    assert said["all"] == pytest.approx(voted(references, answers, list(answers)))
    half = voted(references, answers, list(answers), majority=True)
    assert said["majority"] == pytest.approx(half) != pytest.approx(said["all"])
    for name, figure in said["single"].items():
        assert figure == pytest.approx(voted(references, answers, [name]))
    ranking = rank_combinations(references, answers)
    assert said["best"]["models"] == list(ranking.ranked[0].models)
    assert said["half"]["unseen"] == ranking.unseen
    first, second = _list_votes(said)
    assert f"{said['all']:.4g} of all that vote" in first
    assert f"{half:.4g} of what more than half" in first
    assert f"{ranking.unseen:.4g} on the other" in second


def test_few_models_vote_without_a_choice():
    references, answers = drawn(3, 24)
    assert set(describe_votes(references, answers)) == {"questions", "single", "all", "majority"}


@pytest.mark.parametrize(
    ("models", "questions", "sentence"),
    [
        (3, 4, "4 to 16 models can be combined, not 3"),
        (17, 4, "4 to 16 models can be combined, not 17"),
        (4, 1, "Two questions with an accepted answer are needed"),
    ],
)
def test_too_few_or_too_many_are_refused(models, questions, sentence):
    with pytest.raises(ValueError, match=sentence):
        rank_combinations(*drawn(models, questions))


def test_all_combinations_of_sixteen_models_are_a_matter_of_seconds():
    references, answers = drawn(16, 100)
    before = perf_counter()
    assert len(rank_combinations(references, answers).ranked) == 1820 + 4368 + 8008
    assert perf_counter() - before < 20
