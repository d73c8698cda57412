"""The tables of states, and the one function that says what state a question is in."""

import itertools
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from annotation.core import states
from annotation.core.refusals import Conflict
from annotation.models import Assignment, Question
from tests import factories

TABLES = [
    (Assignment.State, states.ASSIGNMENT_TRANSITIONS, states.ASSIGNMENT_OWNERS),
    (Question.State, states.QUESTION_TRANSITIONS, states.QUESTION_OWNERS),
]


@pytest.mark.parametrize(("choices", "table", "owners"), TABLES)
def test_every_state_has_a_row_and_an_owner(choices, table, owners):
    assert set(table) == set(owners) == set(choices.values)


@pytest.mark.parametrize(("choices", "table", "owners"), TABLES)
def test_every_state_but_the_first_can_be_reached(choices, table, owners):
    targets = {target for row in table.values() for target in row}
    assert targets <= set(choices.values)
    assert set(choices.values) - targets <= {"active", "imported"}


def test_every_state_is_in_exactly_one_phase():
    """A new state must be put into the sets: nothing else says who is sent to it."""
    phases = [states.ANSWERING, {"validating"}, states.FINISHED]
    assert sorted(itertools.chain(*phases)) == sorted(Question.State.values)
    assert states.ANY_ACCEPTED < states.DECIDED < states.FINISHED
    assert sorted([*states.HELD, *states.LEFT, "submitted"]) == sorted(Assignment.State.values)


def test_the_page_is_fresh():
    call_command("states_diagram", check=True)


def test_a_stale_page_fails_and_is_written_anew(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "states.md"
    page.write_text("old")
    with pytest.raises(CommandError, match="does not match"):
        call_command("states_diagram", check=True)
    call_command("states_diagram")
    call_command("states_diagram", check=True)
    assert "active --> submitted: submit" in page.read_text()


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (states.QuestionFacts(2, [0], [0]), "imported"),
        (states.QuestionFacts(2, [0], [1]), "imported"),
        (states.QuestionFacts(2, [0], [2]), "skipped"),
        (states.QuestionFacts(1, [0], [1]), "skipped"),
        (states.QuestionFacts(2, [1], [5]), "generating"),
        (states.QuestionFacts(1, [1], [0]), "accepted"),
        (states.QuestionFacts(2, [2], [0], "validating"), "validating"),
        (states.QuestionFacts(2, [3], [0], "validating"), "validating"),
        (states.QuestionFacts(2, [2], [0], "validating", "edited"), "edited"),
        (states.QuestionFacts(3, [2], [0], "validating", "edited"), "generating"),
        (states.QuestionFacts(2, [0, 0], [2, 1]), "imported"),
        (states.QuestionFacts(2, [0, 0], [2, 2]), "skipped"),
        (states.QuestionFacts(2, [1, 0], [2, 2]), "generating"),
        (states.QuestionFacts(2, [9, 1], [0, 0], "validating"), "generating"),
        (states.QuestionFacts(2, [2, 2], [0, 9], "validating"), "validating"),
        (states.QuestionFacts(2, [9, 1], [0, 0], ruled="excluded"), "excluded"),
    ],
)
def test_question_state(facts, state):
    assert states.question_state(facts) == state


def steps(facts):
    """Every single thing that can happen to a question's rows."""
    for counts in ("submitted", "skipped"):
        before = getattr(facts, counts)
        for at, by in itertools.product(range(len(before)), (1, -1)):
            after = [*before[:at], before[at] + by, *before[at + 1 :]]
            if min(after) >= 0:
                yield replace(facts, **{counts: after})
    for people in range(1, 5):
        yield replace(facts, required=people)


def test_every_step_of_the_function_is_an_arrow_of_the_table():
    one = itertools.product(range(1, 5), [(n,) for n in range(5)], [(n,) for n in range(5)])
    pairs = list(itertools.product(range(4), repeat=2))
    two = itertools.product(range(1, 4), pairs, pairs)
    for counts, then in itertools.product([*one, *two], ("validating", "accepted")):
        facts = states.QuestionFacts(*counts, then)
        before = states.question_state(facts)
        for after in map(states.question_state, steps(facts)):
            assert after == before or after in states.QUESTION_TRANSITIONS[before], (before, after)


@pytest.mark.parametrize("source", Assignment.State.values)
@pytest.mark.parametrize("target", Assignment.State.values)
def test_move_goes_along_the_arrows_and_nowhere_else(project, ann, now, source, target):
    assignment = factories.make_assignment(factories.make_task(project), ann, source)
    extra = {}
    if target in states.HELD:
        extra["lease_ends_at"] = now
    if target == "skipped":
        extra["skip_reason"] = "subjective"
    if target in states.ASSIGNMENT_TRANSITIONS[source]:
        states.change_state(assignment, target, now=now, **extra)
        assignment.refresh_from_db()
        assert assignment.state == target
    else:
        with pytest.raises(Conflict, match=states.SENTENCES[source][:20]):
            states.change_state(assignment, target, now=now, **extra)
        assert Assignment.objects.get(pk=assignment.pk).state == source


def test_a_stale_instance_moves_nothing(project, ann, now):
    assignment = factories.make_assignment(factories.make_task(project), ann)
    stale = Assignment.objects.get(pk=assignment.pk)
    states.change_state(assignment, "returned", now=now)
    with pytest.raises(Conflict, match="released this question"):
        states.change_state(stale, "submitted", now=now)
    assert stale.state == "returned"
