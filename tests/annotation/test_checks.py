"""Every rule of the answer form: when it fires, when not, and what the report makes of it."""

import datetime as dt
import html
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.checks import (
    CHECKS,
    REGISTRY,
    RULES_PAGE,
    Context,
    Fix,
    SettingsError,
    read_settings,
    rules_markdown,
    run_checks,
    settings_schema,
)
from annotation.responses import AnswerForm, Keep, Pair, Response, from_json

PROMPT = "When did the Thames Tunnel open?"
READ = Context(prompt=PROMPT, pages_opened=3, seconds_on_task=300)


def forms(*texts):
    return tuple(AnswerForm(text) for text in texts)


def pairs(*rows):
    """A response of several pairs, each (question, form, form, …)."""
    return Response(pairs=tuple(Pair(question, forms(*answers)) for question, *answers in rows))


def single(*texts, **more):
    return Response(kind="single", single=forms(*texts), **more)


GOOD = pairs(
    ("When did the Thames Tunnel open to pedestrians?", "25 March 1843", "March 25, 1843"),
    ("When did the Thames Tunnel open to trains?", "7 December 1869"),
)
NONE = Response(kind="none", none_reason="No page says so.")


def asked(question, answer="x"):
    """A good response with one more pair."""
    return replace(GOOD, pairs=(*GOOD.pairs, Pair(question, forms(answer) if answer else ())))


def with_answer(*texts):
    response = asked("When did the Thames Tunnel open to the Overground?")
    third = replace(response.pairs[2], answers=forms(*texts))
    return replace(response, pairs=(*response.pairs[:2], third))


def findings(rule, response, context=READ):
    return [each for each in run_checks(response, context).findings if each.rule == rule]


def test_good_work_is_not_stopped_and_asked_nothing():
    for response in (GOOD, single("25 March 1843", "1843"), NONE):
        report = run_checks(response, READ)
        assert report.findings == ()
        assert report.can_submit
        assert {item.state for item in report.checklist} == {"done"}


LONG = (
    "the tunnel opened to the public on 27 April 2010 " + "after years and years of slow work " * 2
)
ELSEWHERE = replace(
    READ, page_texts=["The tunnel opened to the public on 25 March, 1843, at noon."]
)
LAST = replace(READ, prompt="When was the last time the tunnel closed?")

# (rule, response, context, field, pair, part of the sentence)
FIRES = [
    ("pages-unread", GOOD, replace(READ, pages_opened=0), "pages", None, "after reading a page. S"),
    (
        "pages-unread",
        NONE,
        replace(READ, pages_opened=1, settings={"minimum_pages": 3}),
        "pages",
        None,
        "You can submit after reading 2 more pages.",
    ),
    (
        "too-quick",
        single("1843"),
        replace(READ, seconds_on_task=36),
        "time",
        None,
        "One clear answer needs a minute of reading. 24 seconds left.",
    ),
    (
        "too-quick",
        NONE,
        replace(READ, seconds_on_task=119, minimum_seconds=120),
        "time",
        None,
        "“Not found” needs 2 minutes of reading. 1 second left.",
    ),
    ("few-pairs", Response(), READ, "kind", None, "There is no pair yet. Add two"),
    ("few-pairs", pairs(("When?", "1843")), READ, "kind", None, "There is only one pair. Add ano"),
    ("question-missing", asked(""), READ, "question-3", 2, "Pair 3 has an answer and no question."),
    ("question-missing", asked("", None), READ, "question-3", 2, "Pair 3 has no question. Write"),
    (
        "answer-missing",
        asked("When?", None),
        READ,
        "answer-3",
        2,
        "Pair 3 has no answer. Write one",
    ),
    ("answer-missing", single(), READ, "single-answer", None, "There is no answer yet."),
    (
        "none-reason-missing",
        Response(kind="none"),
        READ,
        "none-reason",
        None,
        "Say why there is no",
    ),
    ("same-as-prompt", asked(PROMPT), READ, "question-3", 2, "Pair 3 asks the prompt itself."),
    ("same-as-prompt", asked("when did the thames  tunnel open"), READ, "question-3", 2, "itself"),
    (
        "same-question",
        asked("When did the Thames Tunnel open to pedestrians"),
        READ,
        "question-3",
        2,
        "Pairs 1 and 3 ask the same question. Change one, or delete it.",
    ),
    (
        "same-answer",
        with_answer("March 25 1843"),
        READ,
        "answer-3",
        2,
        "Pairs 1 and 3 have the same answer, “March 25, 1843”. Join them, or tell them apart.",
    ),
    (
        "lookalike-answer",
        pairs(("Which language is first?", "C++"), ("Which language is second?", "C#")),
        READ,
        "answer-2",
        1,
        "Pairs 1 and 2 answer “C++” and “C#”, which every score counts as one.",
    ),
    ("lookalike-answer", pairs(("a?", "Who"), ("b?", "The Who")), READ, "answer-2", 1, "The Who"),
    ("question-mark", asked("When did it open"), READ, "question-3", 2, "End the question with"),
    ("question-mark", asked("When did it open."), READ, "question-3", 2, "question mark"),
    ("question-bar", asked("When? | Where?"), READ, "question-3", 2, "A bar | separates questions"),
    (
        "year-added",
        asked("When did the Thames Tunnel open in 2015?"),
        READ,
        "question-3",
        2,
        "You added 2015. For an event that keeps coming back, start at 31 December 2017",
    ),
    (
        "year-added",
        asked("When in 2012 and 2020?"),
        READ,
        "question-3",
        2,
        "You added 2012 and 2020",
    ),
    (
        "year-added",
        asked("When did it open in 2024?"),
        replace(READ, reference_date=dt.date(2023, 6, 1)),
        "question-3",
        2,
        "start at 1 June 2023",
    ),
    ("last-next", GOOD, LAST, "kind", None, "The prompt says “last”, so its answer changes"),
    ("last-next", single("1998"), LAST, "kind", None, "Check that there is still one clear"),
    (
        "wh-word",
        asked("Where did the Thames Tunnel open?"),
        READ,
        "question-3",
        2,
        "“when” to “wher",
    ),
    ("wh-word", asked("Did the Thames Tunnel open in June?"), READ, "question-3", 2, "“when” out"),
    (
        "other-another",
        asked("When did another Thames Tunnel open?"),
        READ,
        "question-3",
        2,
        "“another” leans on a question nobody else will see. Each question must stand alone.",
    ),
    ("other-another", asked("When did the Other open?"), READ, "question-3", 2, "“other” leans"),
    (
        "far-from-prompt",
        asked("When was the crossing finished?"),
        READ,
        "question-3",
        2,
        "You kept 1 of the prompt’s 5 words.",
    ),
    (
        "far-from-prompt",
        asked("When did the Thames Tunnel close?"),
        replace(READ, settings={"kept_share_percent": 80}),
        "question-3",
        2,
        "You kept 4 of the prompt’s 5 words.",
    ),
    (
        "long-answer",
        with_answer(LONG),
        READ,
        "answer-3",
        2,
        "This answer has 24 words. The shortest",
    ),
    ("long-answer", single("1843", LONG), READ, "single-answer", None, "…” has 24 words."),
    (
        "long-answer",
        with_answer("one two three four five six seven"),
        replace(READ, settings={"long_answer_words": 6}),
        "answer-3",
        2,
        "This answer has 7 words.",
    ),
    ("separator", with_answer("pedestrians/walkers"), READ, "answer-3", 2, "has a “/”"),
    ("separator", single("1843 | 1869"), READ, "single-answer", None, "has a “|”"),
    (
        "not-on-page",
        with_answer("December 1869"),
        ELSEWHERE,
        "answer-3",
        2,
        "“December 1869” is not on a page you opened. It may still be right.",
    ),
    ("not-on-page", single("184"), ELSEWHERE, "single-answer", None, "“184” is not on a page"),
    (
        "several-in-one",
        single("25 March 1843", "7 December 1869"),
        READ,
        "single-answer",
        None,
        "“25 March 1843” and “7 December 1869” count as one answer here.",
    ),
]

SILENT = [
    ("pages-unread", GOOD, replace(READ, pages_opened=0, settings={"minimum_pages": 0})),
    ("too-quick", GOOD, replace(READ, seconds_on_task=0)),
    ("too-quick", NONE, replace(READ, seconds_on_task=60)),
    ("too-quick", NONE, replace(READ, seconds_on_task=0, minimum_seconds=0)),
    ("few-pairs", single("x"), READ),
    ("question-missing", NONE, READ),
    ("answer-missing", single("?"), READ),
    ("none-reason-missing", single(), READ),
    ("same-as-prompt", asked("When did Thames Tunnel open?"), READ),
    ("same-question", pairs(("", "a"), ("", "b")), READ),
    ("same-question", pairs(("Who wrote C?", "a"), ("Who wrote C#?", "b")), READ),
    ("same-answer", pairs(("a?", "C++"), ("b?", "C#")), READ),
    ("same-answer", pairs(("a?", "$"), ("b?", "?")), READ),
    ("same-answer", pairs(("a?", "1.5"), ("b?", "15")), READ),
    ("lookalike-answer", pairs(("a?", "Who"), ("b?", "who")), READ),
    ("lookalike-answer", pairs(("a?", "A+"), ("b?", "A-")), READ),
    ("question-mark", asked(""), READ),
    ("year-added", asked("When did it open in 2011 or 2021?"), READ),
    ("year-added", asked("When did it open in 2015?"), replace(READ, prompt="When in 2015?")),
    ("year-added", asked("When was number 12015 or 20157 built?"), READ),
    ("last-next", GOOD, replace(READ, prompt="When did the blast happen nextdoor?")),
    ("last-next", pairs(("When in 2016?", "x"), ("When in 2017?", "y")), LAST),
    ("last-next", NONE, LAST),
    ("wh-word", asked("Which day did the Thames Tunnel open?"), READ),
    ("wh-word", asked("In which year did the tunnel open?"), READ),
    ("wh-word", asked("Where is it?"), replace(READ, prompt="Name of the tunnel")),
    ("other-another", asked("When did another open?"), replace(READ, prompt="When did another?")),
    ("other-another", asked("When did the mother open?"), READ),
    ("far-from-prompt", asked("When did the Thames ferry run?"), READ),
    ("far-from-prompt", asked("Anything?"), replace(READ, prompt="?")),
    ("long-answer", with_answer("word " * 20), READ),
    ("separator", with_answer("1/2", "https://example.org/a/b", "9/11"), READ),
    ("not-on-page", with_answer("December 1869"), READ),
    ("not-on-page", single("25 March 1843"), ELSEWHERE),
    ("not-on-page", single("1843"), replace(READ, page_texts=["closed", "From 1843–45."])),
    ("not-on-page", single("another spelling", "March 25 1843", "march 1843"), replace(
        READ, page_texts=lambda text: text == "march 1843")),
    ("not-on-page", Response(kind="single", single=(AnswerForm("anything", 7),)), replace(
        ELSEWHERE, quoted={7})),
    ("several-in-one", single("25 March 1843", "March 1843", "the spring of that year"), READ),
]  # fmt: skip


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


def test_errors_wait_until_a_field_was_touched_and_the_checklist_does_not():
    response = Response(pairs=(Pair(), Pair("Where did the Thames Tunnel open")))
    untouched = run_checks(response, READ, touched=set())
    assert {each.level for each in untouched.findings} == {"warning"}
    assert not untouched.can_submit
    todo = {item.key: item.links for item in untouched.checklist if item.state == "todo"}
    assert todo == {
        "question-missing": (("Pair 1", "question-1"),),
        "answer-missing": (("Pair 1", "answer-1"), ("Pair 2", "answer-2")),
        "question-mark": (("Pair 2", "question-2"),),
    }
    touched = run_checks(response, READ, touched={"question-2"})
    assert [each.rule for each in touched.at("question-2")] == ["question-mark", "wh-word"]
    assert touched.at("question-1") == ()
    assert untouched.blocking == touched.blocking == run_checks(response, READ).blocking


def test_problems_come_in_the_order_of_the_page():
    response = pairs(("Where is it", "a/b"), ("", "a/b"))
    fields = [each.field for each in run_checks(response, replace(READ, pages_opened=0)).findings]
    assert fields == [
        "pages",
        "question-1",
        "question-1",
        "question-1",
        "answer-1",
        "question-2",
        "answer-2",
        "answer-2",
    ]


def test_the_checklist_says_how_far_one_is():
    items = {item.key: item for item in run_checks(GOOD, READ).checklist}
    assert (items["pages-unread"].title, items["pages-unread"].detail) == (
        "You read at least one page",
        "3 pages",
    )
    assert items["few-pairs"].detail == "2 pairs"
    assert "too-quick" not in items
    strict = replace(READ, settings={"minimum_pages": 2}, minimum_seconds=90)
    items = {item.key: item.title for item in run_checks(NONE, strict).checklist}
    assert items["pages-unread"] == "You read at least 2 pages"
    assert items["too-quick"] == "You read for at least 90 seconds"
    free = replace(READ, settings={"minimum_pages": 0}, minimum_seconds=0)
    items = {item.key for item in run_checks(NONE, free).checklist}
    assert items == {"none-reason-missing", "warnings"}


HTML = '<img src=x onerror="alert(1)"> {{ 7|add:7 }} </script>'


@pytest.mark.parametrize("kind", ["multiple", "single", "none"])
def test_html_in_every_field_stays_text(kind):
    response = from_json(
        {
            "kind": kind,
            "pairs": [{"question": HTML, "answers": [{"text": HTML}]}] * 2,
            "single": [{"text": HTML}, {"text": f"1{HTML}"}],
            "none_reason": HTML,
            "feedback": HTML,
        }
    )
    report = run_checks(response, Context(prompt=f"last {HTML}", page_texts=[""]))
    for each in report.findings:
        escaped = html.escape(each.sentence)
        assert "<" not in escaped
        assert not hasattr(each.sentence, "__html__")
    assert response.feedback == HTML


TEXTS = st.sampled_from(
    ["", PROMPT, "When?", "last", "C++", "C#", "?", "|", "a/b", "1843", "2015", "<b>", HTML]
) | st.text(max_size=20)


@given(
    st.sampled_from(["multiple", "single", "none"]),
    st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), max_size=4),
    TEXTS,
    st.integers(0, 2),
    st.integers(0, 90),
)
def test_any_response_has_a_report(kind, rows, prompt, pages, seconds):
    response = from_json(
        {
            "kind": kind,
            "pairs": [{"question": q, "answers": [{"text": a} for a in all_]} for q, all_ in rows],
            "single": [{"text": text} for _, all_ in rows for text in all_],
        }
    )
    context = Context(prompt, pages_opened=pages, seconds_on_task=seconds, page_texts=["1843"])
    report = run_checks(response, context)
    assert report.can_submit == all(item.state == "done" for item in report.checklist)
    known = {f"{name}-{n}" for n in range(1, len(rows) + 1) for name in ("question", "answer")}
    known |= {"kind", "pages", "time", "none-reason", "single-answer"}
    for each in report.findings:
        assert each.field in known
        assert each.sentence.endswith(".")
        if each.fix and each.fix.field.startswith("question"):
            mended = list(response.pairs)
            mended[each.pair] = replace(mended[each.pair], question=each.fix.value)
            again = run_checks(replace(response, pairs=tuple(mended)), context)
            assert not [new for new in again.at(each.field) if new.rule == each.rule]
    reasons = tuple(Keep(each.rule, each.field, "so") for each in report.findings)
    kept = run_checks(replace(response, keeps=reasons), context)
    assert {each.level for each in kept.blocking} <= {"error"}


def test_settings_are_described_and_their_keys_unique():
    schema = settings_schema()
    assert len({each.key for each in schema}) == len(schema)
    for each in schema:
        assert each.minimum <= each.default <= each.maximum
        assert each.help
        assert each.label
    assert len({check.key for check in CHECKS}) == len(CHECKS)
    assert all(check.requirement and check.about and check.title for check in CHECKS)


def test_settings_are_read():
    assert read_settings({"long_answer_words": "6", "years_before": 5}) == {"long_answer_words": 6}
    assert read_settings({"ask_wh_word": False, "ask_separator": True}) == {"ask_wh_word": False}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"long_answer": 6}, "There is no rule setting “long_answer”."),
        ({"long_answer_words": "many"}, "is a whole number from 1 to 200."),
        ({"long_answer_words": 0}, "is a whole number from 1 to 200."),
        ({"long_answer_words": True}, "is a whole number from 1 to 200."),
        ({"long_answer_words": None}, "is a whole number from 1 to 200."),
        ({"kept_share_percent": 1.5}, "is a whole number from 0 to 100."),
        ({"ask_wh_word": "no"}, "is on or off (true or false)."),
    ],
)
def test_settings_that_cannot_be_used_are_said(values, sentence):
    with pytest.raises(SettingsError) as refused:
        read_settings(values)
    assert sentence in str(refused.value)


def test_a_setting_out_of_bounds_falls_back_to_its_default():
    context = replace(READ, settings={"long_answer_words": -4, "minimum_pages": "x"})
    assert run_checks(GOOD, context).can_submit


def test_the_page_of_rules_is_fresh():
    assert RULES_PAGE.read_text(encoding="utf-8") == rules_markdown()
