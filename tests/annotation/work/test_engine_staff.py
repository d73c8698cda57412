"""What staff may do with work, how many people are asked, what follows, and drafts."""

import datetime as dt

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.generation.responses import GenerationResponse, to_json
from annotation.generation.stage import Generation
from annotation.models import (
    Annotation,
    Assignment,
    AuditEntry,
    Question,
    Task,
)
from annotation.sheets.fields import Keep
from annotation.stages import registry as stages
from annotation.work import assignments, drafts, handover, tasks
from tests import factories
from tests.annotation.work.helpers import easy, read_a_page, seats_add_up, single

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
    keep = factories.report_on(assignment, response, now).blocking
    keeps = tuple(Keep(each.rule, each.field, "I know.") for each in keep)
    response = GenerationResponse(kind="single", single=response.single, keeps=keeps)
    assignments.submit_response(assignment=assignment, response=response, by=by, now=now)
    return assignment


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
        assignments.resume_assignment(assignment=work, by=ann, now=now)

    def test_a_window_from_before_cannot_save_over_returned_work(self, project, ann, rosa, now):
        work = submitted(project, ann, now)
        draft = Assignment.objects.get(pk=work.pk).draft
        assignments.return_to_author(assignment=work, note="Which opening?", by=rosa, now=now)
        with pytest.raises(drafts.DraftConflict):
            drafts.save_draft(
                assignment=work, draft={"kind": "none"}, version=0, by=ann, now=now + MINUTE
            )
        work.refresh_from_db()
        assert work.draft == draft

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
        with pytest.raises(Conflict, match="Someone else"):
            assignments.use_again(assignment=work, by=rosa, now=now)
        with pytest.raises(Conflict, match="omeone else"):
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
        assignments.skip_question(assignment=held, reason="subjective", by=ben, now=now)
        task.refresh_from_db()
        assert task.seats == 0  # one submitted, one asked for
        seats_add_up()

    def test_a_larger_number_opens_a_skipped_question(self, project, ann, rosa, now):
        project.policies.update(people=1)
        work = factories.make_assignment(factories.make_task(project), ann)
        assignments.skip_question(assignment=work, reason="subjective", by=ann, now=now)
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
            opens_in = "validating"
            broken = False

            def tasks_for(self, question):
                if self.broken:
                    raise RuntimeError("a bug upstairs")
                fresh = Question.objects.get(pk=question.pk)
                return [""] if fresh.state == "validating" else []

        project.policies.update(people=1)
        project.policies.create(stage="validation", split="dev", people=1)
        stage, real = Second(), stages.get_stage("validation")
        stages.register(stage)
        yield stage
        stages.register(real)

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
        assert handover.hand_over_missed(now + 5 * MINUTE) == 0
        second_stage.broken = False
        assert handover.hand_over_missed(now) == 0  # not yet a minute
        assert handover.hand_over_missed(now + 5 * MINUTE) == 1
        assert handover.hand_over_missed(now + 5 * MINUTE) == 0
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
        with pytest.raises(Denied, match="too long to save"):
            self.save(work, ann, now, 0, {"none_reason": "ä" * 300_000})

    def test_a_nul_does_not_break_it(self, work, ann, now):
        self.save(work, ann, now, 0, {"none_reason": "a\x00b"})
        work.refresh_from_db()
        assert work.draft == {"none_reason": "ab"}

    @pytest.mark.parametrize("typed", ["\\u0000", "C:\\\\u0000 \\u00001", "\\\\\\u0000"])
    def test_an_escape_that_somebody_typed_is_text(self, work, ann, now, typed):
        self.save(work, ann, now, 0, {"none_reason": f"{typed}\x00\ud800"})
        work.refresh_from_db()
        assert work.draft == {"none_reason": typed}

    def test_it_is_one_statement(self, work, ann, now, django_assert_num_queries):
        fresh = Assignment.objects.select_related("policy").get(pk=work.pk)
        with django_assert_num_queries(3):  # with the savepoint and its release
            self.save(fresh, ann, now)
