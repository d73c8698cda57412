"""Every rule of the answer form: when it fires, when not, and how it speaks."""

import re
from dataclasses import replace

import pytest

from annotation.generation.checks import REGISTRY, run_checks
from annotation.sheets.fields import Keep
from annotation.sheets.rules import Fix
from tests.annotation.generation.check_cases import (
    FIRES,
    GOOD,
    LONG,
    NONE,
    PROMPT,
    READ,
    SILENT,
    asked,
    findings,
    pairs,
    single,
    with_answer,
)


def test_good_work_is_not_stopped_and_asked_nothing():
    for response in (GOOD, single("25 March 1843", "1843"), NONE):
        report = run_checks(response, READ)
        assert report.findings == ()
        assert report.can_submit
        assert {item.state for item in report.checklist} == {"done"}


@pytest.mark.parametrize(("rule", "response", "context", "field", "pair", "sentence"), FIRES)
def test_fires(rule, response, context, field, pair, sentence):
    found = findings(rule, response, context)
    assert [(each.field, each.pair) for each in found if each.field == field] == [(field, pair)]
    said = next(each for each in found if each.field == field)
    assert sentence in said.sentence
    assert said.level == REGISTRY[rule].level


@pytest.mark.parametrize(("rule", "response", "context"), SILENT)
def test_does_not_fire(rule, response, context):
    assert findings(rule, response, context) == []


def test_every_rule_has_a_case_that_fires_and_one_that_does_not():
    assert {case[0] for case in FIRES} == set(REGISTRY)
    assert {case[0] for case in SILENT} >= set(REGISTRY) - {"question-bar"}


@pytest.mark.parametrize("case", FIRES)
def test_sentences_keep_the_voice(case):
    for each in run_checks(case[1], case[2]).findings:
        assert each.sentence.endswith(".")
        assert each.sentence[0].isupper() or each.sentence[0] in "“"
        assert not each.summary.endswith(".")
        for text in (each.sentence, each.summary):
            assert not re.search(r"\b(please|sorry|oops|invalid|successfully)\b|!", text, re.I)
            assert '"' not in text
            assert "  " not in text
        if each.pair is not None:
            assert str(each.pair + 1) in each.summary


@pytest.mark.parametrize("case", [case for case in FIRES if REGISTRY[case[0]].level == "warning"])
def test_a_warning_is_answered_by_a_reason_or_switched_off(case):
    rule, response, context, field, _, _ = case
    before = run_checks(response, context)
    assert any(each.rule == rule for each in before.blocking)
    kept = replace(response, keeps=(Keep(rule, field, "It is right."),))
    after = run_checks(kept, context)
    assert not any(each.rule == rule and each.field == field for each in after.blocking)
    shown = next(each for each in after.findings if each.rule == rule and each.field == field)
    assert shown.kept_because == "It is right."
    assert next(item for item in before.checklist if item.key == "warnings").state == "ask"
    off = replace(context, settings={**context.settings, f"ask_{rule.replace('-', '_')}": False})
    assert findings(rule, response, off) == []


@pytest.mark.parametrize("case", [case for case in FIRES if REGISTRY[case[0]].level == "error"])
def test_an_error_cannot_be_kept_or_switched_off(case):
    rule, response, context, field, _, _ = case
    kept = replace(response, keeps=(Keep(rule, field, "But I want to."),))
    off = replace(context, settings={**context.settings, f"ask_{rule.replace('-', '_')}": False})
    report = run_checks(kept, off)
    assert any(each.rule == rule for each in report.blocking)
    assert not report.can_submit
    item = next(item for item in report.checklist if item.key == rule)
    assert item.state == "todo"
    assert field in dict(item.links).values()


@pytest.mark.parametrize(
    ("rule", "response", "context", "fix"),
    [
        (
            "question-mark",
            asked("When did it open. "),
            READ,
            Fix("Add “?”", "question-3", "When did it open?"),
        ),
        (
            "wh-word",
            asked("Where did it open?"),
            READ,
            Fix("Undo", "question-3", "When did it open?"),
        ),
        ("few-pairs", pairs(("q?", "a")), READ, Fix("One clear answer", "kind", "single")),
        (
            "long-answer",
            with_answer(LONG),
            READ,
            Fix("Use “27 April 2010”", "answer-3", "27 April 2010", LONG),
        ),
        (
            "separator",
            with_answer("walkers / pedestrians"),
            READ,
            Fix("Make 2 forms", "answer-3", "walkers\npedestrians", "walkers / pedestrians"),
        ),
        (
            "far-from-prompt",
            asked("Tell me of the ferry?"),
            READ,
            Fix("Start from the prompt", "question-3", PROMPT),
        ),
        ("long-answer", with_answer("word " * 21), READ, None),
    ],
)
def test_fixes(rule, response, context, fix):
    assert [each.fix for each in findings(rule, response, context)] == [fix]
