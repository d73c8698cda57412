"""What the rules of the answer form add up to: problems, checklist, settings, documentation."""

import html
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.check_values import Context
from annotation.generation.checks import CHECKS, RULES, run_checks
from annotation.generation.responses import GenerationResponse, WrittenPair, from_json
from annotation.projects.rules_page import RULES_PAGE, rules_markdown
from annotation.sheets.fields import Keep
from annotation.sheets.report import SettingsError
from tests.annotation.generation.check_cases import GOOD, NONE, PROMPT, READ, pairs


def test_errors_wait_until_a_field_was_touched_and_the_checklist_does_not():
    response = GenerationResponse(
        pairs=(WrittenPair(), WrittenPair("Where did the Thames Tunnel open"))
    )
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
    assert [each.rule for each in touched.findings_at("question-2")] == ["question-mark", "wh-word"]
    assert touched.findings_at("question-1") == ()
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
    assert items == {"none-reason-missing"}


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
            assert not [new for new in again.findings_at(each.field) if new.rule == each.rule]
    reasons = tuple(Keep(each.rule, each.field, "so") for each in report.findings)
    kept = run_checks(replace(response, keeps=reasons), context)
    assert {each.level for each in kept.blocking} <= {"error"}


def test_settings_are_described_and_their_keys_unique():
    schema = RULES.list_settings()
    assert len({each.key for each in schema}) == len(schema)
    for each in schema:
        assert each.minimum <= each.default <= each.maximum
        assert each.help
        assert each.label
    assert len({check.key for check in CHECKS}) == len(CHECKS)
    assert all(check.requirement and check.about and check.title for check in CHECKS)


def test_settings_are_read():
    assert RULES.read_settings({"long_answer_words": "6", "years_before": 5}) == {
        "long_answer_words": 6
    }
    assert RULES.read_settings({"ask_wh_word": False, "ask_separator": True}) == {
        "ask_wh_word": False
    }


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
        RULES.read_settings(values)
    assert sentence in str(refused.value)


def test_a_setting_out_of_bounds_falls_back_to_its_default():
    context = replace(READ, settings={"long_answer_words": -4, "minimum_pages": "x"})
    assert run_checks(GOOD, context).can_submit


def test_the_page_of_rules_is_fresh():
    assert RULES_PAGE.read_text(encoding="utf-8") == rules_markdown()
