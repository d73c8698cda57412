"""Who may still answer reads nothing of what was decided."""

from annotation.work import assignments, tasks
from tests import factories
from tests.validation.conftest import one
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits
from validation.outcomes import status


def test_returned_work_is_not_told_what_the_team_decided(
    project, question, ann, ben, rosa, answer, turn_of, now
):
    """Three have answered, two are enough, and staff excluded the question on a claim."""
    policy = project.policies.get(stage="generation", split="dev")
    tasks.change_people(policy=policy, people=3, by=rosa, now=now)
    carl = factories.make_member(project, "annotator", name="Carl Cole")
    for who in (ann, ben, carl):
        answer(project, who, one("1843"))
    tasks.change_people(policy=policy, people=2, by=rosa, now=now)
    thread = claims_services.open_claim(assignment=turn_of(ann), text="Vague.", by=ann, now=now)
    claims_services.change_result(
        thread=thread,
        edited=RulingEdits(exclude=True),
        basis=claims_services.get_standing(question.pk).basis,
        reason="It was 1843 or 1869.",
        by=rosa,
        now=now,
    )
    assert status.outcome_of(turn_of(ben)).reason == "It was 1843 or 1869."
    assignments.return_to_author(assignment=turn_of(carl), note="Again.", by=rosa, now=now)
    outcome = status.outcome_of(turn_of(carl))
    assert (outcome.status, outcome.reason) == ("returned", "")
