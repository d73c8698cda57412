"""Keeping and leaving a seat, and what staff may do with submitted work."""

import datetime as dt

import pytest

from annotation import stages
from annotation.models import (
    Annotation,
    Assignment,
    AuditEntry,
    Membership,
    Project,
    Question,
    Task,
)
from annotation.policies import Conflict, Denied
from annotation.responses import Keep, Response, to_json
from annotation.services import assignments, drafts, handover, tasks
from annotation.services.leases import seconds_at
from annotation.stages.generation import Generation
from tests import factories
from tests.annotation.engine.helpers import easy, multiple, read_a_page, seats_add_up, single

MINUTE, HOUR = dt.timedelta(minutes=1), dt.timedelta(hours=1)
TEXT = "It opened to people on foot in 1843 and to trains in 1869."


@pytest.fixture
def work(project, ann, now):
    """Ann works on a question that asks for two people."""
    return factories.make_assignment(
        factories.make_task(project), ann, started_at=now, seen_at=now, lease_ends_at=now + HOUR
    )


def submitted(project, by, now, task=None):
    easy(project)
    task = task or factories.make_task(project)
    task.refresh_from_db()
    assignment = factories.make_assignment(task, by)
    read_a_page(assignment, now)
    response = single()
    keep = stages.get("generation").check(assignment, response, now=now).blocking
    keeps = tuple(Keep(each.rule, each.field, "I know.") for each in keep)
    response = Response(kind="single", single=response.single, keeps=keeps)
    assignments.submit(assignment=assignment, response=response, by=by, now=now)
    return assignment


class TestTouch:
    def test_it_counts_time_and_renews_the_lease(self, work, ann, now):
        assignments.touch(assignment=work, by=ann, now=now + MINUTE)
        work.refresh_from_db()
        assert work.active_seconds == 60
        assert work.lease_ends_at == now + MINUTE + 2 * HOUR
        assert work.seen_at == now + MINUTE

    def test_more_than_two_minutes_is_time_away(self, work, ann, now):
        assignments.touch(assignment=work, by=ann, now=now + 3 * MINUTE)
        work.refresh_from_db()
        assert (work.active_seconds, work.seen_at) == (0, now + 3 * MINUTE)

    def test_many_small_gaps_add_up(self, work, ann, now):
        for step in range(1, 11):
            assignments.touch(assignment=work, by=ann, now=now + step * dt.timedelta(seconds=0.7))
        work.refresh_from_db()
        assert work.active_seconds + (now + dt.timedelta(seconds=7) - work.seen_at).seconds == 7

    def test_a_clock_that_goes_backwards_changes_nothing(self, work, ann, now):
        assignments.touch(assignment=work, by=ann, now=now - MINUTE)
        work.refresh_from_db()
        assert (work.active_seconds, work.seen_at) == (0, now)

    def test_it_never_shortens_a_lease(self, work, ann, now):
        Assignment.objects.filter(pk=work.pk).update(lease_ends_at=now + 50 * HOUR)
        assignments.touch(assignment=work, by=ann, now=now + MINUTE)
        work.refresh_from_db()
        assert work.lease_ends_at == now + 50 * HOUR

    def test_it_is_one_statement(self, work, ann, now, django_assert_num_queries):
        fresh = Assignment.objects.select_related("policy").get(pk=work.pk)
        with django_assert_num_queries(1):
            assignments.touch(assignment=fresh, by=ann, now=now + MINUTE)
        assert fresh.active_seconds == 60

    def test_parked_work_does_not_count(self, project, ann, now):
        parked = factories.make_assignment(factories.make_task(project), ann, "parked", seen_at=now)
        assignments.touch(assignment=parked, by=ann, now=now + MINUTE)
        parked.refresh_from_db()
        assert parked.active_seconds == 0

    def test_seconds_at_includes_the_open_gap(self, work, now):
        assert seconds_at(work, now + dt.timedelta(seconds=30)) == 30
        assert seconds_at(work, now + 10 * MINUTE) == 0


class TestExtend:
    def test_it_begins_the_lease_anew(self, work, ann, now):
        assignments.extend(assignment=work, by=ann, now=now + MINUTE)
        work.refresh_from_db()
        assert work.lease_ends_at == now + MINUTE + 2 * HOUR
        assert AuditEntry.objects.filter(action="assignment_extended").count() == 1

    def test_parked_work_gets_its_own_length(self, project, ann, now):
        parked = factories.make_assignment(factories.make_task(project), ann, "parked")
        assignments.extend(assignment=parked, by=ann, now=now)
        assert parked.lease_ends_at == now + 24 * HOUR

    def test_ended_work_cannot_be_extended(self, project, ann, now):
        ended = factories.make_assignment(factories.make_task(project), ann, "expired")
        with pytest.raises(Conflict, match="has ended"):
            assignments.extend(assignment=ended, by=ann, now=now)


class TestPark:
    def test_it_keeps_the_seat_and_frees_the_person(self, work, ann, now):
        other = factories.make_task(work.project)
        assignments.park(assignment=work, reason=" Which \n tunnel? ", by=ann, now=now)
        work.refresh_from_db()
        assert (work.state, work.park_reason) == ("parked", "Which tunnel?")
        assert work.lease_ends_at == now + 24 * HOUR
        taken = assignments.take_next(project=work.project, stage="generation", by=ann, now=now)
        assert taken.task_id == other.pk
        seats_add_up()

    def test_it_needs_a_reason(self, work, ann, now):
        with pytest.raises(Conflict, match="Say in a few words"):
            assignments.park(assignment=work, reason=" ", by=ann, now=now)

    def test_only_a_few_may_lie_there(self, project, ann, now):
        Project.objects.filter(pk=project.pk).update(parked_limit=2)
        for _ in range(2):
            factories.make_assignment(factories.make_task(project), ann, "parked")
        third = factories.make_assignment(factories.make_task(project), ann)
        third = Assignment.objects.select_related("project", "policy").get(pk=third.pk)
        with pytest.raises(Conflict, match="2 questions are parked, which is the most"):
            assignments.park(assignment=third, reason="x", by=ann, now=now)

    def test_a_project_may_allow_none(self, work, ann, now):
        work.project.parked_limit = 0
        with pytest.raises(Conflict, match="cannot be parked in this project"):
            assignments.park(assignment=work, reason="x", by=ann, now=now)

    def test_resume_and_submit(self, work, ann, now):
        assignments.park(assignment=work, reason="x", by=ann, now=now)
        assignments.resume(assignment=work, by=ann, now=now + HOUR)
        work.refresh_from_db()
        assert (work.state, work.seen_at) == ("active", now + HOUR)
        assert work.lease_ends_at == now + 3 * HOUR

    def test_only_one_question_is_open_at_a_time(self, work, ann, now):
        assignments.park(assignment=work, reason="x", by=ann, now=now)
        factories.make_assignment(factories.make_task(work.project), ann)
        with pytest.raises(Conflict, match="another question open"):
            assignments.resume(assignment=work, by=ann, now=now)


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
        assignments.reopen(assignment=work, by=ann, now=now)
        work.refresh_from_db()
        assert (work.state, work.ended_at) == ("active", None)
        seats_add_up()

    def test_reopen_when_the_seats_are_gone(self, work, ann, ben, now):
        assignments.give_back(assignment=work, by=ann, now=now)
        cleo = factories.make_member(work.project, "annotator", name="Cleo Cole")
        for person in (ben, cleo):
            assignments.take_next(project=work.project, stage="generation", by=person, now=now)
        with pytest.raises(Conflict, match="Somebody else has this question now"):
            assignments.reopen(assignment=work, by=ann, now=now)
        seats_add_up()

    def test_skip_needs_a_known_reason(self, work, ann, now):
        with pytest.raises(Conflict, match="Choose why"):
            assignments.skip(assignment=work, reason="bored", by=ann, now=now)

    def test_skip_frees_the_seat_and_keeps_the_feedback(self, work, ann, now):
        assignments.skip(
            assignment=work, reason="subjective", feedback=" Hm.\x00 ", by=ann, now=now + MINUTE
        )
        work.refresh_from_db()
        assert (work.state, work.skip_reason, work.feedback) == ("skipped", "subjective", "Hm.")
        assert work.active_seconds == 60
        assert work.task.question.state == "imported"
        seats_add_up()

    def test_skipping_twice_changes_nothing(self, work, ann, now):
        for reason in ("subjective", "ill_formed"):
            assignments.skip(assignment=work, reason=reason, by=ann, now=now)
        assert Assignment.objects.get(pk=work.pk).skip_reason == "subjective"
        assert AuditEntry.objects.filter(action="assignment_skipped").count() == 1

    def test_enough_skips_close_the_question_and_undo_opens_it(self, work, ann, ben, now):
        assignments.skip(assignment=work, reason="subjective", by=ann, now=now)
        other = assignments.take_next(project=work.project, stage="generation", by=ben, now=now)
        assignments.skip(assignment=other, reason="ill_formed", by=ben, now=now)
        question = Question.objects.get()
        assert question.state == "skipped"
        assert Task.objects.get().seats == 0
        assignments.reopen(assignment=other, by=ben, now=now)
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
            assignments.skip(assignment=other, reason="subjective", by=person, now=now)
        task.question.refresh_from_db()
        assert task.question.state == "skipped"
        seats_add_up()
        read_a_page(held, now, TEXT)
        assignments.submit(assignment=held, response=multiple(), by=ann, now=now)
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
            assignments.skip(assignment=assignment, reason="subjective", by=ann, now=at)

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
        assignments.skip(assignment=last, reason="subjective", by=ann, now=now)
        assert Membership.objects.get(user=ann).paused_at is None

    @pytest.mark.parametrize("state", ["submitted", "expired", "returned"])
    def test_what_is_over_cannot_be_parked_skipped_or_given_back(self, project, ann, now, state):
        over = factories.make_assignment(factories.make_task(project), ann, state)
        with pytest.raises(Conflict):
            assignments.skip(assignment=over, reason="subjective", by=ann, now=now)
        with pytest.raises(Conflict):
            assignments.park(assignment=over, reason="x", by=ann, now=now)
        with pytest.raises(Conflict):
            assignments.give_back(assignment=over, by=ann, now=now)
        over.refresh_from_db()
        assert over.state == state

    def test_nobody_moves_the_work_of_another(self, work, ben, now):
        for call in (
            lambda: assignments.skip(assignment=work, reason="subjective", by=ben, now=now),
            lambda: assignments.park(assignment=work, reason="x", by=ben, now=now),
            lambda: assignments.resume(assignment=work, by=ben, now=now),
            lambda: assignments.give_back(assignment=work, by=ben, now=now),
            lambda: assignments.reopen(assignment=work, by=ben, now=now),
            lambda: assignments.extend(assignment=work, by=ben, now=now),
            lambda: assignments.touch(assignment=work, by=ben, now=now),
            lambda: drafts.save_draft(assignment=work, draft={}, version=0, by=ben, now=now),
        ):
            with pytest.raises(Denied, match="with somebody else"):
                call()


class TestStaff:
    def test_return_to_author(self, project, ann, rosa, now):
        work = submitted(project, ann, now)
        draft = Assignment.objects.get(pk=work.pk).draft
        assignments.return_to_author(assignment=work, note="Which opening?", by=rosa, now=now)
        work.refresh_from_db()
        assert (work.state, work.staff_note, work.draft) == ("parked", "Which opening?", draft)
        assert (work.submitted_at, work.pay) == (None, 0)
        assert not Annotation.objects.exists()
        assert work.task.question.state == "imported"
        log = AuditEntry.objects.get(action="assignment_returned_to_author")
        assert log.data["submission"]["pairs"][0]["answers"][0]["text"] == "1843"
        seats_add_up()
        assignments.resume(assignment=work, by=ann, now=now)

    def test_soft_reject_pays_and_asks_somebody_else(self, project, ann, rosa, now):
        project.policies.update(people=1, pay="0.75")
        work = submitted(project, ann, now)
        work.task.question.refresh_from_db()
        assert work.task.question.state == "accepted"
        assignments.soft_reject(assignment=work, note="Not about the prompt.", by=rosa, now=now)
        work.refresh_from_db()
        assert (work.used, work.state, str(work.pay)) == (False, "submitted", "0.75")
        assert Question.objects.get().state == "imported"
        assert Task.objects.get().seats == 1
        assignments.use_again(assignment=work, by=rosa, now=now)
        assert Question.objects.get().state == "accepted"
        seats_add_up()

    def test_left_out_work_stays_out_once_its_seat_is_taken(self, project, ann, ben, rosa, now):
        project.policies.update(people=1)
        work = submitted(project, ann, now)
        assignments.soft_reject(assignment=work, note="No.", by=rosa, now=now)
        assignments.take_next(project=project, stage="generation", by=ben, now=now)
        with pytest.raises(Conflict, match="Somebody else"):
            assignments.use_again(assignment=work, by=rosa, now=now)
        with pytest.raises(Conflict, match="somebody else"):
            assignments.return_to_author(assignment=work, note="x", by=rosa, now=now)
        assert Annotation.objects.count() == 1
        seats_add_up()

    def test_a_note_is_needed(self, project, ann, rosa, now):
        work = submitted(project, ann, now)
        with pytest.raises(Conflict, match="Say what should change"):
            assignments.return_to_author(assignment=work, note=" ", by=rosa, now=now)
        with pytest.raises(Conflict, match="Say why"):
            assignments.soft_reject(assignment=work, note="", by=rosa, now=now)

    @pytest.mark.parametrize("person", ["ben", "val", "stan"])
    def test_staff_only(self, project, ann, now, person, request):
        work = submitted(project, ann, now)
        by = request.getfixturevalue(person)
        for service in (
            assignments.return_to_author,
            assignments.soft_reject,
            assignments.use_again,
        ):
            with pytest.raises(Denied, match="Only researchers and admins"):
                service(assignment=work, note="x", by=by, now=now)


class TestPeople:
    def change(self, project, people, by, now):
        policy = project.policies.get(split="dev", stage="generation")
        tasks.change_people(policy=policy, people=people, by=by, now=now)

    def test_more_people_open_finished_questions_again(self, project, ann, rosa, now):
        project.policies.update(people=1)
        work = submitted(project, ann, now)
        self.change(project, 2, rosa, now)
        assert Task.objects.get().seats == 1
        assert Question.objects.get(pk=work.task.question_id).state == "generating"
        log = AuditEntry.objects.get(action="people_changed")
        assert (log.data["before"], log.data["after"]) == (1, 2)
        seats_add_up()

    def test_fewer_people_take_nothing_from_who_holds_it(self, project, ann, ben, rosa, now):
        submitted(project, ann, now)
        task = Task.objects.get()
        held = factories.make_assignment(task, ben)
        self.change(project, 1, rosa, now)
        task.refresh_from_db()
        assert task.seats == 0
        assert Question.objects.get().state == "accepted"
        assignments.skip(assignment=held, reason="subjective", by=ben, now=now)
        task.refresh_from_db()
        assert task.seats == 0  # one submitted, one asked for
        seats_add_up()

    def test_a_larger_number_opens_a_skipped_question(self, project, ann, rosa, now):
        project.policies.update(people=1)
        work = factories.make_assignment(factories.make_task(project), ann)
        assignments.skip(assignment=work, reason="subjective", by=ann, now=now)
        assert Question.objects.get().state == "skipped"
        self.change(project, 2, rosa, now)
        assert (Question.objects.get().state, Task.objects.get().seats) == ("imported", 2)

    def test_staff_only_and_within_bounds(self, project, ann, rosa, now):
        with pytest.raises(Denied):
            self.change(project, 3, ann, now)
        with pytest.raises(Conflict, match="1 to 25"):
            self.change(project, 26, rosa, now)

    def test_a_validation_policy_makes_it_validating(self, project, ann, rosa, now):
        project.policies.update(people=1)
        project.policies.create(stage="validation", split="dev", people=1)
        work = submitted(project, ann, now)
        work.task.question.refresh_from_db()
        assert work.task.question.state == "validating"


class TestHandover:
    @pytest.fixture
    def second_stage(self, project):
        """A later stage that wants a task once its question is fully answered."""

        class Second(Generation):
            key, role, first, every_question = "validation", "validator", False, False
            broken = False

            def tasks_for(self, question):
                if self.broken:
                    raise RuntimeError("a bug upstairs")
                fresh = Question.objects.get(pk=question.pk)
                return [""] if fresh.state == "validating" else []

        project.policies.update(people=1)
        project.policies.create(stage="validation", split="dev", people=1)
        stage = Second()
        stages.register(stage)
        yield stage
        del stages._stages["validation"]

    def test_the_next_stage_gets_its_task_at_once(self, project, ann, val, now, second_stage):
        work = submitted(project, ann, now)
        assert Task.objects.filter(policy__stage="validation").count() == 1
        work.refresh_from_db()
        assert work.handed_over_at == now
        taken = assignments.take_next(project=project, stage="validation", by=val, now=now)
        assert taken.stage == "validation"

    def test_a_failing_stage_loses_nothing_and_the_sweep_mends_it(
        self, project, ann, now, second_stage, caplog
    ):
        second_stage.broken = True
        work = submitted(project, ann, now)
        work.refresh_from_db()
        assert (work.state, work.handed_over_at) == ("submitted", None)
        assert "sweep tries again" in caplog.text
        assert handover.sweep(now + 5 * MINUTE) == 0
        second_stage.broken = False
        assert handover.sweep(now) == 0  # not yet a minute
        assert handover.sweep(now + 5 * MINUTE) == 1
        assert handover.sweep(now + 5 * MINUTE) == 0
        assert Task.objects.filter(policy__stage="validation").count() == 1


class TestDrafts:
    def save(self, work, by, now, version=0, draft=None):
        draft = {"kind": "single"} if draft is None else draft
        return drafts.save_draft(assignment=work, draft=draft, version=version, by=by, now=now)

    def test_it_saves_and_counts_versions(self, work, ann, now):
        assert self.save(work, ann, now) == 1
        assert self.save(work, ann, now + MINUTE, 1, to_json(single())) == 2
        work.refresh_from_db()
        assert (work.draft, work.draft_saved_at) == (to_json(single()), now + MINUTE)
        assert work.active_seconds == 60
        assert work.lease_ends_at == now + MINUTE + 2 * HOUR

    def test_a_second_window_gets_theirs(self, work, ann, now):
        self.save(work, ann, now)
        with pytest.raises(drafts.DraftConflict) as conflict:
            self.save(work, ann, now, 0, {"kind": "none"})
        assert conflict.value.theirs == {"kind": "single"}
        assert (conflict.value.version, conflict.value.saved_at) == (1, now)
        assert conflict.value.status == 409
        assert "in another window" in str(conflict.value)

    def test_a_retry_after_a_lost_reply_is_no_conflict(self, work, ann, now):
        assert self.save(work, ann, now) == 1
        assert self.save(work, ann, now) == 1

    @pytest.mark.parametrize("state", ["parked", "expired", "returned", "skipped"])
    def test_typing_is_kept_in_every_state_before_submission(self, project, ann, now, state):
        work = factories.make_assignment(factories.make_task(project), ann, state)
        assert self.save(work, ann, now) == 1
        work.refresh_from_db()
        assert (work.state, work.draft) == (state, {"kind": "single"})

    def test_submitted_work_stays_as_it_was(self, project, ann, now):
        work = factories.make_assignment(factories.make_task(project), ann, "submitted")
        with pytest.raises(Conflict, match="You have submitted"):
            self.save(work, ann, now)

    def test_it_refuses_what_is_too_long(self, work, ann, now):
        with pytest.raises(Denied, match="longer than what can be kept"):
            self.save(work, ann, now, 0, {"none_reason": "ä" * 300_000})

    def test_a_nul_does_not_break_it(self, work, ann, now):
        self.save(work, ann, now, 0, {"none_reason": "a\x00b"})
        work.refresh_from_db()
        assert work.draft == {"none_reason": "ab"}

    def test_it_is_one_statement(self, work, ann, now, django_assert_num_queries):
        fresh = Assignment.objects.select_related("policy").get(pk=work.pk)
        with django_assert_num_queries(3):  # with the savepoint and its release
            self.save(fresh, ann, now)
