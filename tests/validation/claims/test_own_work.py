"""Nobody judges own work, as staff either; and what staff decided stays decided."""

from dataclasses import replace

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment
from annotation.work import assignments
from tests import factories
from tests.validation.claims.conftest import MINE, THEIRS
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits
from validation.models import Validation


@pytest.fixture
def as_staff(project):
    """as_staff(who): give them the role of a researcher as well."""
    return lambda who: factories.make_member(project, "researcher", user=who)


class TestStaffOnTheirOwnWork:
    """Who may read all answers once their own is in could else take it back and write anew."""

    @pytest.fixture
    def anns(self, project, question, ann, ben, answer, as_staff):
        answer(project, ann, MINE)
        answer(project, ben, THEIRS)
        as_staff(ann)
        return Assignment.objects.get(user=ann)

    def test_it_is_not_returned(self, anns, ann, now):
        with pytest.raises(Denied, match="your own work"):
            assignments.return_to_author(assignment=anns, note="Once more.", by=ann, now=now)

    def test_it_is_not_left_out_or_used(self, anns, ann, rosa, now):
        with pytest.raises(Denied, match="your own work"):
            assignments.soft_reject(assignment=anns, note="No.", by=ann, now=now)
        assignments.soft_reject(assignment=anns, note="No.", by=rosa, now=now)
        with pytest.raises(Denied, match="your own work"):
            assignments.use_again(assignment=anns, by=ann, now=now)


class TestRulings:
    """A claim of Ann's on what Val decided between Ann and Ben."""

    @pytest.mark.parametrize("name", ["val", "ben"])
    def test_who_worked_on_the_question_does_not_rule(
        self, request, claimed, project, as_staff, rosa, now, name
    ):
        who = request.getfixturevalue(name)
        as_staff(who)
        with pytest.raises(Denied, match="worked on this question yourself"):
            claims_services.uphold_result(thread=claimed, reason="It stands.", by=who, now=now)
        claims_services.uphold_result(thread=claimed, reason="It stands.", by=rosa, now=now)


def test_a_validation_the_team_has_overruled_is_not_returned(
    claimed, project, val, rosa, turn_of, now
):
    """It could not be submitted again, and its pay would be gone."""
    question = claimed.assignment.task.question
    claims_services.change_result(
        thread=claimed,
        edited=RulingEdits(exclude=True),
        basis=claims_services.get_standing(question.pk).basis,
        reason="Too vague.",
        by=rosa,
        now=now,
    )
    with pytest.raises(Conflict, match="not waiting for validation"):
        assignments.return_to_author(assignment=turn_of(val), note="Again.", by=rosa, now=now)
    assert (turn_of(val).state, Validation.objects.count()) == ("submitted", 1)


def test_a_validator_has_no_result_to_claim(bens, val, turn_of, now):
    with pytest.raises(Conflict, match="own answer"):
        claims_services.open_claim(assignment=turn_of(val), text="I was wrong.", by=val, now=now)


def test_an_annotation_of_another_question_changes_nothing(claimed, rosa, now):
    stands = claims_services.get_standing(claimed.assignment.task.question_id)
    edited = replace(stands.edited, stand=stands.edited.stand | {987_654_321})
    with pytest.raises(Conflict, match="You have not changed anything"):
        claims_services.change_result(
            thread=claimed,
            edited=edited,
            basis=stands.basis,
            reason="The same.",
            by=rosa,
            now=now,
        )
