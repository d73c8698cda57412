"""No question waits for validation without somebody who can be given it."""

from dataclasses import replace

import pytest
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.models import Assignment, AuditEntry, Task
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.conftest import one
from validation.models import Decision
from validation.verdicts.responses import build_union_response


def submit(turn, verdicts, by, now):
    """Hand in the union with these verdicts, whatever is in the draft."""
    _, said = factories.opened(turn)
    response = replace(build_union_response(said), verdicts=verdicts)
    assignments.submit_response(assignment=turn, response=response, by=by, now=now)


def people(project, number, by, now):
    policy = project.policies.get(stage="generation", split="dev")
    tasks.change_people(policy=policy, people=number, by=by, now=now)


def next_of(project, by, now):
    return assignments.take_next(project=project, stage="validation", by=by, now=now)


@pytest.fixture
def carl(project):
    return factories.make_member(project, "annotator", name="Carl Cole")


class TestItsTaskIsThere:
    """However a question comes to wait for validation, and not only by a submission."""

    def test_when_fewer_people_are_asked(
        self, project, question, ann, ben, val, rosa, answer, state, now
    ):
        people(project, 3, rosa, now)
        answer(project, ann, one("1843"))
        answer(project, ben, one("1869"))
        assert state(question) == "generating"
        people(project, 2, rosa, now)
        assert state(question) == "validating"
        assert next_of(project, val, now) is not None

    def test_when_work_is_used_again(
        self, project, question, ann, ben, val, rosa, answer, state, now
    ):
        answer(project, ann, one("1843"))
        first = Assignment.objects.get(user=ann)
        assignments.soft_reject(assignment=first, note="Copied.", by=rosa, now=now)
        answer(project, ben, one("1869"))
        assert state(question) == "generating"
        assignments.use_again(assignment=first, by=rosa, now=now)
        assert state(question) == "validating"
        assert next_of(project, val, now) is not None


class TestADecisionThatNoLongerHolds:
    """One of three is left out after validation, and two are enough by now."""

    @pytest.fixture
    def stale(self, project, question, ann, ben, carl, val, rosa, answer, now):
        people(project, 3, rosa, now)
        for who, year in ((ann, "1843"), (ben, "1869"), (carl, "1900")):
            answer(project, who, one(year))
        turn = next_of(project, val, now)
        submit(turn, (True, True, True), val, now)
        people(project, 2, rosa, now)
        work = Assignment.objects.get(user=carl)
        assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
        turn.refresh_from_db()
        return turn

    def test_its_seat_opens_for_another_validator(self, project, question, stale, state, now):
        assert state(question) == "validating"
        vic = factories.make_member(project, "validator", name="Vic Vole")
        turn = next_of(project, vic, now)
        submit(turn, (True, False), vic, now)
        assert state(question) == "edited"
        assert Task.objects.get(policy__stage="validation").seats == 0

    def test_it_holds_again_when_the_work_is_used_again(
        self, project, question, stale, carl, rosa, state, now
    ):
        people(project, 3, rosa, now)
        assert state(question) == "generating"
        assignments.use_again(assignment=Assignment.objects.get(user=carl), by=rosa, now=now)
        assert state(question) == "accepted"
        assert Task.objects.get(policy__stage="validation").seats == 0

    def test_nobody_gets_two_seats_by_its_return(self, project, stale, rosa, now):
        vic = factories.make_member(project, "validator", name="Vic Vole")
        next_of(project, vic, now)
        with pytest.raises(Conflict, match="someone else has taken its place"):
            assignments.return_to_author(assignment=stale, note="Again.", by=rosa, now=now)


class TestTheOnlyValidator:
    """Answers changed after validation, and nobody else can validate the question."""

    @pytest.fixture
    def left(self, project, question, ann, ben, carl, val, rosa, answer, state, now):
        answer(project, ann, one("1843"))
        answer(project, ben, one("1869"))
        turn = next_of(project, val, now)
        submit(turn, (True, True), val, now)
        work = Assignment.objects.get(user=ann)
        assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
        answer(project, carl, one("1900"))
        turn.refresh_from_db()
        assert state(question) == "validating"
        assert (turn.state, turn.used) == ("submitted", False)
        return turn

    def test_staff_return_it_from_the_page_of_the_question(
        self, client, project, question, left, val, rosa, state, now
    ):
        assert next_of(project, val, now) is None
        client.force_login(rosa)
        page = client.get(reverse("question-view", args=[project.slug, question.pk]))
        place = reverse("turn-judge", args=[project.slug, left.pk])
        form = page.content.decode().split(f'action="{place}"')[1].split("</form>")[0]
        assert 'value="return"' in form
        client.post(place, {"action": "return", "note": "Look at the new answer."})
        left.refresh_from_db()
        assert left.state == "parked"
        assignments.resume_assignment(assignment=left, by=val, now=now)
        submit(left, (True, False), val, now)
        assert state(question) == "edited"
        assert Decision.objects.get(in_force=True).validation.validator == val

    def test_the_log_says_why_it_was_left_out(self, left):
        entry = AuditEntry.objects.get(action="assignment_left_out", target=f"assignment:{left.pk}")
        assert (entry.actor, entry.data["note"]) == (None, "The question was answered again.")


def test_one_validator_decides(project, rosa, now):
    """A second would work on what the first decides meanwhile, for nothing."""
    policy = project.policies.get(stage="validation", split="dev")
    with pytest.raises(Conflict, match="One validator decides"):
        tasks.change_people(policy=policy, people=2, by=rosa, now=now)
