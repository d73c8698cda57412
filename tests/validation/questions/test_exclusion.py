"""What the team does with whole questions: exclude, restore, send back to validation."""

from dataclasses import replace

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, AuditEntry, Question, Task
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import seats_add_up
from tests.validation.conftest import one, several
from validation.models import Decision
from validation.questions import exclusion

PEOPLE, TRAINS = "When did it open to people?", "When did it open to trains?"


@pytest.fixture
def exclude(project, rosa, now):
    def exclude(*questions, reason="It is junk.", by=rosa):
        ids = [question.pk for question in questions]
        return exclusion.exclude_questions(
            project=project, question_ids=ids, reason=reason, by=by, now=now
        )

    return exclude


@pytest.fixture
def restore(project, rosa, now):
    def restore(*questions):
        ids = [question.pk for question in questions]
        return exclusion.restore_questions(project=project, question_ids=ids, by=rosa, now=now)

    return restore


@pytest.fixture
def validated(project, question, ann, ben, val, answer, now):
    answer(project, ann, several((PEOPLE, "1843"), (TRAINS, "1869")))
    answer(project, ben, one("2010"))
    turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
    opened, said = factories.opened(turn)
    verdicts = tuple(len(each.pairs) == 2 for each in said)
    assignments.submit_response(
        assignment=turn, response=replace(opened, verdicts=verdicts), by=val, now=now
    )
    return question


def take(project, who, now):
    return assignments.take_next(project=project, stage="generation", by=who, now=now)


def test_nobody_gets_an_excluded_question(project, question, ann, exclude, state, now):
    assert exclude(question) == 1
    assert state(question) == "excluded"
    assert take(project, ann, now) is None
    assert Decision.objects.get().reason == "It is junk."
    entry = AuditEntry.objects.get(action="question_excluded")
    assert (entry.target, entry.data) == (f"question:{question.pk}", {"reason": "It is junk."})
    seats_add_up()


def test_a_restored_question_is_handed_out_again(
    project, question, ann, exclude, restore, state, now
):
    exclude(question)
    assert restore(question) == 1
    assert state(question) == "imported"
    assert take(project, ann, now).task.question == question
    assert not Decision.objects.filter(in_force=True).exists()
    seats_add_up()


def test_whoever_has_it_in_hand_finishes_and_it_stays_excluded(
    project, question, ann, ben, answer, exclude, restore, state, now
):
    turn = take(project, ann, now)
    exclude(question)
    answer(project, ann, one("1843"))
    turn.refresh_from_db()
    assert (turn.state, state(question)) == ("submitted", "excluded")
    restore(question)
    assert state(question) == "generating"
    assert take(project, ben, now).task.question == question
    seats_add_up()


def test_the_decision_before_is_in_force_again(validated, exclude, restore, state):
    assert state(validated) == "edited"
    former = Decision.objects.get(in_force=True)
    exclude(validated)
    assert state(validated) == "excluded"
    restore(validated)
    assert state(validated) == "edited"
    assert Decision.objects.get(in_force=True) == former


def test_a_decision_on_answers_that_have_changed_is_not(
    project, validated, ann, rosa, exclude, restore, state, now
):
    exclude(validated)
    work = Assignment.objects.get(user=ann)
    assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
    assert state(validated) == "excluded"
    restore(validated)
    assert state(validated) == "generating"
    assert not Decision.objects.filter(in_force=True).exists()
    seats_add_up()


def test_questions_imported_as_finished_come_back_as_they_were(
    project, exclude, restore, state, now
):
    finished = factories.make_question(project, state="accepted")
    former = Decision.objects.create(
        question=finished, source="import", outcome="accepted", change="none", created_at=now
    )
    exclude(finished)
    assert state(finished) == "excluded"
    restore(finished)
    assert state(finished) == "accepted"
    assert Decision.objects.get(in_force=True) == former
    assert not Task.objects.filter(question=finished).exists()


def test_a_question_that_a_validator_excluded_is_not_restored(
    project, question, ann, ben, val, answer, restore, now
):
    answer(project, ann, one("1843"))
    answer(project, ben, one("2010"))
    turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
    opened, _said = factories.opened(turn)
    assignments.submit_response(
        assignment=turn, response=replace(opened, exclude_reason="Vague."), by=val, now=now
    )
    with pytest.raises(Conflict, match="Send a question that a validator"):
        restore(question)


def test_sent_back_another_validator_gets_it(project, validated, val, rosa, state, now):
    former = Decision.objects.get(in_force=True)
    exclusion.send_back(question=validated, reason="Look at the dates.", by=rosa, now=now)
    assert state(validated) == "validating"
    turn = Assignment.objects.get(user=val)
    assert (turn.used, turn.staff_note) == (False, "Look at the dates.")
    former.refresh_from_db()
    assert not former.in_force
    vic = factories.make_member(project, "validator", name="Vic Vole")
    again = assignments.take_next(project=project, stage="validation", by=vic, now=now)
    assert again.task.question == validated
    seats_add_up()


def test_without_a_decision_nothing_is_sent_back(project, question, rosa, now):
    with pytest.raises(Conflict, match="no decision to reconsider"):
        exclusion.send_back(question=question, reason="Again.", by=rosa, now=now)


def test_only_staff_and_only_with_a_reason(project, question, ann, exclude, state):
    with pytest.raises(Denied):
        exclude(question, by=ann)
    with pytest.raises(Conflict, match="Give a reason"):
        exclude(question, reason=" ")
    with pytest.raises(Conflict, match="Choose at least one"):
        exclude()
    assert state(question) == "imported"


def test_a_question_of_another_project_is_not_touched(project, exclude, rosa):
    other = factories.make_question(factories.make_project())
    with pytest.raises(Conflict):
        exclude(other)
    assert Question.objects.get(pk=other.pk).state == "imported"


def test_statements_do_not_grow_with_questions(
    project, exclude, now, django_assert_max_num_queries
):
    questions = [factories.make_question(project) for _ in range(60)]
    tasks.open_tasks(question_ids=[each.pk for each in questions], now=now)
    with django_assert_max_num_queries(21):
        assert exclude(*questions) == 60
