"""The rules on a long answer: what each asks about, and what it leaves in peace."""

from dataclasses import replace

import pytest

from annotation.contexts.inputs import inputs_of
from annotation.long_answers import checks
from annotation.long_answers.checks import RULES, Context
from annotation.long_answers.response import LongAnswerResponse, Piece, Wording
from annotation.sheets.fields import Keep
from tests import factories
from tests.annotation.long_answers.helpers import KNOWLEDGE, TEXT, TUNNEL, response

INPUTS = inputs_of("When did the Thames Tunnel open?", TUNNEL, {})
READ = Context(INPUTS)
ALONE = Context(INPUTS.question_only())
PLAIN = (
    "The Thames Tunnel opened to walkers on 25 March 1843, who paid a penny each, and it opened "
    "to trains on 7 December 1869."
)
NEW = " Brunel, a famous engineer from Portsmouth, directed dangerous digging beneath muddy water."


def of(rule, said, context=READ):
    return [each for each in RULES.run(said, context).findings if each.rule == rule]


def without(words, by=""):
    return response(text=TEXT.replace(words, by))


# rule, response, context, field, part of the sentence
FIRES = [
    ("nothing-written", LongAnswerResponse(), READ, "long-answer", "Write the long answer first."),
    ("nothing-written", LongAnswerResponse(knowledge=KNOWLEDGE), READ, "long-answer", "first"),
    (
        "long-answer-too-quick",
        response(),
        replace(READ, minimum_seconds=60, seconds_on_task=59),
        "time",
        "1 second left",
    ),
    (
        "missing-answer",
        without("7 December 1869", "1869"),
        READ,
        "answer-2",
        "“7 December 1869” is not in your text as it is accepted.",
    ),
    ("missing-answer", without("25 March 1843", "1843"), READ, "answer-1", "in any accepted form"),
    (
        "missing-answer",
        replace(without("7 December 1869"), said=(Wording(1, "gone"),)),
        READ,
        "answer-2",
        "“gone”, which said it, is no longer in your text.",
    ),
    (
        "new-words",
        response(text=PLAIN + NEW, knowledge=()),
        READ,
        "knowledge",
        "in none of the inputs, and in no piece of knowledge",
    ),
    ("new-words", response(text=PLAIN + NEW, knowledge=(Piece(),)), READ, "knowledge", "Brunel"),
    ("new-words", response(text=PLAIN, knowledge=()), ALONE, "knowledge", "Nothing shows yet"),
    # S6: each piece brought in asks for evidence, whatever else has some.
    ("new-words", response(text=TEXT + NEW), READ, "knowledge", "“Brunel, a famous engineer"),
    (
        "new-words",
        response(text=TEXT + NEW + " Ferries sank often, killing many poor passengers."),
        READ,
        "knowledge",
        "and 1 more sentence: what is new",
    ),
    (
        "new-words",
        response(text=PLAIN + NEW, knowledge=()),
        replace(READ, settings={"evidence_for_each": False}),
        "knowledge",
        "of your words are in none of the inputs",
    ),
    (
        "new-words",
        response(text=PLAIN, knowledge=()),
        replace(READ, settings={"new_words": 5, "evidence_for_each": False}),
        "knowledge",
        "%",
    ),
    (
        "question-copied",
        response(text=f"When did the Thames Tunnel open? {TEXT}"),
        READ,
        "long-answer",
        "word for word",
    ),
    (
        "question-copied",
        response(text=f"{TEXT} “When did the thames tunnel open to trains”."),
        READ,
        "long-answer",
        "to trains",
    ),
    (
        "text-too-short",
        LongAnswerResponse(text="25 March 1843 and 7 December 1869"),
        READ,
        "long-answer",
        "7 words",
    ),
    ("text-too-long", response(text=TEXT + " more" * 130), READ, "long-answer", "words are a lot"),
    (
        "piece-incomplete",
        response(knowledge=(Piece("It was sold."),)),
        READ,
        "piece-1",
        "Which page",
    ),
    (
        "piece-incomplete",
        response(knowledge=(*KNOWLEDGE, Piece("", "Thames Tunnel"))),
        READ,
        "piece-2",
        "Which sentences",
    ),
    (
        "piece-not-found",
        response(),
        replace(READ, on_page=lambda page, text: False),
        "piece-1",
        "“Thames Tunnel”",
    ),
]
SILENT = [
    ("nothing-written", response(), READ),
    ("long-answer-too-quick", response(), replace(READ, minimum_seconds=60, seconds_on_task=60)),
    ("missing-answer", response(), READ),
    ("missing-answer", LongAnswerResponse(), READ),
    ("missing-answer", without("7 December 1869"), ALONE),
    (
        "missing-answer",
        replace(without("7 December 1869", "late in 1869"), said=(Wording(1, "late in 1869"),)),
        READ,
    ),
    ("new-words", response(text=PLAIN, knowledge=()), READ),
    ("new-words", response(), READ),
    (
        "new-words",
        response(text=TEXT + NEW, knowledge=(*KNOWLEDGE, Piece(NEW, "Brunel"))),
        READ,
    ),
    (
        "new-words",
        response(text=PLAIN + NEW),
        replace(READ, settings={"evidence_for_each": False}),
    ),
    ("new-words", LongAnswerResponse(), READ),
    (
        "new-words",
        response(text=PLAIN + NEW, knowledge=()),
        replace(READ, settings={"new_words": 60, "evidence_for_each": False}),
    ),
    (
        "new-words",
        response(text=PLAIN + NEW, knowledge=()),
        replace(READ, settings={"ask_new_words": False}),
    ),
    ("question-copied", response(), READ),
    (
        "question-copied",
        response(text="Who sang it? " + TEXT),
        replace(READ, inputs=replace(INPUTS, prompt="Who sang it?")),
    ),
    ("text-too-short", response(), READ),
    ("text-too-short", LongAnswerResponse(), READ),
    ("text-too-long", response(text=TEXT + " more" * 100), READ),
    ("piece-incomplete", response(knowledge=(*KNOWLEDGE, Piece())), READ),
    ("piece-not-found", response(), replace(READ, on_page=lambda page, text: True)),
    ("piece-not-found", response(), replace(READ, on_page=lambda page, text: None)),
    (
        "piece-not-found",
        response(knowledge=(Piece("x", "y", 7),)),
        replace(READ, on_page=lambda page, text: False, quotes=factories.own_quotes(7)),
    ),
]


@pytest.mark.parametrize(("rule", "said", "context", "field", "part"), FIRES)
def test_a_rule_speaks(rule, said, context, field, part):
    (finding,) = of(rule, said, context)
    assert finding.field == field
    assert part in finding.sentence
    assert finding.summary
    assert finding.level == RULES.registry[rule].level


@pytest.mark.parametrize(("rule", "said", "context"), SILENT)
def test_a_rule_is_silent(rule, said, context):
    assert of(rule, said, context) == []


def test_every_rule_has_a_case_of_both():
    assert {case[0] for case in FIRES} == set(RULES.registry) == {case[0] for case in SILENT}


def test_only_an_empty_text_and_a_policys_least_time_stop():
    levels = {check.key for check in RULES.checks if check.level == "error"}
    assert levels == {"nothing-written", "long-answer-too-quick"}


@pytest.mark.parametrize("case", [c for c in FIRES if RULES.registry[c[0]].level == "warning"])
def test_a_warning_is_answered_by_a_reason(case):
    rule, said, context, field, _ = case
    kept = replace(said, keeps=(Keep(rule, field, "So it is."),))
    report = RULES.run(kept, context)
    assert not [each for each in report.blocking if (each.rule, each.field) == (rule, field)]


def test_problems_come_in_the_order_of_the_page():
    said = LongAnswerResponse(
        text="It opened.", knowledge=(Piece("It was sold."), Piece("", "Rotherhithe"))
    )
    fields = [each.field for each in RULES.run(said, replace(READ, minimum_seconds=9)).findings]
    assert fields == ["time", "long-answer", "answer-1", "answer-2", "piece-1", "piece-2"]


def test_the_checklist_names_places_as_the_page_does():
    said = LongAnswerResponse(
        text="It opened on 25 March 1843.", knowledge=(Piece("It was sold."),)
    )
    items = {item.key: item for item in RULES.run(said, READ).checklist}
    assert set(items) == {"nothing-written", "warnings"}
    assert items["nothing-written"].detail == "6 words"
    assert items["warnings"].links == (
        ("Long answer", "long-answer"),
        ("Answer 2", "answer-2"),
        ("Piece 1", "piece-1"),
    )


class TestSupport:
    def test_words_of_inputs_and_evidence_count(self):
        assert (
            checks.supported_share(LongAnswerResponse(text="Walkers, tunnel, trains!"), READ) == 1.0
        )
        half = LongAnswerResponse(text="tunnel zeppelin")
        assert checks.supported_share(half, READ) == 0.5
        assert checks.supported_share(replace(half, knowledge=(Piece("A zeppelin."),)), READ) == 1.0

    def test_without_readings_only_prompt_and_evidence_count(self):
        assert checks.supported_share(LongAnswerResponse(text="tunnel walkers"), ALONE) == 0.5

    def test_there_is_none_of_a_text_without_words(self):
        assert checks.supported_share(LongAnswerResponse(text="…"), READ) is None
        assert checks.supported_share(LongAnswerResponse(text="日本"), READ) is None
