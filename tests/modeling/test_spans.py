"""Baselines on an extractive reader, and several baselines that vote."""

from decimal import Decimal

import pytest

from modeling import registry
from modeling.base import BadOption, BaselineQuestion, MissingModel, Prediction
from modeling.engines.base import AnswerSpan
from modeling.registry import BaselineEntry
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL, Corpus

ASKED = BaselineQuestion("1", "When did the Thames Tunnel open?")


def predicted(key, *asked, **options):
    return list(
        registry.build_baseline(key, Corpus(TUNNEL, TRAINS, BRIDGE), options).predict(
            asked or [ASKED]
        )
    )


def texts(prediction):
    return [answer.text for answer in prediction.answers]


def test_the_extractive_reader_gives_its_likeliest_span_with_its_passage(models):
    models.find = lambda question, passages: [
        AnswerSpan("1869", 1, 0.3),
        AnswerSpan("1843", 0, 0.5),
    ]
    (prediction,) = predicted("extractive")
    assert models.read["reader"] == [(ASKED.question, 3, 1)]
    (answer,) = prediction.answers
    assert (answer.text, answer.score, answer.passage.id) == ("1843", 0.5, TUNNEL.id)
    assert len(prediction.passages) == 3


def test_a_reader_without_a_span_is_a_problem(models):
    models.find = lambda question, passages: [AnswerSpan(" ", 0, 0.5)]
    (prediction,) = predicted("extractive")
    assert prediction.problem == "The model gave no answer."


def test_thresholding_gives_the_spans_above_the_threshold(models):
    models.find = lambda question, passages: [
        AnswerSpan("1843", 0, 0.25), AnswerSpan("1869", 1, 0.3), AnswerSpan("1869.", 2, 0.2),
        AnswerSpan("1894", 2, 0.15),
    ]  # fmt: skip
    (prediction,) = predicted("thresholding", threshold="0.15")
    assert texts(prediction) == ["1869", "1843"]
    assert texts(predicted("thresholding")[0]) == ["1869", "1843", "1894"]
    (nothing,) = predicted("thresholding", threshold=".3")
    assert nothing.problem == "No span is likelier than 0.3."
    # A97: what the weights were trained on is a note, which changes nothing that they say.
    assert predicted("thresholding", trained="NQ-open") == predicted("thresholding")


@pytest.mark.parametrize("value", ["2", "-0.1", "x", "1.1", "nan", "1e-3", "0.1.2"])
def test_a_threshold_is_a_number_from_0_to_1(models, value):
    with pytest.raises(BadOption, match=r"“threshold” is “.*”\. Set it to a number from 0 to 1"):
        predicted("thresholding", threshold=value)


def test_thresholding_with_questions(models):
    models.write["qd"] = lambda text: f"When was {text.split()[1]}?"
    (prediction,) = predicted("thresholding-qd", passages="2")
    assert [(pair.question, pair.answers[0].text) for pair in prediction.pairs] == [
        ("When was 1843?", "1843"), ("When was 1869?", "1869"),
    ]  # fmt: skip


# --- the vote -------------------------------------------------------------------------------


def test_the_answers_that_most_members_give(models):
    models.write["span-seq-gen"] = "1843 [SEP] 1900"
    models.write["fid"] = "1869#1843"
    models.write["pig"] = "1869"
    (prediction,) = predicted("ensemble", of="span-seq-gen, fid, pig")
    assert texts(prediction) == ["1843", "1869"]
    assert [round(answer.score, 2) for answer in prediction.answers] == [0.67, 0.67]
    assert prediction.passages[0].id == TUNNEL.id
    assert prediction.tokens_in == 10 + 10 + 30


def test_all_that_more_than_half_of_the_members_give(models):
    models.write |= {"span-seq-gen": "1843 [SEP] 1869", "fid": "1869#1843", "pig": "1869"}
    (most,) = predicted("ensemble", of="span-seq-gen,fid,pig", vote="most")
    (majority,) = predicted("ensemble", of="span-seq-gen,fid,pig", vote="majority")
    assert (texts(most), texts(majority)) == (["1869"], ["1843", "1869"])
    versions = {
        registry.build_baseline("ensemble", Corpus(TUNNEL), {"of": "fid,pig", **more}).version
        for more in ({}, {"vote": "most"}, {"vote": "majority"})
    }
    assert len(versions) == 2
    with pytest.raises(BadOption, match="Set it to most or majority"):
        predicted("ensemble", of="fid,pig", vote="all")


def test_a_member_with_weights_of_its_own(models):
    write = {"./a": "1843", "./b": "1869 [SEP] 1843", "": "1869"}
    models.write["span-seq-gen"] = write
    (prediction,) = predicted("ensemble", of="span-seq-gen@./a,span-seq-gen@./b,span-seq-gen")
    assert [(answer.text, round(answer.score, 2)) for answer in prediction.answers] == [
        ("1843", 0.67), ("1869", 0.67),
    ]  # fmt: skip


def test_a_member_without_an_answer_has_no_vote(models):
    models.write["fid"] = ""
    (prediction,) = predicted("ensemble", of="span-seq-gen,fid")
    assert [(answer.text, answer.score) for answer in prediction.answers] == [
        ("1843", 0.5), ("1869", 0.5),
    ]  # fmt: skip
    (nothing,) = predicted("ensemble", BaselineQuestion("3", "Zzz?"), of="span-seq-gen,fid")
    assert nothing.problem == "None of the members gave an answer."


def test_the_ensemble_writes_questions_once_for_its_answers(models):
    models.write["qd"] = lambda text: f"When was {text.split()[1]}?"
    (prediction,) = predicted("ensemble-qd", of="span-seq-gen,fid")
    assert [pair.question for pair in prediction.pairs] == ["When was 1843?", "When was 1869?"]
    assert len(models.read["qd"]) == 1


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        ("", "It takes at least two"),
        ("fid", "It takes at least two"),
        ("fid,,pig", "It takes at least two"),
        ("fid,fid", "each of them once"),
        (",".join(f"fid@./{n}" for n in range(17)), "up to 16"),
        ("fid,gpt", "“gpt” cannot vote. There is no baseline “gpt”"),
        ("fid,t5-closed", "“t5-closed” gives no short answers"),
        ("fid,ensemble", "cannot be in an ensemble"),
        ("fid,ensemble-qd", "cannot be in an ensemble"),
        ("fid,most-frequent", "“most-frequent” cannot vote. Set the option “train”"),
        ("fid,question-x8@./a", "“question-x8@./a” cannot vote. This baseline has no option"),
    ],
)
def test_members_that_cannot_vote_are_named(models, of, sentence):
    with pytest.raises(MissingModel, match=sentence):
        predicted("ensemble", of=of)


def test_a_member_whose_weights_are_missing_is_named(models, monkeypatch):
    from modeling import weights

    def find(role, name=""):
        raise MissingModel("The model of “reader” is not here.")

    monkeypatch.setattr(weights, "get_weights", find)
    with pytest.raises(MissingModel, match=r"“fid” cannot vote\. The model of “reader”"):
        predicted("ensemble", of="fid,pig")


def test_members_read_the_passages_that_the_options_say(models):
    with pytest.raises(BadOption, match="“retriever”"):
        predicted("ensemble", of="fid,pig", retriever="none")
    assert predicted("ensemble", of="fid,pig", retriever="bm25")[0].answers


class Priced:
    key, label, version = "priced", "Priced", "1"
    gives = frozenset({"answers"})

    def __init__(self, corpus, options):
        assert corpus is None

    def predict(self, asked):
        for question in asked:
            yield Prediction(question.id, cost=Decimal("0.5"), problem="It is busy.")


def test_what_members_cost_is_added_up(models, monkeypatch):
    entry = BaselineEntry("priced", "Priced", f"{__name__}:Priced")
    monkeypatch.setitem(registry._entries, "priced", entry)
    (prediction,) = predicted("ensemble", of="priced,fid")
    assert prediction.cost == Decimal("0.5")
    (nothing,) = predicted("ensemble", BaselineQuestion("3", "Zzz?"), of="priced,fid")
    assert nothing.cost == Decimal("0.5")
