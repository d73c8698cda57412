"""Work with a time limit: the clock starts with the task, stops for nothing, and loses nothing."""

import datetime as dt

import pytest
from django.utils import timezone

from annotation import tasks
from annotation.core import limits
from annotation.core.refusals import Conflict
from annotation.generation.responses import GenerationResponse, to_json
from annotation.models import Annotation, Assignment, AuditEntry
from annotation.stages import registry as stages
from annotation.work import assignments, drafts, time_limits
from annotation.work import tasks as opening
from annotation.work.assignment_desk import AssignmentDesk, AssignmentTurn
from tests import factories
from tests.annotation.work.helpers import easy, in_parallel, read_a_page, seats_add_up, single

LIMIT = 720
SECOND = dt.timedelta(seconds=1)
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    monkeypatch.setattr(stages.get_stage("generation"), "limit", LIMIT)


@pytest.fixture
def person(project):
    easy(project)
    return factories.make_member(project, "annotator")


def add_question(project, now):
    question = factories.make_question(project)
    opening.open_tasks(question_ids=[question.pk], now=now)


def take(project, person, now):
    add_question(project, now)
    return assignments.take_next(project=project, stage="generation", by=person, now=now)


@pytest.fixture
def work(project, person, now):
    return take(project, person, now)


def save(work, response, now, version=None):
    version = work.draft_version if version is None else version
    return drafts.save_draft(
        assignment=work, draft=to_json(response), version=version, by=work.user, now=now
    )


def row(work):
    return Assignment.objects.select_related("task__question", "policy", "project", "user").get(
        pk=work.pk
    )


def submitted_answer(work):
    return [
        form.text
        for form in AssignmentTurn(AssignmentDesk(row(work), by=work.user, now=timezone.now()))
        .load_response(row(work).draft)
        .single
    ]


def log_of(work):
    entries = AuditEntry.objects.filter(target=f"assignment:{work.pk}").order_by("pk")
    return [entry.action for entry in entries]


# --- when it starts and ends ----------------------------------------------------------------------


def test_the_clock_starts_when_a_task_is_taken_and_is_stored(work, now):
    assert work.limit_ends_at == row(work).limit_ends_at == now + LIMIT * SECOND
    assert row(work).lease_ends_at > work.limit_ends_at + limits.GRACE


def test_a_lease_shorter_than_the_limit_does_not_take_the_seat_away(project, person, now):
    project.policies.update(lease_minutes=1)
    work = take(project, person, now)
    assert work.lease_ends_at == now + LIMIT * SECOND + limits.SLACK
    assignments.park_assignment(assignment=work, reason="Tea", by=person, now=now)
    assignments.resume_assignment(assignment=work, by=person, now=now)
    assert row(work).lease_ends_at == now + LIMIT * SECOND + limits.SLACK


def test_without_a_limit_nothing_ends(project, person, now, monkeypatch):
    monkeypatch.setattr(stages.get_stage("generation"), "limit", None)
    work = take(project, person, now)
    later = now + dt.timedelta(days=30)
    assert work.limit_ends_at is None
    assert not limits.is_time_up(work, later)
    assert time_limits.submit_overdue_work(now=later) == 0
    assert not time_limits.submit_last_draft(assignment=work, now=later)


def test_the_limit_of_work_in_hand_is_the_one_it_was_taken_with(work, monkeypatch, now):
    monkeypatch.setattr(stages.get_stage("generation"), "limit", 5)
    assert time_limits.submit_overdue_work(now=now + 6 * MINUTE) == 0


@pytest.mark.parametrize("facts", [{"limit": 0}, {"limit": -1}, {"limit": 9, "revisable": 2}])
def test_a_stage_whose_limit_means_nothing_is_refused(monkeypatch, facts):
    stage = stages.get_stage("generation")
    for name, value in facts.items():
        monkeypatch.setattr(stage, name, value, raising=False)
    with pytest.raises(ValueError, match="time limit"):
        stages.register(stage)


# --- nothing stops it -----------------------------------------------------------------------------


def test_parked_work_is_submitted_at_the_end(work, now):
    save(work, single("1843"), now + MINUTE)
    assignments.park_assignment(assignment=work, reason="Tea", by=work.user, now=now + 2 * MINUTE)
    assert time_limits.submit_overdue_work(now=now + LIMIT * SECOND) == 0
    assert time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE) == 1
    assert (row(work).state, submitted_answer(work)) == ("submitted", ["1843"])
    seats_add_up()


def test_parking_and_resuming_give_no_time(work, now):
    assignments.park_assignment(assignment=work, reason="Tea", by=work.user, now=now)
    assignments.resume_assignment(assignment=work, by=work.user, now=now + 11 * MINUTE)
    assert row(work).limit_ends_at == now + LIMIT * SECOND


def test_releasing_and_reopening_give_no_time(work, now):
    assignments.give_back(assignment=work, by=work.user, now=now)
    assignments.reopen_assignment(assignment=work, by=work.user, now=now + MINUTE)
    assert row(work).limit_ends_at == now + LIMIT * SECOND
    assignments.give_back(assignment=work, by=work.user, now=now + 2 * MINUTE)
    with pytest.raises(Conflict, match="Your time for this question ended"):
        assignments.reopen_assignment(assignment=work, by=work.user, now=now + 13 * MINUTE)


@pytest.mark.parametrize("leave", ["park_assignment", "skip_question", "give_back"])
def test_after_the_end_nobody_leaves_before_the_clock_has_submitted(work, now, leave):
    save(work, single(), now)
    reasons = {"park_assignment": "Tea", "skip_question": "subjective"}
    more = {"reason": reasons[leave]} if leave in reasons else {}
    with pytest.raises(Conflict, match="Your time for this question ended"):
        getattr(assignments, leave)(
            assignment=work, by=work.user, now=now + LIMIT * SECOND + SECOND, **more
        )
    assert row(work).state == "active"


def test_others_who_take_do_not_get_the_seat_before_the_clock_has_submitted(project, work, now):
    save(work, single("1843"), now)
    late = now + dt.timedelta(days=2)
    assignments.reclaim_seats(policy_id=work.policy_id, now=late)
    assert row(work).state == "active"
    assert time_limits.submit_overdue_work(now=late) == 1
    assert submitted_answer(work) == ["1843"]


def test_extending_the_lease_gives_no_time(work, now):
    assignments.extend_lease(assignment=work, by=work.user, now=now + 11 * MINUTE)
    assert row(work).limit_ends_at == now + LIMIT * SECOND


# --- the end --------------------------------------------------------------------------------------


def test_the_clock_submits_the_last_draft_once_though_rules_find_something(work, now):
    response = GenerationResponse(kind="single", single=())  # no answer: an error
    save(work, response, now + MINUTE)
    end = now + LIMIT * SECOND + limits.GRACE
    assert [time_limits.submit_overdue_work(now=end) for _ in range(3)] == [1, 0, 0]
    stored = row(work)
    assert stored.state == "submitted"
    assert stored.at_limit == {"by": "clock", "late_seconds": 0}
    entry = AuditEntry.objects.get(action="assignment_submitted", target=f"assignment:{work.pk}")
    assert (entry.actor, entry.data["by_clock"]) == (None, True)
    assert Annotation.objects.get(assignment=work).author == work.user
    seats_add_up()


def test_the_person_is_held_to_the_rules_until_the_end(work, now):
    for moment in (now, now + LIMIT * SECOND - SECOND):
        with pytest.raises(assignments.ResponseRefused):
            assignments.submit_response(
                assignment=work,
                response=GenerationResponse(kind="single"),
                by=work.user,
                now=moment,
            )


def test_active_time_does_not_go_beyond_the_limit(work, now):
    Assignment.objects.filter(pk=work.pk).update(seen_at=now + 710 * SECOND, active_seconds=700)
    time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE)
    assert row(work).active_seconds == 710


def test_text_that_comes_a_little_late_counts_and_is_marked(work, now):
    late = now + LIMIT * SECOND + 4 * SECOND
    save(work, single("1843"), late)
    time_limits.submit_overdue_work(now=late + limits.GRACE)
    assert row(work).at_limit == {"by": "clock", "late_seconds": 4.0}
    assert submitted_answer(work) == ["1843"]


def test_a_window_that_submits_a_little_late_is_marked_and_not_held_to_rules(work, now):
    late = now + LIMIT * SECOND + 4 * SECOND
    done = assignments.submit_response(
        assignment=work, response=GenerationResponse(kind="single"), by=work.user, now=late
    )
    assert done.assignment_id == work.pk
    assert row(work).at_limit == {"by": "window", "late_seconds": 4.0}


def test_text_that_comes_later_is_kept_but_is_not_submitted(work, now):
    save(work, single("1843"), now)
    late = now + LIMIT * SECOND + limits.GRACE
    with pytest.raises(Conflict, match="What was saved by then is submitted"):
        save(work, single("1869"), late)
    time_limits.submit_overdue_work(now=late)
    assert submitted_answer(work) == ["1843"]
    left_out = row(work).at_limit["left_out"]
    assert left_out["single"] == to_json(single("1869"))["single"]
    with pytest.raises(Conflict):
        save(work, single("1870"), late + MINUTE)
    assert row(work).at_limit["left_out"]["single"] == to_json(single("1870"))["single"]
    assert row(work).at_limit["by"] == "clock"


def test_a_window_that_submits_later_submits_the_last_draft(work, now):
    save(work, single("1843"), now)
    late = now + LIMIT * SECOND + MINUTE
    assignments.submit_response(assignment=work, response=single("1869"), by=work.user, now=late)
    assert submitted_answer(work) == ["1843"]
    assert row(work).at_limit["left_out"]["single"] == to_json(single("1869"))["single"]
    assert time_limits.submit_overdue_work(now=late) == 0


def test_what_another_window_overwrote_before_is_no_part_of_work_submitted_in_time(work, now):
    read_a_page(work, now, text="1843, 1869")
    assignments.submit_response(assignment=work, response=single("1843"), by=work.user, now=now)
    with pytest.raises(Conflict, match="You have submitted"):
        save(work, single("1869"), now + 2 * LIMIT * SECOND)
    assert row(work).at_limit == {}


def test_a_second_window_in_the_last_seconds_is_kept_too(work, now):
    save(work, single("1843"), now + MINUTE)
    with pytest.raises(drafts.DraftConflict):
        save(work, single("1869"), now + LIMIT * SECOND + SECOND, version=0)
    time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE)
    assert submitted_answer(work) == ["1843"]
    assert row(work).at_limit["left_out"]["single"] == to_json(single("1869"))["single"]


def test_nothing_written_is_submitted_as_nothing(work, now):
    assert time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE) == 1
    assert row(work).state == "submitted"


def test_hostile_text_after_the_end_is_stored_or_refused(work, now):
    late = now + LIMIT * SECOND + MINUTE
    for text in ("\x00", "\ud800", "\\u0000", "'; DROP TABLE x; --"):
        with pytest.raises(Conflict):
            save(work, single(text), late)
    with pytest.raises(Exception, match="too long"):
        save(work, single("w" * 500_000), late)


# --- projects and people --------------------------------------------------------------------------


def test_a_paused_project_submits_once_it_runs_again(project, work, now):
    save(work, single("1843"), now)
    late = now + LIMIT * SECOND + limits.GRACE
    for state in ("paused", "closed"):
        type(project).objects.filter(pk=project.pk).update(state=state)
        assert time_limits.submit_overdue_work(now=late) == 0
        assert not time_limits.submit_last_draft(assignment=row(work), now=late)
        assert row(work).state == "active"
    type(project).objects.filter(pk=project.pk).update(state="running")
    assert time_limits.submit_overdue_work(now=late) == 1


def test_a_late_press_in_a_paused_project_does_not_change_what_will_be_submitted(
    project, work, now
):
    save(work, single("1843"), now)
    type(project).objects.filter(pk=project.pk).update(state="paused")
    late = now + LIMIT * SECOND + MINUTE
    with pytest.raises(Conflict, match="paused"):
        assignments.submit_response(
            assignment=work, response=single("1869"), by=work.user, now=late
        )
    assert row(work).draft["single"] == to_json(single("1843"))["single"]
    assert row(work).at_limit["left_out"]["single"] == to_json(single("1869"))["single"]
    type(project).objects.filter(pk=project.pk).update(state="running")
    time_limits.submit_overdue_work(now=late + MINUTE)
    assert submitted_answer(work) == ["1843"]


def test_a_person_who_left_the_project_has_what_they_wrote_submitted(project, work, now):
    save(work, single("1843"), now)
    work.user.memberships.filter(project=project).delete()
    assert time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE) == 1
    assert submitted_answer(work) == ["1843"]


def test_work_the_team_returns_has_no_clock(project, work, now):
    read_a_page(work, now, text="1843, 1869")
    save(work, single("1843"), now)
    late = now + LIMIT * SECOND + limits.GRACE
    time_limits.submit_overdue_work(now=late)
    staff = factories.make_member(project, "admin")
    assignments.return_to_author(assignment=row(work), note="Look again.", by=staff, now=late)
    assert (row(work).limit_ends_at, row(work).at_limit) == (None, {})
    again = row(work)
    assignments.resume_assignment(assignment=again, by=again.user, now=late)
    assert time_limits.submit_overdue_work(now=late + dt.timedelta(days=1)) == 0
    assignments.submit_response(assignment=again, response=single("1869"), by=again.user, now=late)
    assert submitted_answer(work) == ["1869"]


def test_the_next_question_waits_until_it_is_asked_for(project, work, now):
    read_a_page(work, now, text="1843, 1869")
    add_question(project, now)
    following = assignments.submit_and_take(
        assignment=work, response=single(), by=work.user, now=now
    )
    assert following is None
    assert Assignment.objects.filter(user=work.user, state="active").count() == 0


def test_one_that_fails_does_not_keep_the_others_waiting(project, work, now, monkeypatch):
    other = take(project, factories.make_member(project, "annotator"), now)
    end, failed = time_limits.submit_last_draft, []

    def failing(*, assignment, now):
        if assignment.pk == work.pk:
            failed.append(assignment.pk)
            raise RuntimeError
        return end(assignment=assignment, now=now)

    monkeypatch.setattr(time_limits, "submit_last_draft", failing)
    assert time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE) == 1
    assert failed == [work.pk]
    assert row(other).state == "submitted"


def test_what_no_longer_fits_is_kept_and_the_seat_given_back(work, now, monkeypatch):
    def misfit(*args, **options):
        raise Conflict("The question has changed.")

    save(work, single("1843"), now)
    monkeypatch.setattr(stages.get_stage("generation"), "check_fits", misfit)
    assert time_limits.submit_overdue_work(now=now + LIMIT * SECOND + limits.GRACE) == 0
    assert row(work).state == "expired"
    assert row(work).draft["single"] == to_json(single("1843"))["single"]
    assert log_of(work)[-1] == "assignment_expired"
    seats_add_up()


def test_the_task_of_the_clock(work, monkeypatch):
    Assignment.objects.filter(pk=work.pk).update(limit_ends_at=timezone.now() - MINUTE)
    tasks.end_timed_work()
    assert row(work).state == "submitted"


# --- races ----------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(4))
def test_the_person_and_the_clock_at_once_submit_once(project, person, seed):
    now = timezone.now()
    work = take(project, person, now)
    save(work, single("1843"), now)
    end = now + LIMIT * SECOND + limits.GRACE

    def press():
        late = end if seed % 2 else end - SECOND
        assignments.submit_response(
            assignment=row(work), response=single("1869"), by=person, now=late
        )

    def type_on():
        save(row(work), single("1900"), end - SECOND)

    def clock():
        time_limits.submit_overdue_work(now=end)

    results = in_parallel([press, clock, clock, type_on, press, clock])
    assert not [
        each for each in results if isinstance(each, Exception) and not isinstance(each, Conflict)
    ]
    assert Annotation.objects.filter(assignment=work).count() == 1
    assert log_of(work).count("assignment_submitted") == 1
    stored = row(work)
    assert stored.state == "submitted"
    # Whatever was not submitted is kept, if it came after the submission and was not its text.
    [answer] = submitted_answer(work)
    assert answer in {"1843", "1869", "1900"}
    if isinstance(results[3], Conflict) and answer != "1900":
        assert "1900" in str(stored.at_limit["left_out"]) or "1869" in str(stored.at_limit)
    seats_add_up()
