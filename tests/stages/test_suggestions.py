"""What holds for suggestions on every stage that shows them, without scripts."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.models import Assignment, Job, StagePolicy, Suggestion, SuggestionUse
from annotation.stages import registry as stages
from annotation.suggestions.queries import SUGGEST
from tests.stages.suggested import SUGGESTING, SYSTEM, Suggesting, show, uses
from tests.stages.window import HX, buttons_of

WORDS = "costermongers"
STAGES = list(SUGGESTING)


@pytest.fixture
def plan(stage) -> Suggesting:
    return SUGGESTING[stage]


@pytest.fixture
def offered(work, example, plan, now):
    """The stage's suggestions are stored, and its policy shows them."""
    example.read(work.assignment)
    show(work.assignment, *plan.offers, now=now)
    return at_its_step(work, example, plan)


@pytest.fixture
def begun(offered, example, plan):
    """The person has begun on their own."""
    return press(offered, "save", plan.write(example, offered.fields, WORDS))


def at_its_step(work, example, plan):
    """Go to the step that shows suggestions."""
    for fill in example.steps[: plan.at]:
        assert SYSTEM not in work.open().html
        assert work.post("step", fill(work.fields)).status_code == 302
    return work.open()


def press(work, action, fields=None):
    """Press a button as without scripts, and look at the page again."""
    answer = work.post("draft", (fields or work.fields) | {"action": [action]})
    assert answer.status_code == 302, answer.text
    return work.open()


def pks():
    return list(Suggestion.objects.order_by("pk").values_list("pk", flat=True))


def said(offer):
    return offer.answers[0] if offer.answers else offer.text


def test_every_stage_that_shows_some_is_tested_here():
    """What is suggested on the check of answers becomes no part of a form: it has tests of its own,
    in tests/qampari/test_suggested_verdicts.py.
    """
    showing = {stage.key for stage in stages.list_stages() if stage.suggested}
    assert showing == {*STAGES, "qampari-check"}


def test_kinds_are_known_to_the_stage(stage, plan):
    assert {offer.kind for offer in plan.offers} <= {*stages.get_stage(stage).suggested}


def test_nothing_is_sent_before_the_person_has_begun(offered, plan):
    for changes in ({}, plan.half):
        press(offered, "save", offered.fields | changes)
        assert f"open after {stages.get_stage(offered.stage).taking.begin}" in offered.words
        assert SYSTEM not in offered.html
        for pk in pks():
            press(offered, f"accept-suggestion {pk}")
            press(offered, f"dismiss-suggestion {pk}")
    assert not SuggestionUse.objects.exists()


def test_they_open_and_are_recorded_as_shown(begun, plan):
    count = len(plan.offers)
    assert f"{count} from {SYSTEM}: {count} to look at" in begun.words
    assert all(said(offer) in begun.words for offer in plan.offers)
    assert uses(begun.assignment) == [""] * count


def test_a_reply_to_a_script_has_the_panel(offered, example, plan):
    answer = offered.post("draft", plan.write(example, offered.fields, WORDS), headers=HX)
    assert 'id="suggestions"' in answer.text
    assert said(plan.offers[0]) in answer.text


def test_every_kind_can_be_accepted(begun, plan):
    for pk in pks():
        press(begun, f"accept-suggestion {pk}")
    assert uses(begun.assignment) == plan.fates()
    assert f"{plan.fates().count('accepted')} used" in begun.words
    assert f"From {SYSTEM}, as it was suggested" in begun.words
    left = [button for button in buttons_of(begun.html) if button.startswith("accept-")]
    assert len(left) == plan.fates().count("")


def test_accepting_twice_changes_nothing_more(begun):
    press(begun, f"accept-suggestion {pks()[0]}")
    before = begun.row().draft
    press(begun, f"accept-suggestion {pks()[0]}")
    assert begun.row().draft == before


def test_a_change_makes_it_edited(begun, plan):
    press(begun, f"accept-suggestion {pks()[0]}")
    assert plan.part in begun.words
    press(begun, "save", begun.fields | plan.edited)
    assert uses(begun.assignment)[0] == "edited"
    assert f"From {SYSTEM}, edited by you" in begun.words
    assert plan.part in begun.words


def test_editing_first_leads_to_a_field(begun):
    fields = begun.fields | {"action": [f"edit-suggestion {pks()[0]}"]}
    address = begun.post("draft", fields)["Location"]
    assert f'id="{address.partition("#")[2]}"' in begun.open().html


def test_one_is_dismissed_with_a_reason_and_put_back(begun):
    pk = pks()[0]
    press(begun, f"dismiss-suggestion {pk}")
    press(begun, f"dismiss-suggestion {pk} wrong")
    assert SuggestionUse.objects.get(suggestion=pk).reason == "wrong"
    assert "Dismissed: wrong answer" in begun.words
    press(begun, f"put-back-suggestion {pk}")
    assert uses(begun.assignment)[0] == ""
    assert f"accept-suggestion {pk}" in buttons_of(begun.html)


@pytest.mark.parametrize("number", ["0", "999999", "x", "", "9" * 30, "-1"])
def test_unknown_ones_change_nothing(begun, number):
    before = begun.row().draft
    for verb in ("accept", "edit", "dismiss", "put-back"):
        press(begun, f"{verb}-suggestion {number}")
    assert begun.row().draft == before


def test_held_out_and_off_show_nothing(begun):
    for changes in ({"suggestions": ""}, {"suggestions_held_out": 100}):
        StagePolicy.objects.filter(pk=begun.assignment.policy_id).update(
            **{"suggestions": SYSTEM, "suggestions_held_out": 0} | changes
        )
        begun.open()
        assert 'id="suggestions"' not in begun.html
        assert SYSTEM not in begun.html
        before = begun.row().draft
        press(begun, f"accept-suggestion {pks()[0]}")
        assert begun.row().draft == before


def test_one_that_was_accepted_stays_when_suggestions_are_switched_off(begun, plan):
    press(begun, f"accept-suggestion {pks()[0]}")
    StagePolicy.objects.filter(pk=begun.assignment.policy_id).update(suggestions="")
    begun.open()
    press(begun, "save")
    first = plan.offers[0]
    assert said(first) in begun.words or begun.fields.get("box") == [first.box]
    assert uses(begun.assignment)[0] == "accepted"


def test_of_a_newer_version_only_what_was_seen_before_stays(begun, plan, now):
    show(begun.assignment, plan.offers[0], version="2", now=now)
    begun.open()
    assert begun.words.count(f"{SYSTEM}, older version") == len(plan.offers)
    assert f"{len(plan.offers) + 1} from" in begun.words


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("queued", f"{SYSTEM} is reading"),
        ("running", f"{SYSTEM} is reading"),
        ("failed", "not available just now"),
        ("done", f"{SYSTEM} has no suggestions for this question"),
        ("cancelled", f"{SYSTEM} has no suggestions for this question"),
        (None, f"{SYSTEM} has no suggestions for this question"),
    ],
)
def test_without_any_the_panel_says_why(work, example, plan, now, state, sentence):
    example.read(work.assignment)
    show(work.assignment, now=now)
    if state:
        Job.objects.create(
            project=work.project,
            kind=SUGGEST,
            state=state,
            options={"system": SYSTEM, "split": ""},
            created_by=work.user,
            created_at=now,
            ended_at=None if state in ("queued", "running") else now,
        )
    at_its_step(work, example, plan)
    press(work, "save", plan.write(example, work.fields, WORDS))
    assert sentence in work.words
    press(work, "look-again")
    assert sentence in work.words


def test_the_policy_offers_the_system(begun, client_as, scene):
    policy = StagePolicy.objects.get(pk=begun.assignment.policy_id)
    page = client_as(scene.staff).get(f"/projects/{scene.project.slug}/policies/{policy.pk}/")
    assert f'<option value="{SYSTEM}" selected' in page.text


def test_more_of_them_are_no_more_queries(begun, plan, now):
    def statements():
        with CaptureQueriesContext(connection) as queries:
            begun.open()
        return len(queries)

    begun.open()
    before = statements()
    show(begun.assignment, *plan.offers * 3, version="2", now=now)
    assert statements() == before


def test_submitting_records_what_became_of_them(begun, plan):
    press(begun, f"accept-suggestion {pks()[0]}")
    press(begun, f"dismiss-suggestion {pks()[1]}")
    finished(begun, plan)
    assert uses(begun.assignment)[:2] == ["accepted", "dismissed"]


def test_raw_exports_list_them_and_what_became_of_them(begun, example, plan, now):
    press(begun, f"accept-suggestion {pks()[0]}")
    press(begun, f"dismiss-suggestion {pks()[1]} wrong")
    finished(begun, plan)
    found = start_export(
        project=begun.project, format=example.export, chosen=Selection(), by=None, now=now
    )
    rows = [json.loads(line) for line in b"".join(found.blocks()).splitlines()]
    [row] = [row for row in rows if row["assignment"] == begun.assignment.pk]
    fates = [(each["system"], each["fate"], each["reason"]) for each in row["suggestions"]]
    assert fates[:2] == [(SYSTEM, "accepted", ""), (SYSTEM, "dismissed", "wrong")]
    assert [each["kind"] for each in row["suggestions"]] == [offer.kind for offer in plan.offers]


def finished(work, plan):
    """Submit, with a reason for every warning that comes up, and after all of its steps."""
    if plan.rest:
        work.post("step", work.open().fields)
        for filled in plan.rest:
            answer = work.post("step", work.open().fields | filled)
            assert answer.status_code == 302, answer.text
        assert work.row().state == "submitted"
        return
    stage = stages.get_stage(work.stage)
    row = Assignment.objects.select_related("task__question", "project").get(pk=work.assignment.pk)
    given = stage.build_sheet_context(row, now=timezone.now())
    response = stage.sheet.adapt_response(stage.sheet.load(row.draft), given)
    warnings = [each for each in stage.sheet.check_response(response, given).findings if each.rule]
    keeps = {
        "keep-rule": [each.rule for each in warnings],
        "keep-field": [each.field for each in warnings],
        "keep-reason": ["It is so."] * len(warnings),
    }
    answer = work.post("submit", work.open().fields | keeps)
    assert answer.status_code == 302, answer.text
