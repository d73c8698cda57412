"""What models that write learn from a question, and why they learn nothing from some."""

import json
from dataclasses import replace

import pytest

from modeling import engines, inputs, outputs
from modeling.base import (
    AnsweredDisambiguation,
    ArticlePassage,
    BadOption,
    BaselineQuestion,
    Prediction,
    ShortAnswer,
)
from modeling.baselines.questions import Disambiguator
from modeling.baselines.weighted import QuestionPassages
from modeling.engines.base import GeneratedText
from modeling.training.examples import AMBIGUITY_LABELS
from modeling.training.recipes import CLASSIFY, RECIPES, WRITE
from modeling.training.text_examples import MOST_RENDERINGS, build_text_examples
from modeling.training.values import Labelled, LabelledPair, LabelledText
from modeling.weights import Weights
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL

WALKERS = LabelledPair(("When did it open to walkers?",), ("1843", "25 March 1843"))
RAIL = LabelledPair(("When did it open to trains?", "When did trains first run?"), ("1869",))
ASKED = BaselineQuestion("q1", "When did the Thames Tunnel open?")


def label(*annotations, asked=ASKED, **fields):
    return Labelled(1, asked.question, asked, annotations=annotations, **fields)


def build(role, labelled, *passages):
    return build_text_examples(role, labelled, passages)


def test_each_rendering_has_only_forms_that_stand_in_the_input():
    [example] = build("span-seq-gen", label((WALKERS, RAIL)), TUNNEL, TRAINS)
    assert example.inputs == (inputs.span_seq_gen(ASKED.question, [TUNNEL, TRAINS]),)
    assert example.targets == ("1843 [SEP] 1869",)  # 25 March stands in neither
    assert example.passages == (TUNNEL, TRAINS)


def test_an_answer_that_is_not_there_is_left_out_and_a_question_without_any():
    [example] = build("span-seq-gen", label((WALKERS, RAIL)), TUNNEL)
    assert example.targets == ("1843",)
    assert build("span-seq-gen", label((WALKERS, RAIL)), BRIDGE) == "not_in_passages"
    assert build("span-seq-gen", label((WALKERS, RAIL))) == "no_passages"


def test_words_are_found_whole():
    party = ArticlePassage("1", "Party", "The party began at 18430.")
    assert build("span-seq-gen", label((WALKERS,)), party) == "not_in_passages"


def test_all_renderings_but_no_more_than_a_hundred():
    names = [tuple(f"{letter}{n}" for n in range(9)) for letter in "abc"]
    text = ArticlePassage("1", "Names", " ".join(name for forms in names for name in forms))
    pairs = tuple(LabelledPair((), forms) for forms in names)
    [example] = build("span-seq-gen", label(pairs), text)
    assert len(example.targets) == MOST_RENDERINGS == len(set(example.targets))
    assert example.targets[:2] == ("a0 [SEP] b0 [SEP] c0", "a0 [SEP] b0 [SEP] c1")


def test_an_answer_given_twice_is_written_once():
    again = LabelledPair(("When did it open, on foot?",), ("The 1843",))
    passage = ArticlePassage("1", "Thames Tunnel", "In the 1843 it opened: 1843 is the year.")
    [example] = build("span-seq-gen", label((WALKERS, again)), passage)
    assert example.targets == ("1843",)


def test_a_separator_in_an_answer_leaves_the_question_out():
    odd = LabelledPair((), ("a [SEP] b",))
    passage = ArticlePassage("1", "Odd", "It says a [SEP] b there.")
    assert build("span-seq-gen", label((odd,)), passage) == "not_in_passages"  # it reads no marks
    masked = LabelledPair((), ("1843", "<mask>"))
    assert build("disambig-first", label((replace(masked, phrasings=("<s>?",)), RAIL))) == (
        "separator_inside"
    )
    closed = BaselineQuestion("q2", "Which languages?", as_list=True)
    sharp = label((LabelledPair((), ("C#",)), LabelledPair((), ("Ada",))), asked=closed)
    assert build("t5-closed", sharp) == "separator_inside"


def test_each_annotation_is_an_example_of_its_own():
    examples = build("span-seq-gen", label((WALKERS,), (RAIL,)), TUNNEL, TRAINS)
    assert [example.targets for example in examples] == [("1843",), ("1869",)]


def test_question_disambiguation_takes_every_pair_with_all_phrasings():
    first, second = build("qd", label((WALKERS, RAIL)), TUNNEL)
    assert first.targets == WALKERS.phrasings
    assert second.targets == RAIL.phrasings
    assert first.inputs == (
        inputs.question_disambiguation(ASKED.question, "1843", ["1869"], [TUNNEL]),
    )
    assert build("qd", label((WALKERS, RAIL), (RAIL,)), TUNNEL) == "one_answer"
    closest = build("qd", label((RAIL, WALKERS), (WALKERS, RAIL)), TUNNEL)
    assert [example.answers[0][0] for example in closest] == ["1869", "1843"]


@pytest.mark.parametrize("without", ["", "prompt", "others"])
def test_what_question_disambiguation_is_trained_without_its_baseline_leaves_out(
    without, monkeypatch, tmp_path
):
    labelled = label((WALKERS, RAIL))
    made = build_text_examples("qd", labelled, [TUNNEL], without=without)
    asked = []

    class Generator:
        def generate(self, texts, limits):
            asked.extend(texts)
            return [GeneratedText("When?", 1, 1) for _ in texts]

    monkeypatch.setattr(engines, "load_generator", lambda weights: Generator())
    trained = {"recipe": {"without": without}} if without else {"recipe": {}}
    (tmp_path / "training.json").write_text(json.dumps(trained))
    answers = tuple(ShortAnswer(pair.forms[0]) for pair in (WALKERS, RAIL))
    read = QuestionPassages(labelled.asked, (TUNNEL,))
    prediction = Prediction(labelled.asked.id, answers=answers)
    weights = Weights("qd", "trained:ours", tmp_path, "0" * 12)
    Disambiguator(weights, {}).pair_predictions([read], [prediction])
    assert asked == [example.inputs[0] for example in made]
    asked.clear()
    Disambiguator(weights, {"without": "nothing"}).pair_predictions([read], [prediction])
    assert (asked == [example.inputs[0] for example in made]) is (without == "")
    with pytest.raises(BadOption, match="Set it to nothing or prompt or others or answers"):
        Disambiguator(weights, {"without": "passages"})


def test_of_several_sets_the_one_whose_answers_are_in_the_passages_is_taken():
    bridge = LabelledPair(("When did the bridge open?",), ("1894",))
    examples = build("qd", label((bridge, RAIL), (WALKERS, RAIL)), TUNNEL, TRAINS)
    assert [example.answers[0][0] for example in examples] == ["1843", "1869"]


def test_the_questions_come_first_from_the_question_alone():
    [example] = build("disambig-first", label((WALKERS, RAIL), (WALKERS,)))
    assert example.inputs == ("When did the Thames Tunnel open?",)
    assert example.targets == ("When did it open to walkers? [SEP] When did it open to trains?",)
    assert build("disambig-first", label((WALKERS,))) == "one_answer"


@pytest.mark.parametrize(("sets", "several"), [(((WALKERS,),), False), (((WALKERS, RAIL),), True)])
def test_a_question_is_of_several_answers_if_anyone_gave_several(sets, several):
    [example] = build("ambiguity", label(*sets, (WALKERS,)))
    assert example.targets == (AMBIGUITY_LABELS[several],)


def test_long_answers_are_examples_each_with_its_own_knowledge():
    asked = BaselineQuestion(
        "q1",
        ASKED.question,
        (AnsweredDisambiguation("When to trains?", (ShortAnswer("1869", (), TRAINS),)),),
        knowledge=(BRIDGE,),
    )
    long = (LabelledText("It opened twice.", (TUNNEL,)), LabelledText("In 1843.", ()))
    labelled = label((WALKERS,), asked=asked, long_answers=long)
    closed = build("t5-closed", labelled)
    assert [example.targets for example in closed] == [("It opened twice.",), ("In 1843.",)]
    [first, _] = build("t5-open", labelled, TUNNEL)
    assert first.inputs == (inputs.t5_open(ASKED.question, [TUNNEL]),)
    known = build("oracle", labelled)
    assert known[0].inputs == (
        inputs.oracle_input(ASKED.question, asked.disambiguations, (TUNNEL,)),
    )
    assert known[1].inputs == (inputs.oracle_input(ASKED.question, asked.disambiguations, ()),)
    assert build("t5-closed", label((WALKERS,))) == "no_long_answer"
    assert build("oracle", label((WALKERS,))) == "one_answer"


def test_a_list_is_written_closed_book():
    asked = BaselineQuestion("q2", "Which crossings are there?", as_list=True)
    names = (LabelledPair((), ("Thames Tunnel", "tunnel")), LabelledPair((), ("Tower Bridge",)))
    [example] = build("t5-closed", label(names, asked=asked))
    assert example.targets == ("Thames Tunnel#Tower Bridge",)
    assert outputs.parse_fid_answers(example.targets[0])[1].text == "Tower Bridge"
    many = tuple(LabelledPair((), (f"bridge {n}",)) for n in range(101))
    assert build("t5-closed", label(many, asked=asked)) == "too_long"


# --- QAMPARI --------------------------------------------------------------------------------------

CROSSINGS = BaselineQuestion("q3", "Which crossings are there?", as_list=True)
TOWER = LabelledPair((), ("Tower Bridge", "the Tower Bridge"))
UNDER = LabelledPair((), ("Thames Tunnel",))


def test_fid_mixes_proofs_in_and_writes_what_it_read_in_that_order():
    labelled = label((UNDER, TOWER), asked=CROSSINGS, evidence=(BRIDGE,))
    [example] = build("fid", labelled, TUNNEL, TRAINS)
    assert len(example.passages) == 2  # as many as were retrieved
    assert example.inputs == tuple(inputs.fid_inputs(CROSSINGS.question, example.passages))
    order = [
        next(name for name in ("Tower Bridge", "Thames Tunnel") if name in passage.text)
        for passage in example.passages
    ]
    assert example.targets == ("#".join(dict.fromkeys(order)),)
    assert build("fid", labelled, TUNNEL, TRAINS) == [example]  # the same order again


def test_fid_without_an_answer_in_what_it_reads_learns_nothing():
    assert build("fid", label((TOWER,), asked=CROSSINGS), TUNNEL) == "not_in_passages"
    assert build("fid", label((TOWER,), asked=CROSSINGS)) == "no_passages"


def test_pig_learns_an_answer_and_as_often_that_there_is_none():
    labelled = label((TOWER,), asked=CROSSINGS, evidence=(BRIDGE,))
    examples = build("pig", labelled, TUNNEL, TRAINS, BRIDGE)
    assert [example.targets for example in examples] == [
        ("Tower Bridge", "the Tower Bridge"),
        ("Not Relevant",),
    ]
    assert examples[1].passages == (TUNNEL,)  # the best one without
    assert build("pig", label((TOWER,), asked=CROSSINGS), TUNNEL) == "not_in_passages"


def test_jpr_learns_the_places_of_passages_with_new_answers():
    again = ArticlePassage("9-2", "Tower Bridge", "Tower Bridge again.")
    labelled = label((UNDER, TOWER), asked=CROSSINGS)
    [example] = build("jpr", labelled, BRIDGE, again, TUNNEL)
    assert example.targets == ("1 3",)
    assert example.inputs == tuple(inputs.jpr_inputs(CROSSINGS.question, [BRIDGE, again, TUNNEL]))


def test_every_role_that_writes_has_its_examples():
    written = {role for role, recipe in RECIPES.items() if recipe.learns in (WRITE, CLASSIFY)}
    for role in written | {"fid", "jpr"}:
        assert build(role, label(), TUNNEL) in ("no_answer", "no_long_answer", "one_answer")
