"""Rulings on claims and their undoing: what is accepted follows, and the log says so."""

import pytest

from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.models import AuditEntry
from annotation.threads import services as threads_services
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import seats_add_up
from tests.validation.claims.conftest import MINE, PEOPLE, TRAINS, made_of, only
from tests.validation.conftest import one
from validation.claims import ruling_form as ruling
from validation.claims import services as claims_services
from validation.claims.ruling_form import EditedSet, RulingEdits
from validation.models import AcceptedAnswer, AcceptedQuestion, Decision, Ruling
from validation.outcomes import status
from validation.outcomes.values import Status

BOTH = made_of(((PEOPLE,), ("25 March 1843", "1843")), ((TRAINS,), ("1869",)))


def stands(thread):
    return claims_services.get_standing(thread.assignment.task.question_id)


def change(thread, edited, by, now, **fields):
    values = {"basis": stands(thread).basis, "reason": "You are right.", "keep_warnings": True}
    return claims_services.change_result(
        thread=thread, edited=edited, by=by, now=now, **values | fields
    )


def edited_state(question):
    question.refresh_from_db()
    return question.state


class TestUpholding:
    def test_the_result_stands_and_says_why(self, claimed, ann, rosa, bens, now):
        ruling = claims_services.uphold_result(
            thread=claimed, reason="It was trains.", by=rosa, now=now
        )
        claimed.refresh_from_db()
        assert (claimed.state, ruling.verdict) == ("upheld", "upheld")
        assert claimed.messages.last().text == "It was trains."
        assert edited_state(bens) == "edited"
        with pytest.raises(Conflict, match="kept the result"):
            threads_services.write_as_author(thread=claimed, text="But…", by=ann, now=now)
        with pytest.raises(Conflict, match="no longer open"):
            claims_services.uphold_result(thread=claimed, reason="Again.", by=rosa, now=now)
        assert Ruling.objects.count() == 1

    def test_a_ruling_says_why(self, claimed, rosa, now):
        with pytest.raises(Conflict, match="Give a reason"):
            claims_services.uphold_result(thread=claimed, reason=" ", by=rosa, now=now)

    def test_undone_it_is_open_again(self, claimed, rosa, now):
        ruling = claims_services.uphold_result(thread=claimed, reason="No.", by=rosa, now=now)
        claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)
        claimed.refresh_from_db()
        assert claimed.state == "open"
        assert AuditEntry.objects.filter(action="claim_ruling_undone").count() == 1

    def test_only_staff(self, claimed, ben, val, stan, now):
        for who in (ben, val, stan):
            with pytest.raises(Denied):
                claims_services.uphold_result(thread=claimed, reason="No.", by=who, now=now)

    def test_staff_who_could_still_answer_it_wait(self, claimed, rosa, project, bens, now):
        factories.make_member(project, "annotator", user=rosa)
        task = bens.tasks.get(policy__stage="generation")
        task.seats = 1  # a third person was asked for meanwhile
        factories.make_assignment(task, rosa, state="parked")
        with pytest.raises(Denied, match="still answer"):
            claims_services.uphold_result(thread=claimed, reason="No.", by=rosa, now=now)


class TestChanging:
    def test_the_claimants_annotation_is_accepted_too(
        self, claimed, bens, ann, ben, rosa, now, turn_of
    ):
        former = Decision.objects.get(in_force=True)
        said = stands(claimed).said
        ruling = change(claimed, RulingEdits(frozenset(s.annotation for s in said)), rosa, now)
        assert edited_state(bens) == "accepted"
        decision = Decision.objects.get(in_force=True)
        assert (decision.source, decision.outcome, decision.made_by) == ("staff", "accepted", rosa)
        assert (ruling.former, ruling.decision, decision.replaces) == (former, decision, former)
        assert [each.status for each in status.list_submissions(ann)] == [Status.WRITTEN]
        assert [each.status for each in status.list_submissions(ben)] == [Status.WRITTEN]
        entry = AuditEntry.objects.get(action="claim_changed")
        assert entry.data["former"] == former.pk
        assert entry.data["decision"] == decision.pk
        assert entry.data["outcome"] == {"before": "edited", "after": "accepted"}
        moved = AuditEntry.objects.filter(action="question_state").last()
        assert moved.data == {"before": "edited", "after": "accepted"}
        seats_add_up()

    def test_a_set_of_staffs_own_has_provenance(self, claimed, ann, rosa, now, turn_of):
        change(claimed, BOTH, rosa, now)
        forms = {each.text: each for each in AcceptedAnswer.objects.all() if each.source_id}
        assert forms["1869"].source.pair.annotation.author == ann
        assert not forms["1869"].edited
        asked = AcceptedQuestion.objects.filter(pair__accepted__decision__source="staff")
        assert {each.source.annotation.author for each in asked if each.text == TRAINS} == {ann}
        outcome = status.outcome_of(turn_of(ann))
        # Ann's "1843" is there with her question, and a form beside it.
        assert (outcome.status, outcome.by_team) == (Status.WRITTEN, True)
        assert outcome.reason == "You are right."
        assert [pair.added for pair in outcome.pairs] == [("25 March 1843",), ()]

    def test_undo_puts_the_former_decision_back(self, claimed, bens, rosa, ada, now):
        former = Decision.objects.get(in_force=True)
        ruling = change(claimed, RulingEdits(exclude=True), rosa, now)
        assert edited_state(bens) == "excluded"
        seats_add_up()
        claims_services.undo_ruling(ruling=ruling, by=ada, now=now)
        assert Decision.objects.get(in_force=True) == former
        assert edited_state(bens) == "edited"
        seats_add_up()
        claimed.refresh_from_db()
        assert claimed.state == "open"
        assert (ruling.undone_by, ruling.undone_at) == (ada, now)
        claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)  # twice does the same as once
        assert AuditEntry.objects.filter(action="claim_ruling_undone").count() == 1
        change(claimed, BOTH, rosa, now)
        assert Decision.objects.get(in_force=True).replaces == former

    def test_where_nobody_decided_undo_leaves_no_decision(
        self, project, question, ann, ben, rosa, answer, turn_of, now, state
    ):
        answer(project, ann, one("1843"))
        answer(project, ben, one("the 1843"))
        assert state(question) == "auto_accepted"
        thread = claims_services.open_claim(
            assignment=turn_of(ann), text="We both erred.", by=ann, now=now
        )
        ruling = change(thread, made_of(((), ("25 March 1843",))), rosa, now)
        assert state(question) == "edited"
        assert ruling.former is None
        claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)
        assert state(question) == "auto_accepted"
        assert not Decision.objects.filter(in_force=True).exists()

    def test_train_questions_too(self, project, ann, rosa, answer, turn_of, now, state):
        question = factories.make_question(project, split="train")
        tasks.open_tasks(question_ids=[question.pk], now=now)
        answer(project, ann, MINE)
        thread = claims_services.open_claim(
            assignment=turn_of(ann), text="I erred.", by=ann, now=now
        )
        ruling = change(thread, RulingEdits(exclude=True), rosa, now)
        assert state(question) == "excluded"
        claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)
        assert state(question) == "accepted"

    @pytest.mark.parametrize(
        ("edited", "rule"),
        [
            (RulingEdits(), "nothing-accepted"),
            (RulingEdits(sets=(EditedSet("s1"),)), "nothing-accepted"),
            (RulingEdits(sets=(*BOTH.sets, EditedSet("s2"))), "empty-set"),
            (made_of(((), ())), "empty-answer"),
            (made_of(((PEOPLE,), ("1843",)), ((), ("2",))), "answer-without-question"),
        ],
    )
    def test_the_rules_of_validation_hold(self, claimed, rosa, now, edited, rule):
        with pytest.raises(ResponseRefused) as refused:
            change(claimed, edited, rosa, now)
        assert rule in {each.rule for each in refused.value.report}
        claimed.refresh_from_db()
        assert claimed.state == "open"
        assert Decision.objects.count() == 1

    def test_warnings_are_kept_with_the_reason(self, claimed, rosa, now):
        far = "Whatever happened to all of the trains in that year?"
        edited = made_of(((PEOPLE,), ("25 March 1843", "1843")), ((far,), ("1869",)))
        with pytest.raises(ResponseRefused) as refused:
            change(claimed, edited, rosa, now, keep_warnings=False)
        assert {each.level for each in refused.value.report} == {"warning"}
        ruling = change(claimed, edited, rosa, now)
        assert {each["rule"] for each in ruling.warnings} == {
            each.rule for each in refused.value.report
        }

    def test_nothing_different_is_no_change(self, claimed, rosa, now):
        with pytest.raises(Conflict, match="You have not changed anything"):
            change(claimed, stands(claimed).edited, rosa, now)

    def test_what_stands_now_is_not_what_was_looked_at(
        self, claimed, bens, ben, rosa, turn_of, now
    ):
        basis = stands(claimed).basis
        other = claims_services.open_claim(
            assignment=turn_of(ben), text="Only 1843.", by=ben, now=now
        )
        change(other, BOTH, rosa, now)
        with pytest.raises(Conflict, match="have changed since"):
            change(claimed, RulingEdits(exclude=True), rosa, now, basis=basis)
        assert edited_state(bens) == "edited"
        claimed.refresh_from_db()
        assert claimed.state == "open"

    def test_a_later_decision_is_undone_first(self, claimed, ben, rosa, turn_of, now):
        first = change(claimed, BOTH, rosa, now)
        other = claims_services.open_claim(
            assignment=turn_of(ben), text="Mine, too.", by=ben, now=now
        )
        second = change(other, RulingEdits(exclude=True), rosa, now)
        with pytest.raises(Conflict, match="later decision"):
            claims_services.undo_ruling(ruling=first, by=rosa, now=now)
        first.refresh_from_db()
        assert first.undone_at is None
        claims_services.undo_ruling(ruling=second, by=rosa, now=now)
        claims_services.undo_ruling(ruling=first, by=rosa, now=now)
        assert Decision.objects.get(in_force=True).source == "validation"

    def test_not_while_it_is_answered_again(self, claimed, bens, ben, rosa, turn_of, now):
        basis = stands(claimed).basis
        assignments.soft_reject(assignment=turn_of(ben), note="Copied.", by=rosa, now=now)
        assert edited_state(bens) == "generating"
        with pytest.raises(Conflict, match="answered or validated again"):
            change(claimed, RulingEdits(exclude=True), rosa, now, basis=basis)

    def test_answered_again_the_ruling_cannot_be_undone(self, claimed, ben, rosa, turn_of, now):
        ruling = change(claimed, BOTH, rosa, now)
        assignments.soft_reject(assignment=turn_of(ben), note="Copied.", by=rosa, now=now)
        assert not Decision.objects.filter(in_force=True).exists()
        with pytest.raises(Conflict, match="answered again"):
            claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)

    def test_a_question_is_not_ruled_on(self, bens, ann, rosa, turn_of, now):
        thread = threads_services.open_thread(
            assignment=turn_of(ann), kind="question", text="Why?", by=ann, now=now
        )
        with pytest.raises(Denied, match="Only a claim"):
            claims_services.uphold_result(thread=thread, reason="So.", by=rosa, now=now)

    def test_undo_while_another_claim_is_open(self, claimed, ann, rosa, turn_of, now):
        ruling = change(claimed, BOTH, rosa, now)
        claims_services.open_claim(assignment=turn_of(ann), text="Not so.", by=ann, now=now)
        with pytest.raises(Conflict, match="opened another"):
            claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)
        assert Decision.objects.get(in_force=True).source == "staff"


def test_standing_names_what_it_looked_at(claimed, bens):
    found = stands(claimed)
    assert found.decided
    assert found.basis.startswith(f"edited:{found.decision.pk}:")
    assert found.edited == ruling.build_ruling_form(
        [(each.annotation_id, ()) for each in found.decision.accepted.all()], found.said
    )


def test_two_validated_questions_do_not_mix(project, bens, ann, ben, answer, validate, rosa, now):
    """A ruling on one question leaves every other as it is."""
    second = factories.make_question(project)
    tasks.open_tasks(question_ids=[second.pk], now=now)
    answer(project, ann, MINE)
    answer(project, ben, one("2010"))
    validate(only("1869"))
    turn = assignments.Assignment.objects.select_related("task__question", "project").get(
        user=ann, task__question=bens
    )
    thread = claims_services.open_claim(assignment=turn, text="Look.", by=ann, now=now)
    change(thread, RulingEdits(exclude=True), rosa, now)
    second.refresh_from_db()
    assert second.state == "edited"
    assert Decision.objects.filter(question=second, in_force=True).count() == 1
