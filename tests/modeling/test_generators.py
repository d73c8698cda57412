"""Baselines whose models write: what they read, and what becomes of what they write."""

import pytest

from modeling import inputs, registry
from modeling.base import (
    AnsweredDisambiguation,
    ArticlePassage,
    BadOption,
    BaselineQuestion,
    ShortAnswer,
)
from modeling.engines.base import AnswerSpan, Limits
from modeling.services.storing import details_of
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL, Corpus

ASKED = BaselineQuestion("1", "When did the Thames Tunnel open?")
OTHER = BaselineQuestion("2", "When did Tower Bridge open?")
NOTHING = BaselineQuestion("3", "Zzz?")


def predicted(key, *asked, corpus=None, **options):
    baseline = registry.build_baseline(key, corpus or Corpus(TUNNEL, TRAINS, BRIDGE), options)
    return list(baseline.predict(asked or [ASKED]))


def texts(prediction):
    return [answer.text for answer in prediction.answers]


def pairs(prediction):
    return [(pair.question, [answer.text for answer in pair.answers]) for pair in prediction.pairs]


# --- SpanSeqGen -----------------------------------------------------------------------------


def test_span_seq_gen_reads_the_best_passages_and_writes_every_answer(models):
    models.write["span-seq-gen"] = " 1843 [SEP] in 1869. [SEP] 1843. [SEP]"
    (prediction,) = predicted("span-seq-gen", passages="2")

    assert models.read["span-seq-gen"] == [[inputs.span_seq_gen(ASKED.question, [TUNNEL, TRAINS])]]
    assert models.limits["span-seq-gen"] == Limits(tokens_in=1024, tokens_out=100, beams=4)
    assert texts(prediction) == ["1843", "in 1869."]
    assert [passage.id for passage in prediction.passages] == [TUNNEL.id, TRAINS.id]
    assert (prediction.tokens_in, prediction.tokens_out) == (10, 2)


def test_an_answer_has_the_first_passage_that_its_words_are_in(models):
    models.write["span-seq-gen"] = "The 1869 [SEP] 184 [SEP] 1894 [SEP] !"
    (prediction,) = predicted("span-seq-gen")
    places = [answer.passage and answer.passage.id for answer in prediction.answers]
    assert places == [TRAINS.id, None, BRIDGE.id, None]


def test_questions_are_read_together_and_one_without_a_passage_has_a_problem(models):
    first, nothing, other = predicted("span-seq-gen", ASKED, NOTHING, OTHER)
    assert len(models.read["span-seq-gen"][0]) == 2
    assert nothing.problem == "No passage has a word of the question."
    assert (first.id, nothing.id, other.id) == ("1", "3", "2")
    assert other.answers


def test_many_questions_are_read_a_few_at_a_time(models):
    many = [BaselineQuestion(str(n), ASKED.question) for n in range(40)]
    assert [row.id for row in predicted("span-seq-gen", *many)] == [row.id for row in many]
    assert [len(call) for call in models.read["span-seq-gen"]] == [16, 16, 8]


@pytest.mark.parametrize(
    "key", ["span-seq-gen", "span-seq-gen-qd", "fid", "t5-closed", "t5-open-3"]
)
@pytest.mark.parametrize("text", ["", " ", "</s><pad>", "[SEP] [SEP]", "\x00\u200b"])
def test_a_model_that_writes_nothing_is_a_problem(models, key, text):
    models.write = dict.fromkeys(models.write, text)
    (prediction,) = predicted(key)
    assert (prediction.answers, prediction.pairs, prediction.passages) == ((), (), ())
    assert prediction.problem == "The model gave no answer."
    assert prediction.tokens_in == 10


# --- question disambiguation ----------------------------------------------------------------


def test_each_answer_gets_a_question_from_the_same_passages(models):
    models.write["qd"] = lambda text: f"When was {text.split()[1]}?"
    (prediction,) = predicted("span-seq-gen-qd", passages="1")

    assert models.read["qd"] == [
        [
            inputs.question_disambiguation(ASKED.question, "1843", ["1869"], [TUNNEL]),
            inputs.question_disambiguation(ASKED.question, "1869", ["1843"], [TUNNEL]),
        ]
    ]
    assert models.limits["qd"] == Limits(tokens_in=1024, tokens_out=64, beams=4)
    assert pairs(prediction) == [("When was 1843?", ["1843"]), ("When was 1869?", ["1869"])]
    assert texts(prediction) == ["1843", "1869"]
    assert (prediction.tokens_in, prediction.tokens_out) == (30, 6)


def test_a_single_answer_answers_the_question_as_asked(models):
    models.write["span-seq-gen"] = "1843"
    (prediction,) = predicted("span-seq-gen-qd")
    assert pairs(prediction) == [(ASKED.question, ["1843"])]
    assert "qd" not in models.read


@pytest.mark.parametrize("key", ["span-seq-gen-qd", "thresholding-qd", "ensemble-qd"])
def test_without_the_answers_each_has_the_question_as_asked(models, key):
    """The last row of AmbigQA's table 4 (A96): no weights are needed, no model is run."""
    models.find = lambda question, passages: [
        AnswerSpan("1843", 0, 0.5),
        AnswerSpan("1869", 0, 0.4),
    ]
    options = {"of": "span-seq-gen,thresholding"} if key == "ensemble-qd" else {}
    (prediction,) = predicted(key, without="answers", **options)
    assert pairs(prediction) == [(ASKED.question, ["1843"]), (ASKED.question, ["1869"])]
    assert details_of(prediction)["pairs"] == [[ASKED.question, "1843"], [ASKED.question, "1869"]]
    assert "qd" not in {*models.read, *models.named}
    with pytest.raises(BadOption, match="no option “qd”"):
        predicted(key, without="answers", qd="./b", **options)


def test_questions_of_several_predictions_come_to_the_right_answers(models):
    models.write["span-seq-gen"] = lambda text: "1894" if "Bridge open" in text else "1843 [SEP] 2"
    models.write["qd"] = lambda text: f"When was {text.split()[1]}?"
    rows = predicted("span-seq-gen-qd", ASKED, NOTHING, OTHER, ASKED)
    assert [pairs(row) for row in rows] == [
        [("When was 1843?", ["1843"]), ("When was 2?", ["2"])],
        [],
        [(OTHER.question, ["1894"])],
        [("When was 1843?", ["1843"]), ("When was 2?", ["2"])],
    ]


def test_the_separator_is_that_of_the_weights(models):
    predicted("span-seq-gen-qd", separator="<SEP>", passages="1")
    assert "</s> <SEP> 1869</s>Thames Tunnel" in models.read["qd"][0][0]
    with pytest.raises(BadOption, match=r"“separator” is “;”. Set it to \[SEP\] or <SEP>"):
        predicted("span-seq-gen-qd", separator=";")


# --- Disambig-first -------------------------------------------------------------------------


def test_disambig_first_answers_the_questions_that_it_wrote(models):
    (prediction,) = predicted(
        "disambig-first", BaselineQuestion("1", "when did the tunnel open"), passages="1"
    )
    assert models.read["ambiguity"] == [["when did the tunnel open?"]]
    assert models.read["disambig-first"] == [["when did the tunnel open?"]]
    assert models.read["reader"] == [
        ("When did it open to walkers?", 1, 1),
        ("When did it open to trains?", 1, 1),
    ]
    assert [question for question, _ in pairs(prediction)] == [
        "When did it open to walkers?", "When did it open to trains?",
    ]  # fmt: skip
    assert all(answer.passage for answer in prediction.answers)


def test_a_clear_question_is_answered_as_it_is(models):
    models.ambiguous = lambda question: 0.5
    (prediction,) = predicted("disambig-first")
    assert pairs(prediction) == [(ASKED.question, ["1843"])]
    assert "disambig-first" not in models.read


def test_only_ambiguous_questions_are_written_anew(models):
    models.ambiguous = lambda question: 0.9 if "Tunnel" in question else 0.1
    models.find = lambda question, passages: [AnswerSpan("1894", 0, 0.9)]
    rows = predicted("disambig-first", OTHER, ASKED)
    assert models.read["disambig-first"] == [[ASKED.question]]
    assert [len(row.pairs) for row in rows] == [1, 2]


def test_one_question_written_is_not_a_disambiguation(models):
    models.write["disambig-first"] = "When did it open to walkers?"
    (prediction,) = predicted("disambig-first")
    assert pairs(prediction) == [(ASKED.question, ["1843"])]


def test_a_question_without_an_answer_is_left_out(models):
    models.write["disambig-first"] = "Zzz? [SEP] When did the tunnel open?"
    (prediction,) = predicted("disambig-first")
    assert [question for question, _ in pairs(prediction)] == ["When did the tunnel open?"]
    models.write["disambig-first"] = "Zzz? [SEP] Qqq?"
    (nothing,) = predicted("disambig-first")
    assert nothing.problem == "The reader found no answer in the passages."
    assert (nothing.tokens_in, nothing.tokens_out) == (10, 2)


# --- T5 -------------------------------------------------------------------------------------


def test_t5_closed_book_writes_a_long_answer_from_the_question(models):
    models.write["t5-closed"] = "It opened <extra_id_0> in 1843.</s>"
    (prediction,) = predicted("t5-closed")
    assert models.read["t5-closed"] == [[ASKED.question]]
    assert models.limits["t5-closed"] == Limits(tokens_in=128, tokens_out=256)
    assert prediction.long_answer.split() == ["It", "opened", "in", "1843."]


@pytest.mark.parametrize(("count", "tokens"), [(1, 512), (3, 1024), (5, 2048)])
def test_t5_open_book_reads_the_paper_s_number_of_passages(models, count, tokens):
    corpus = Corpus(
        *(ArticlePassage(f"7-{n}", "Thames Tunnel", f"Thames part {n}.") for n in range(9))
    )
    (prediction,) = predicted(f"t5-open-{count}", corpus=corpus)
    assert [top for _, top in corpus.asked] == [count]
    assert len(prediction.passages) == count
    assert models.read["t5-open"] == [[inputs.t5_open(ASKED.question, prediction.passages)]]
    assert models.limits["t5-open"].tokens_in == tokens


def test_t5_open_book_has_no_other_number_of_passages(models):
    with pytest.raises(BadOption, match="no option “passages”"):
        predicted("t5-open-3", passages="4")


def test_the_oracle_reads_what_is_known(models):
    reference = (
        AnsweredDisambiguation("When did walkers come?", (ShortAnswer("1843", (), TUNNEL),)),
    )
    knowledge = (ArticlePassage("", "Marc Brunel", "Brunel began in 1825."),)
    known = BaselineQuestion(
        "1", ASKED.question, reference, knowledge=knowledge, knowledge_of="a writer"
    )
    unknown, prediction = predicted("oracle", OTHER, known)
    assert models.read["oracle"] == [[inputs.oracle_input(ASKED.question, reference, knowledge)]]
    assert models.limits["oracle"].tokens_in == 2048
    assert prediction.long_answer == "Walkers came in 1843, trains in 1869."
    assert details_of(prediction) == {"knowledge_of": "a writer"}
    assert unknown.problem == "The question comes without reference disambiguations."


# --- FiD and PIG ----------------------------------------------------------------------------


def test_fid_reads_fifty_passages_at_once(models):
    corpus = Corpus(
        *(ArticlePassage(f"7-{n}", "Thames", f"Tunnel, part {n} of it.") for n in range(99))
    )
    models.write["fid"] = "part 7#Part 7#1843"
    (prediction,) = predicted("fid", corpus=corpus)
    assert models.read["fid"] == [[inputs.fid_inputs(ASKED.question, prediction.passages)]]
    assert len(prediction.passages) == 50
    assert models.limits["fid"] == Limits(tokens_in=250, tokens_out=512)
    assert texts(prediction) == ["part 7", "1843"]
    assert prediction.answers[0].passage.id == "7-7"


def test_pig_answers_from_each_passage_and_joins_what_differs(models):
    write = {"1843.": "1843", "1869.": "Not Relevant", "1894.": "1843."}
    models.write["pig"] = lambda text: write[text.split()[-1]]
    first, second = predicted("pig", ASKED, BaselineQuestion("2", "Thames trains in 1869."))
    assert len(models.read["pig"][0]) == 6
    assert (texts(first), texts(second)) == (["1843"], ["1843"])
    assert first.answers[0].passage.id == TUNNEL.id
    assert (first.tokens_in, first.tokens_out) == (30, 6)


def test_pig_that_finds_nothing_relevant_has_a_problem(models):
    models.write["pig"] = "not relevant"
    (prediction,) = predicted("pig")
    assert prediction.problem == "The model says of every passage that it is not relevant."


@pytest.mark.parametrize("key", ["fid", "pig"])
def test_oracle_evidence_is_that_of_the_reference(models, key):
    reference = (
        AnsweredDisambiguation("Walkers?", (ShortAnswer("1843", (), TUNNEL),)),
        AnsweredDisambiguation(
            "Again?", (ShortAnswer("1843", (), TUNNEL), ShortAnswer("1869", (), TRAINS))
        ),
    )
    corpus = Corpus()
    known, unknown = predicted(
        key, BaselineQuestion("1", "Zzz?", reference), OTHER, corpus=corpus, evidence="gold"
    )
    assert known.passages == (TUNNEL, TRAINS)
    assert unknown.problem == "The reference disambiguations come without passages."
    assert corpus.asked == []


# --- weights --------------------------------------------------------------------------------


def test_weights_are_named_by_role(models):
    predicted("disambig-first", **{"model": "./bart", "reader": "./dpr", "ambiguity": "./bert"})
    assert models.named == {"disambig-first": "./bart", "reader": "./dpr", "ambiguity": "./bert"}
    with pytest.raises(BadOption, match="no option “disambig-first”"):
        predicted("disambig-first", **{"disambig-first": "./bart"})


def test_other_weights_are_another_version(models):
    versions = {
        registry.build_baseline("span-seq-gen-qd", Corpus(), options).version
        for options in ({}, {"model": "./b"}, {"qd": "./b"})
    }
    assert len(versions) == 3
    assert max(map(len, versions)) <= 40


# --- lists ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["t5-closed", "t5-open-3", "oracle"])
def test_a_text_is_read_as_a_list_where_one_is_asked_for(models, key):
    reference = (AnsweredDisambiguation("Walkers?", (ShortAnswer("1843", (), TUNNEL),)),)
    asked = BaselineQuestion("1", ASKED.question, reference, as_list=True)
    role = key.removesuffix("-3")
    models.write[role] = " 1843#in 1869#1843.#</s>#1999"
    (prediction,) = predicted(key, asked)
    assert texts(prediction) == ["1843", "in 1869", "1999"]
    assert (prediction.long_answer, prediction.pairs, prediction.problem) == ("", (), "")
    assert models.limits[role].tokens_out == 512
    places = [answer.passage and answer.passage.id for answer in prediction.answers]
    assert places == ([TUNNEL.id, TRAINS.id, None] if key == "t5-open-3" else [None] * 3)

    models.write[role] = "#</s>#"
    assert predicted(key, asked)[0].problem == "The model gave no answer."
    (prediction,) = predicted(key, BaselineQuestion("1", ASKED.question, reference))
    assert (prediction.answers, models.limits[role].tokens_out) == ((), 256)
