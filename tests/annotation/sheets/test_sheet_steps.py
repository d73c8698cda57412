"""Steps as values: what is held, what is limited, and how seconds add up."""

from annotation.sheets.report import ChecklistItem, FindingsReport
from annotation.sheets.rules import Finding
from annotation.sheets.steps import (
    StepProgress,
    drop_later_rules,
    dump_progress,
    find_previous_step,
    list_fixed_steps,
    list_steps,
    load_progress,
)
from natural_questions.response import PageAnswerResponse
from natural_questions.sheet import STEPS, NaturalQuestionsSheet

SHEET = NaturalQuestionsSheet()
FULL = PageAnswerResponse(good="no", reason="opinion", box="3-9", answer="words", short=("4-5",))


def finished(progress, key, seconds, since=0):
    return progress.with_step_time(key, seconds).with_step_changed(1, {}, since, "")


def at(place, **answers):
    return StepProgress(at=place, answers=SHEET.dump(PageAnswerResponse(**answers)))


def test_nothing_of_later_steps_is_held():
    assert SHEET.with_other_steps(FULL, at(0)) == PageAnswerResponse(good="no", reason="opinion")


def test_answers_of_finished_steps_are_those_that_were_finished():
    assert SHEET.with_other_steps(FULL, at(1, good="yes")) == PageAnswerResponse(
        good="yes", box="3-9"
    )
    held = SHEET.with_other_steps(FULL, at(2, good="yes", box="1-2"))
    assert held == PageAnswerResponse(good="yes", box="1-2", answer="words", short=("4-5",))


def test_feedback_belongs_to_no_step():
    assert (
        SHEET.with_other_steps(PageAnswerResponse(feedback="It is odd."), at(2)).feedback
        == "It is odd."
    )


def test_which_steps_follow():
    assert SHEET.has_next_step(PageAnswerResponse(good="yes"), 0)
    assert not SHEET.has_next_step(PageAnswerResponse(good="no"), 0)
    assert SHEET.has_next_step(PageAnswerResponse(good="yes", box="1-2"), 1)
    assert not SHEET.has_next_step(PageAnswerResponse(good="yes", box="none"), 1)
    assert not SHEET.has_next_step(PageAnswerResponse(good="yes", box="1-2", answer="none"), 2)


def test_seconds_add_up_to_those_of_the_turn():
    progress = finished(finished(StepProgress(), "question", 12), "long", 40)
    assert (progress.at, progress.seconds) == (2, {"question": 12, "long": 28})
    ended = progress.with_step_time("short", 55)
    assert (ended.at, sum(ended.seconds.values())) == (2, 55)
    again = ended.with_step_time("short", 90)
    assert again.seconds == {"question": 12, "long": 28, "short": 50}


def test_seconds_of_a_step_that_is_done_twice_add_up():
    progress = finished(finished(StepProgress(), "question", 12), "long", 40)
    back = progress.with_step_time("short", 45).with_step_changed(-1, {}, 7, "")
    assert (back.at, back.since, back.seconds["short"]) == (1, 7, 5)
    again = finished(back, "long", 60).with_step_time("short", 70)
    assert again.seconds == {"question": 12, "long": 43, "short": 15}


def test_answers_of_a_later_step_are_kept_when_one_goes_back():
    typed = {"good": "yes", "box": "1-9", "answer": "words", "short": ("4-5",)}
    held = SHEET.with_other_steps(
        PageAnswerResponse(good="no", box="2-9", short=("7-8",)), at(1, **typed)
    )
    assert held == PageAnswerResponse(**typed | {"box": "2-9"})
    assert SHEET.up_to_step(held, 1) == PageAnswerResponse(good="yes", box="2-9")
    assert SHEET.up_to_step(held, 2) == held


def test_one_may_go_back_where_the_step_before_says_so():
    assert [find_previous_step(STEPS, place) for place in range(3)] == [None, None, STEPS[1]]
    assert [list_fixed_steps(STEPS, place) for place in range(3)] == [
        [],
        ["The question"],
        ["The question"],
    ]


def test_progress_is_stored_and_read_again():
    progress = (
        StepProgress()
        .with_step_time("question", 12)
        .with_step_changed(1, {"good": "yes"}, 4, "It was removed.")
    )
    assert load_progress(dump_progress(progress)) == progress
    assert load_progress({}) == StepProgress()


def test_rules_of_later_steps_say_nothing_yet():
    found = [Finding(rule, "error", "box", None, "A.", "A") for rule in ("undecided", "no-box")]
    lines = tuple(ChecklistItem(rule, rule, "todo") for rule in ("undecided", "no-box", "warnings"))
    report = FindingsReport(tuple(found), tuple(found), lines)
    first = drop_later_rules(STEPS, report, 0)
    assert [finding.rule for finding in first.findings] == ["undecided"]
    assert [finding.rule for finding in first.blocking] == ["undecided"]
    assert [item.key for item in first.checklist] == ["undecided", "warnings"]
    assert drop_later_rules(STEPS, report, 1) == report
    assert drop_later_rules((), report, 0) == report


def test_steps_are_listed_with_their_state():
    assert [(each.number, each.state) for each in list_steps(STEPS, 1)] == [
        (1, "done"),
        (2, "now"),
        (3, "later"),
    ]
