"""Choosing thresholds: no better filter, honest figures, and the command."""

import io
import itertools
import json
import random

import pytest
from django.core.management import CommandError, call_command

from modeling import corpus as corpora
from modeling import engines, outputs, weights
from modeling.base import ArticlePassage, ShortAnswer
from modeling.engines.base import AnswerSpan
from modeling.training.likelihood_filters import (
    BOUNDS,
    CLASSES,
    Filter,
    RankedAnswers,
    cross_fit,
    mean_gain,
    tune_filter,
)
from tests import factories
from tests.modeling.corpora import Corpus
from tests.validation.release.conftest import ambignq, pairs, record, single


def draw(seed, questions=200, decimals=3):
    """Questions with spans that are right the more often the likelier they are."""
    chance = random.Random(seed)
    items = []
    for number in range(questions):
        likelihoods = sorted(
            (round(chance.random() ** 2, decimals) for _ in range(chance.randint(0, 6))),
            reverse=True,
        )
        gold = chance.randint(1, 3)
        right = list(itertools.accumulate(chance.random() < each for each in likelihoods))
        gains = [0.0] + [
            2 * min(found, gold) / (count + gold) for count, found in enumerate(right, 1)
        ]
        items.append(RankedAnswers(f"q{number}", likelihoods, gains))
    return items


@pytest.mark.parametrize("seed", range(4))
def test_no_threshold_with_no_bounds_gains_more(seed):
    items = draw(seed)
    chosen, gain = tune_filter(items)
    distinct = sorted({each for item in items for each in item.likelihoods} | {0.0, 1.0})
    between = [(low + high) / 2 for low, high in itertools.pairwise(distinct)]
    best = max(
        mean_gain(items, Filter(threshold, least, most))
        for threshold in [0.0, *between, 1.0]
        for least, most in BOUNDS
    )
    assert gain == pytest.approx(best, abs=1e-12)
    assert mean_gain(items, chosen) == gain


def test_of_equal_filters_the_strictest_is_taken():
    items = [RankedAnswers("a", [0.9, 0.1], [0.0, 1.0, 1.0]), RankedAnswers("b", [], [0.0])]
    chosen, gain = tune_filter(items)
    assert (chosen, gain) == (Filter(0.5, 0, 0), 0.5)


def test_folds_give_an_honest_figure_that_is_lower_and_always_the_same():
    items = draw(5, questions=60)
    tuned = tune_filter(items)[1]
    untied = cross_fit(items, 2)
    assert untied < tuned
    assert cross_fit(items[::-1], 2) == pytest.approx(untied)
    with pytest.raises(ValueError, match="too few for 9 folds"):
        cross_fit(items[:3], 9)
    with pytest.raises(ValueError, match="at least two"):
        cross_fit(items, 1)


def test_a_classifier_has_a_cutoff():
    items = [
        RankedAnswers(str(n), [likelihood], [float(not right), float(right)])
        for n, (likelihood, right) in enumerate(
            [(0.2, False), (0.3, False), (0.35, True), (0.9, True)]
        )
    ]
    chosen, gain = tune_filter(items, CLASSES)
    assert (chosen.threshold, gain) == (0.325, 1.0)


@pytest.mark.parametrize(
    ("filtered", "texts"),
    [
        ({}, ["a"]),
        ({"least": 2}, ["a", "b"]),
        ({"least": 9}, ["a", "b", "c"]),
        ({"threshold": 0.0, "most": 2}, ["a", "b"]),
        ({"threshold": 0.9}, []),
    ],
)
def test_a_baseline_gives_what_the_filter_counts(filtered, texts):
    answers = [
        ShortAnswer(text, score=score) for text, score in zip("cab", (0.1, 0.8, 0.3), strict=True)
    ]
    options = {"threshold": 0.5} | filtered
    found = outputs.filter_by_likelihood(answers, options.pop("threshold"), **options)
    assert [answer.text for answer in found] == texts
    bounds = {"least": 0, "most": 0} | options
    chosen = Filter({"threshold": 0.5, **filtered}["threshold"], **bounds)
    assert chosen.count([0.8, 0.3, 0.1]) == len(texts)


# --- the command ----------------------------------------------------------------------------------


class Reader:
    """Finds 1843 for every question, and 1869 less surely; in odd ones both are likelier."""

    def find_spans(self, question, passages, top):
        odd = int(question.split()[3]) % 2
        return [
            AnswerSpan("1843", 0, 0.6 if odd else 0.4),
            AnswerSpan("1869", 0, 0.3 if odd else 0.05),
        ][:top]


@pytest.fixture
def dev(db, now, monkeypatch, tmp_path):
    """40 questions: 1843 is right for all, and 1869 as well for odd ones."""
    from annotation.imports.services import import_questions

    project = factories.make_project(slug="crossings")
    both = pairs(("When to walkers?", "1843"), ("When to trains?", "1869"))
    records = [record(n, both if n % 2 else single("1843")) for n in range(40)]
    options = {"format": "ambignq", "split": "dev", "finished": True, "by": None, "now": now}
    import_questions(project=project, file=ambignq(*records), **options)
    text = ArticlePassage("1", "Bridge", "bridge built When was: 1843 and 1869")
    monkeypatch.setattr(corpora, "corpus_for", lambda wiki, label: Corpus(text))
    own = weights.Weights("reader", "reader", tmp_path, "0" * 12)
    monkeypatch.setattr(weights, "get_weights", lambda role, name="", **more: own)
    monkeypatch.setattr(engines, "load_reader", lambda weights: Reader())
    return project


@pytest.fixture
def now():
    from django.utils import timezone

    return timezone.now()


def tune(*words):
    out = io.StringIO()
    call_command("tune", "crossings", *words, stdout=out)
    return out.getvalue()


def test_the_command_prints_what_to_set_and_what_it_gains(dev):
    said = json.loads(tune("--system", "thresholding", "--folds", "2", "--json"))
    assert said["options"]["threshold"] == "0.175"
    assert (said["questions"], said["tuned"], said["untied"]) == (40, 1.0, 1.0)
    # With the usual 0.1 the same are given; least and most are not needed.
    assert (said["usual"], said["majority"]) == (1.0, None)
    text = tune("--system", "thresholding")
    assert "--option threshold=0.175" in text
    assert "100.0 with these, on the questions they were chosen on" in text
    assert "scored by what the others chose" not in text


def test_what_it_prints_makes_the_baseline_gain_it(dev):
    from modeling import registry

    options = json.loads(tune("--system", "thresholding", "--json"))["options"]
    corpus = corpora.corpus_for(None, "")
    baseline = registry.build_baseline("thresholding", corpus, options)
    from modeling.base import BaselineQuestion

    asked = [BaselineQuestion(str(n), f"When was bridge {n} built?") for n in (1, 2)]
    found = [[a.text for a in p.answers] for p in baseline.predict(asked)]
    assert found == [["1843", "1869"], ["1843"]]


def test_the_cutoff_of_the_classifier(dev, monkeypatch):
    class Classifier:
        def predict_likelihoods(self, texts):
            return [0.4 if int(text.split()[3]) % 2 else 0.2 for text in texts]

    monkeypatch.setattr(engines, "load_classifier", lambda weights: Classifier())
    said = json.loads(tune("--system", "disambig-first", "--json"))
    assert said["options"] == {"cutoff": "0.3"}
    assert (said["tuned"], said["usual"], said["majority"]) == (1.0, 0.5, 0.5)
    assert "50.0 of the more frequent class" in tune("--system", "disambig-first")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--system", "thresholding", "--split", "test"), "test is neither trained nor tuned on"),
        (("--system", "thresholding", "--split", "train"), "train has 0 questions"),
        (("--system", "thresholding", "--folds", "1"), "--folds: a number from 2 to 10"),
        (("--system", "thresholding", "--option", "most=3"), "they are what is chosen"),
        (("--system", "disambig-first", "--option", "top=3"), "“top” has no part in it"),
    ],
)
def test_the_command_refuses_with_a_sentence(dev, words, sentence):
    with pytest.raises(CommandError, match=sentence) as refused:
        tune(*words)
    assert refused.value.returncode == 2
