"""What holds in every stage with steps: nothing later is sent, and what is finished stays, unless
its step may be gone back to.
"""

import datetime as dt
import json

import pytest

from annotation.models import Assignment
from annotation.sheets.steps import load_progress
from annotation.stages import registry as stages
from tests.stages.test_clients import Api
from tests.stages.test_every_stage import submissions
from tests.stages.test_turns import judge
from tests.stages.window import HX, buttons_of

STAGES = [stage.key for stage in stages.list_stages() if stage.sheet.steps]


def steps_of(stage):
    return [step.key for step in stages.get_stage(stage).sheet.steps]


def progress(work):
    return load_progress(work.row().steps)


def finish(work, example, at, **options):
    """Fill the step at this place and press its button."""
    return work.post("step", example.steps[at](work.open().fields), **options)


def hidden(example, at):
    return [word for words in example.shown[at + 1 :] for word in words]


def test_each_step_is_shown_only_after_the_one_before(work, example, stage):
    api = Api(work.user)
    for at in range(len(example.steps) - 1):
        fill = example.steps[at](work.open().fields)
        answers = [
            work.client.get(work.url("page")),
            work.client.get(work.url("guidelines")),
            work.post("draft", fill, headers=HX),
            api.get(work.assignment),
            work.post("submit", work.open().fields, headers=HX),
        ]
        for word in hidden(example, at):
            assert not [a.request["PATH_INFO"] for a in answers if word in a.text]
        assert answers[3].json()["step"] == steps_of(stage)[at]
        assert answers[4].status_code == 409
        answer = finish(work, example, at)
        assert (answer.status_code, answer["Location"]) == (302, work.url("page"))
        for word in example.shown[at + 1]:
            assert word in work.open().html
            assert word in api.get(work.assignment).text


def test_the_last_step_submits(work, example):
    for at in range(len(example.steps)):
        assert work.row().state == "active"
        answer = finish(work, example, at, headers=HX)
        assert (answer.status_code, "HX-Redirect" in answer) == (200, True)
    assert (work.row().state, submissions(work)) == ("submitted", 1)


def test_a_reload_goes_on_at_the_same_step(work, example, stage):
    finish(work, example, 0)
    before = Assignment.objects.values().get(pk=work.assignment.pk)
    for _ in range(2):
        assert work.open().fields["step"] == [steps_of(stage)[1]]
    assert Assignment.objects.values().get(pk=work.assignment.pk) == before


def test_a_second_click_finishes_nothing_more(work, example):
    fields = example.steps[0](work.fields)
    for _ in range(2):
        assert work.post("step", fields)["Location"] == work.url("page")
    assert progress(work).at == 1


def test_a_window_of_an_earlier_step_changes_nothing(work, example):
    old = example.write(work.fields, "costermongers")
    finish(work, example, 0)
    before = Assignment.objects.values().get(pk=work.assignment.pk)
    for name in ("draft", "submit"):
        answer = work.post(name, old, headers=HX)
        assert answer.status_code == 409
        assert "another window" in answer.text
    assert Assignment.objects.values().get(pk=work.assignment.pk) == before


def test_a_finished_answer_stays_whatever_is_sent(work, example, stage):
    """A client that says nothing of the step in hand cannot change an earlier one either."""
    old = example.write(work.fields, "costermongers")
    finish(work, example, 0)
    answers = progress(work).answers
    version = work.row().draft_version
    forged = {name: value for name, value in old.items() if name != "step"}
    work.post("draft", forged | {"version": [str(version)]}, headers=HX)
    api = Api(work.user)
    shown = api.get(work.assignment).json()
    sheet = stages.get_stage(stage).sheet
    blank = sheet.response_to_json(sheet.blank, work.assignment.pk)
    assert api.post(
        "draft", work.assignment.pk, version=shown["version"], response=blank
    ).status_code in (200, 400)
    for name in sheet.steps[0].fields:
        assert work.row().draft[name] == answers[name]


def test_answers_of_later_steps_are_not_taken(work, example, stage):
    sheet = stages.get_stage(stage).sheet
    fields = work.fields
    for fill in example.steps:
        fields = fill(fields)
    assert work.post("draft", fields, headers=HX).status_code == 200
    blank = sheet.dump(sheet.blank)
    for step in sheet.steps[1:]:
        for name in step.fields:
            assert work.row().draft.get(name) == blank.get(name)


def test_the_seconds_of_each_step_are_kept(work, example, stage):
    """They add up to the active seconds of the turn."""
    for at in range(len(example.steps)):
        work.open()
        row = work.row()
        Assignment.objects.filter(pk=row.pk).update(
            seen_at=row.seen_at - dt.timedelta(seconds=10 * (at + 1))
        )
        assert finish(work, example, at).status_code == 302
    seconds = progress(work).seconds
    assert set(seconds) == set(steps_of(stage))
    for at, key in enumerate(steps_of(stage), start=1):
        assert 10 * at <= seconds[key] < 10 * at + 5
    assert sum(seconds.values()) == work.row().active_seconds


def test_a_client_goes_through_all_steps(work, example, stage):
    api = Api(work.user)
    for at, key in enumerate(steps_of(stage)):
        work.post("draft", example.steps[at](work.open().fields), headers=HX)
        shown = api.get(work.assignment).json()
        sent = {"version": shown["version"], "response": shown["response"]}
        assert (shown["step"], shown["can_submit"]) == (key, True)
        wrong = api.post("step", work.assignment.pk, step="elsewhere", **sent)
        assert wrong.status_code == 409
        name, more = ("step", {"step": key}) if shown["follows"] else ("submit", {})
        answer = api.post(name, work.assignment.pk, **more, **sent)
        assert answer.status_code == 200, answer.text
    assert answer.json()["state"] == "submitted"


def test_a_step_with_something_to_do_is_not_finished(work, example):
    answer = work.post("step", headers=HX)
    assert answer.status_code == 422
    assert "There is a problem" in answer.text
    assert progress(work).at == 0
    answer = Api(work.user).post(
        "step",
        work.assignment.pk,
        step=work.fields["step"][0],
        version=work.row().draft_version,
        response=work.row().draft,
    )
    assert answer.status_code == 422


def test_another_window_that_was_faster_is_shown(work, example):
    mine = example.steps[0](work.fields)
    work.post("draft", example.write(work.fields, "ferrymen"), headers=HX)
    assert work.post("step", mine, headers=HX).status_code == 409
    assert progress(work).at == 0


@pytest.mark.parametrize("way", ["park", "return"])
def test_leaving_and_coming_back_goes_on_at_the_same_step(work, example, stage, way):
    finish(work, example, 0)
    work.post(way, {"reason": "Which one?"})
    assert work.post("step", {"step": steps_of(stage)[1]}).status_code == 302
    assert progress(work).at == 1
    work.post("resume", {})
    assert work.open().fields["step"] == [steps_of(stage)[1]]


def test_finished_steps_stay_when_work_is_returned(work, example, scene, stage, client_as):
    for at in range(len(example.steps)):
        finish(work, example, at)
    judge(client_as, scene, work, "return")
    work.post("resume", {})
    assert work.open().fields["step"] == [steps_of(stage)[-1]]
    assert finish(work, example, len(example.steps) - 1).status_code == 302
    assert (work.row().state, submissions(work)) == ("submitted", 2)
    assert json.dumps(work.row().steps).count('"at"') == 1


# --- going back -----------------------------------------------------------------------------------


def ways_back(stage):
    """Return the places of steps from which one may go back."""
    steps = stages.get_stage(stage).sheet.steps
    return [at for at in range(1, len(steps)) if steps[at - 1].again]


def go_to(work, example, place):
    for at in range(place):
        finish(work, example, at)
    return work.open()


def back(work, fields=None, **options):
    return work.post("step", (fields or work.fields) | {"action": ["back"]}, **options)


def row(work):
    return Assignment.objects.values().get(pk=work.assignment.pk)


def unchanged(work, before):
    return row(work) == before


def test_one_goes_back_only_where_the_step_before_says_so(work, example, stage):
    api = Api(work.user)
    for at, key in enumerate(steps_of(stage)):
        may = at in ways_back(stage)
        assert ("back" in buttons_of(work.open().html)) is may
        shown = api.get(work.assignment).json()
        assert shown["can_go_back"] is may
        if not may:
            before = row(work)
            assert back(work, headers=HX).status_code == 409
            sent = {"version": shown["version"], "response": shown["response"], "step": key}
            assert api.post("step", work.assignment.pk, back=True, **sent).status_code == 409
            assert unchanged(work, before)
        finish(work, example, at)


def test_going_back_keeps_what_was_typed_in_both_steps(work, example, stage):
    for at in ways_back(stage)[:1]:
        go_to(work, example, at)
        typed = example.steps[at](work.fields)
        assert back(work, typed)["Location"] == work.url("page")
        assert progress(work).at == at - 1
        draft = work.row().draft
        assert work.open().fields["step"] == [steps_of(stage)[at - 1]]
        assert work.post("step").status_code == 302
        assert progress(work).at == at
        assert work.row().draft == draft
        assert progress(work).dropped == ""
        sheet = stages.get_stage(stage).sheet
        assert any(draft[name] for name in sheet.steps[at].fields)


def test_a_client_goes_back_and_on_again(work, example, stage):
    api = Api(work.user)
    for at in ways_back(stage)[:1]:
        go_to(work, example, at)
        shown = api.get(work.assignment).json()
        for key, goes_back in [(steps_of(stage)[at], True), (steps_of(stage)[at - 1], False)]:
            sent = {"version": shown["version"], "response": shown["response"], "step": key}
            answer = api.post("step", work.assignment.pk, back=goes_back, **sent)
            assert answer.status_code == 200, answer.text
            shown = answer.json()
        assert (shown["step"], shown["dropped"]) == (steps_of(stage)[at], "")


def test_a_window_left_open_changes_nothing_after_going_back(work, example, stage):
    for at in ways_back(stage)[:1]:
        go_to(work, example, at)
        old = example.steps[at](work.fields)
        back(work)
        before = row(work)
        for fields in (old, old | {"action": ["back"]}):
            assert work.post("step", fields)["Location"] == work.url("page")
            assert unchanged(work, before)
            assert "The last press changed nothing." in work.open().words
        finish(work, example, at - 1)
        before = row(work)
        # It is at this step again, but the window shows what was there before.
        for name, status in (("step", 302), ("draft", 409), ("submit", 409)):
            assert work.post(name, old).status_code == status
            assert unchanged(work, before)
        shown = Api(work.user).get(work.assignment).json()
        sent = {"version": int(old["version"][0]), "response": shown["response"]}
        for name, more in (("submit", {}), ("step", {"step": shown["step"]})):
            assert Api(work.user).post(name, work.assignment.pk, **sent, **more).status_code == 409
        assert unchanged(work, before)


def test_seconds_go_on_adding_up_after_going_back(work, example, stage):
    def wait(seconds):
        seen = work.row().seen_at - dt.timedelta(seconds=seconds)
        Assignment.objects.filter(pk=work.assignment.pk).update(seen_at=seen)

    for at in ways_back(stage)[:1]:
        go_to(work, example, at)
        wait(20)
        back(work)
        work.open()
        wait(30)
        finish(work, example, at - 1)
        seconds = progress(work).seconds
        assert 20 <= seconds[steps_of(stage)[at]] < 25
        assert 30 <= seconds[steps_of(stage)[at - 1]] < 35
        assert sum(seconds.values()) == work.row().active_seconds


def test_returned_work_says_what_is_fixed_and_can_go_back(work, example, scene, stage, client_as):
    last = len(example.steps) - 1
    for at in range(last + 1):
        finish(work, example, at)
    judge(client_as, scene, work, "return")
    work.post("resume", {})
    fixed = [step.label for step in stages.get_stage(stage).sheet.steps[:last] if not step.again]
    if fixed:
        assert f"{', '.join(fixed)}: this answer stays as it was" in work.open().words
    if last in ways_back(stage):
        back(work.open())
        assert progress(work).at == last - 1
        for at in (last - 1, last):
            assert finish(work, example, at).status_code == 302
    else:
        finish(work, example, last)
    assert (work.row().state, submissions(work)) == ("submitted", 2)
