"""Keeping and leaving a seat."""

import datetime as dt

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.models import (
    Assignment,
    AuditEntry,
    Membership,
    Project,
    Question,
    Task,
)
from annotation.work import assignments, drafts
from annotation.work.leases import seconds_at
from tests import factories
from tests.annotation.work.helpers import easy, multiple, read_a_page, seats_add_up

MINUTE, HOUR = dt.timedelta(minutes=1), dt.timedelta(hours=1)
TEXT = "It opened to people on foot in 1843 and to trains in 1869."


@pytest.fixture
def work(project, ann, now):
    """Ann works on a question that asks for two people."""
    return factories.make_assignment(
        factories.make_task(project), ann, started_at=now, seen_at=now, lease_ends_at=now + HOUR
    )


class TestTouch:
    def test_it_counts_time_and_renews_the_lease(self, work, ann, now):
        assignments.record_activity(assignment=work, by=ann, now=now + MINUTE)
        work.refresh_from_db()
        assert work.active_seconds == 60
        assert work.lease_ends_at == now + MINUTE + 2 * HOUR
        assert work.seen_at == now + MINUTE

    def test_more_than_two_minutes_is_time_away(self, work, ann, now):
        assignments.record_activity(assignment=work, by=ann, now=now + 3 * MINUTE)
        work.refresh_from_db()
        assert (work.active_seconds, work.seen_at) == (0, now + 3 * MINUTE)

    def test_many_small_gaps_add_up(self, work, ann, now):
        for step in range(1, 11):
            assignments.record_activity(
                assignment=work, by=ann, now=now + step * dt.timedelta(seconds=0.7)
            )
        work.refresh_from_db()
        assert work.active_seconds + (now + dt.timedelta(seconds=7) - work.seen_at).seconds == 7

    def test_a_clock_that_goes_backwards_changes_nothing(self, work, ann, now):
        assignments.record_activity(assignment=work, by=ann, now=now - MINUTE)
        work.refresh_from_db()
        assert (work.active_seconds, work.seen_at) == (0, now)

    def test_it_never_shortens_a_lease(self, work, ann, now):
        Assignment.objects.filter(pk=work.pk).update(lease_ends_at=now + 50 * HOUR)
        assignments.record_activity(assignment=work, by=ann, now=now + MINUTE)
        work.refresh_from_db()
        assert work.lease_ends_at == now + 50 * HOUR

    def test_it_is_one_statement(self, work, ann, now, django_assert_num_queries):
        fresh = Assignment.objects.select_related("policy").get(pk=work.pk)
        with django_assert_num_queries(1):
            assignments.record_activity(assignment=fresh, by=ann, now=now + MINUTE)
        assert fresh.active_seconds == 60

    def test_parked_work_does_not_count(self, project, ann, now):
        parked = factories.make_assignment(factories.make_task(project), ann, "parked", seen_at=now)
        assignments.record_activity(assignment=parked, by=ann, now=now + MINUTE)
        parked.refresh_from_db()
        assert parked.active_seconds == 0

    def test_seconds_at_includes_the_open_gap(self, work, now):
        assert seconds_at(work, now + dt.timedelta(seconds=30)) == 30
        assert seconds_at(work, now + 10 * MINUTE) == 0


class TestExtend:
    def test_it_begins_the_lease_anew(self, work, ann, now):
        assignments.extend_lease(assignment=work, by=ann, now=now + MINUTE)
        work.refresh_from_db()
        assert work.lease_ends_at == now + MINUTE + 2 * HOUR
        assert AuditEntry.objects.filter(action="assignment_extended").count() == 1

    def test_parked_work_gets_its_own_length(self, project, ann, now):
        parked = factories.make_assignment(factories.make_task(project), ann, "parked")
        assignments.extend_lease(assignment=parked, by=ann, now=now)
        assert parked.lease_ends_at == now + 24 * HOUR

    def test_ended_work_cannot_be_extended(self, project, ann, now):
        ended = factories.make_assignment(factories.make_task(project), ann, "expired")
        with pytest.raises(Conflict, match="has ended"):
            assignments.extend_lease(assignment=ended, by=ann, now=now)


class TestPark:
    def test_it_keeps_the_seat_and_frees_the_person(self, work, ann, now):
        other = factories.make_task(work.project)
        assignments.park_assignment(assignment=work, reason=" Which \n tunnel? ", by=ann, now=now)
        work.refresh_from_db()
        assert (work.state, work.park_reason) == ("parked", "Which tunnel?")
        assert work.lease_ends_at == now + 24 * HOUR
        taken = assignments.take_next(project=work.project, stage="generation", by=ann, now=now)
        assert taken.task_id == other.pk
        seats_add_up()

    def test_it_needs_a_reason(self, work, ann, now):
        with pytest.raises(Conflict, match="Say in a few words"):
            assignments.park_assignment(assignment=work, reason=" ", by=ann, now=now)

    def test_only_a_few_may_lie_there(self, project, ann, now):
        Project.objects.filter(pk=project.pk).update(parked_limit=2)
        for _ in range(2):
            factories.make_assignment(factories.make_task(project), ann, "parked")
        third = factories.make_assignment(factories.make_task(project), ann)
        third = Assignment.objects.select_related("project", "policy").get(pk=third.pk)
        with pytest.raises(Conflict, match="2 questions are parked, which is the maximum"):
            assignments.park_assignment(assignment=third, reason="x", by=ann, now=now)

    def test_a_project_may_allow_none(self, work, ann, now):
        work.project.parked_limit = 0
        with pytest.raises(Conflict, match="cannot be parked in this project"):
            assignments.park_assignment(assignment=work, reason="x", by=ann, now=now)

    def test_resume_and_submit(self, work, ann, now):
        assignments.park_assignment(assignment=work, reason="x", by=ann, now=now)
        assignments.resume_assignment(assignment=work, by=ann, now=now + HOUR)
        work.refresh_from_db()
        assert (work.state, work.seen_at) == ("active", now + HOUR)
        assert work.lease_ends_at == now + 3 * HOUR

    def test_only_one_question_is_open_at_a_time(self, work, ann, now):
        assignments.park_assignment(assignment=work, reason="x", by=ann, now=now)
        factories.make_assignment(factories.make_task(work.project), ann)
        with pytest.raises(Conflict, match="another question open"):
            assignments.resume_assignment(assignment=work, by=ann, now=now)


class TestLeave:
    def test_given_back_is_free_for_others_and_the_text_stays(self, work, ann, ben, now):
        drafts.save_draft(assignment=work, draft={"kind": "none"}, version=0, by=ann, now=now)
        assignments.give_back(assignment=work, by=ann, now=now)
        work.refresh_from_db()
        assert (work.state, work.draft) == ("returned", {"kind": "none"})
        assert Task.objects.get(pk=work.task_id).seats == 2
        take = {"project": work.project, "stage": "generation", "now": now}
        assert assignments.take_next(by=ann, **take) is None  # never the same task twice
        assert assignments.take_next(by=ben, **take).task_id == work.task_id
        seats_add_up()

    def test_reopen_while_a_seat_is_free(self, work, ann, now):
        assignments.give_back(assignment=work, by=ann, now=now)
        assignments.reopen_assignment(assignment=work, by=ann, now=now)
        work.refresh_from_db()
        assert (work.state, work.ended_at) == ("active", None)
        seats_add_up()

    def test_reopen_when_the_seats_are_gone(self, work, ann, ben, now):
        assignments.give_back(assignment=work, by=ann, now=now)
        cleo = factories.make_member(work.project, "annotator", name="Cleo Cole")
        for person in (ben, cleo):
            assignments.take_next(project=work.project, stage="generation", by=person, now=now)
        with pytest.raises(Conflict, match="Someone else has this question now"):
            assignments.reopen_assignment(assignment=work, by=ann, now=now)
        seats_add_up()

    def test_skip_needs_a_known_reason(self, work, ann, now):
        with pytest.raises(Conflict, match="Choose why"):
            assignments.skip_question(assignment=work, reason="bored", by=ann, now=now)

    def test_skip_frees_the_seat_and_keeps_the_feedback(self, work, ann, now):
        assignments.skip_question(
            assignment=work, reason="subjective", feedback=" Hm.\x00 ", by=ann, now=now + MINUTE
        )
        work.refresh_from_db()
        assert (work.state, work.skip_reason, work.feedback) == ("skipped", "subjective", "Hm.")
        assert work.active_seconds == 60
        assert work.task.question.state == "imported"
        seats_add_up()

    def test_skipping_twice_changes_nothing(self, work, ann, now):
        for reason in ("subjective", "ill_formed"):
            assignments.skip_question(assignment=work, reason=reason, by=ann, now=now)
        assert Assignment.objects.get(pk=work.pk).skip_reason == "subjective"
        assert AuditEntry.objects.filter(action="assignment_skipped").count() == 1

    def test_enough_skips_close_the_question_and_undo_opens_it(self, work, ann, ben, now):
        assignments.skip_question(assignment=work, reason="subjective", by=ann, now=now)
        other = assignments.take_next(project=work.project, stage="generation", by=ben, now=now)
        assignments.skip_question(assignment=other, reason="ill_formed", by=ben, now=now)
        question = Question.objects.get()
        assert question.state == "skipped"
        assert Task.objects.get().seats == 0
        assignments.reopen_assignment(assignment=other, by=ben, now=now)
        question.refresh_from_db()
        assert question.state == "imported"
        other.refresh_from_db()
        assert (other.state, other.skip_reason) == ("active", "")
        seats_add_up()

    def test_an_answer_to_a_skipped_question_brings_it_back(self, project, ann, ben, now):
        easy(project)
        task = factories.make_task(project)
        cleo = factories.make_member(project, "annotator", name="Cleo Cole")
        held = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        for person in (ben, cleo):
            other = assignments.take_next(project=project, stage="generation", by=person, now=now)
            assignments.skip_question(assignment=other, reason="subjective", by=person, now=now)
        task.question.refresh_from_db()
        assert task.question.state == "skipped"
        seats_add_up()
        read_a_page(held, now, TEXT)
        assignments.submit_response(assignment=held, response=multiple(), by=ann, now=now)
        task.question.refresh_from_db()
        assert task.question.state == "generating"
        seats_add_up()

    def test_many_skips_in_a_row_pause_the_person(self, project, ann, now):
        Project.objects.filter(pk=project.pk).update(skips_before_pause=3)
        for _ in range(7):
            factories.make_task(project)

        def skip_one(minute):
            project.refresh_from_db()
            at = now + minute * MINUTE
            assignment = assignments.take_next(project=project, stage="generation", by=ann, now=at)
            assignments.skip_question(assignment=assignment, reason="subjective", by=ann, now=at)

        for minute in range(3):
            skip_one(minute)
        membership = Membership.objects.get(user=ann)
        assert membership.pause_reason == "3 questions skipped in a row"
        with pytest.raises(Denied, match="3 questions skipped in a row"):
            skip_one(3)
        assert AuditEntry.objects.get(action="membership_paused").actor is None
        Membership.objects.filter(pk=membership.pk).update(paused_at=None)
        skip_one(4)  # lifted: three more before the next pause
        membership.refresh_from_db()
        assert membership.paused_at is None

    def test_a_submission_ends_the_row_of_skips(self, project, ann, now):
        Project.objects.filter(pk=project.pk).update(skips_before_pause=2)
        for state, hours in (("skipped", 3), ("submitted", 2)):
            factories.make_assignment(
                factories.make_task(project), ann, state, ended_at=now - hours * HOUR
            )
        Assignment.objects.filter(state="submitted").update(submitted_at=now - 2 * HOUR)
        last = factories.make_assignment(factories.make_task(project), ann)
        last = Assignment.objects.select_related("project").get(pk=last.pk)
        assignments.skip_question(assignment=last, reason="subjective", by=ann, now=now)
        assert Membership.objects.get(user=ann).paused_at is None

    @pytest.mark.parametrize("state", ["submitted", "expired", "returned"])
    def test_what_is_over_cannot_be_parked_skipped_or_given_back(self, project, ann, now, state):
        over = factories.make_assignment(factories.make_task(project), ann, state)
        with pytest.raises(Conflict):
            assignments.skip_question(assignment=over, reason="subjective", by=ann, now=now)
        with pytest.raises(Conflict):
            assignments.park_assignment(assignment=over, reason="x", by=ann, now=now)
        with pytest.raises(Conflict):
            assignments.give_back(assignment=over, by=ann, now=now)
        over.refresh_from_db()
        assert over.state == state

    def test_nobody_moves_the_work_of_another(self, work, ben, now):
        for call in (
            lambda: assignments.skip_question(
                assignment=work, reason="subjective", by=ben, now=now
            ),
            lambda: assignments.park_assignment(assignment=work, reason="x", by=ben, now=now),
            lambda: assignments.resume_assignment(assignment=work, by=ben, now=now),
            lambda: assignments.give_back(assignment=work, by=ben, now=now),
            lambda: assignments.reopen_assignment(assignment=work, by=ben, now=now),
            lambda: assignments.extend_lease(assignment=work, by=ben, now=now),
            lambda: assignments.record_activity(assignment=work, by=ben, now=now),
            lambda: drafts.save_draft(assignment=work, draft={}, version=0, by=ben, now=now),
        ):
            with pytest.raises(Denied, match="Someone else has this question"):
                call()

    @pytest.mark.parametrize("state", ["active", "parked"])
    def test_who_lost_the_role_keeps_no_seat(self, project, ann, now, state):
        work = factories.make_assignment(factories.make_task(project), ann, state)
        Membership.objects.filter(user=ann).delete()
        with pytest.raises(Denied, match="no longer have the role"):
            assignments.extend_lease(assignment=work, by=ann, now=now)
        with pytest.raises(Denied, match="no longer have the role"):
            assignments.resume_assignment(assignment=work, by=ann, now=now)
