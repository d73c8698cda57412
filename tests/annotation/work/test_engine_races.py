"""The engine's guarantees under real races: threads, each on its own PostgreSQL connection."""

import datetime as dt
import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.generation.responses import GenerationResponse, to_json
from annotation.models import Annotation, Assignment, AuditEntry, Question, Task
from annotation.work import assignments, drafts, tasks
from tests import factories, plans
from tests.annotation.work.helpers import (
    easy,
    in_parallel,
    multiple,
    read_a_page,
    seats_add_up,
    wait_until_one_is_blocked,
)

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = 12
TEXT = "It opened to people on foot in 1843 and to trains in 1869."
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def crowd(project):
    easy(project)
    return [
        factories.make_member(project, "annotator", name=f"P{number} Person")
        for number in range(PEOPLE)
    ]


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


NOTHING = GenerationResponse(kind="none", none_reason="Nothing there.")


def take(project, by, now):
    return assignments.take_next(project=project, stage="generation", by=by, now=now)


def test_12_connections_150_questions_2_people_each(project, crowd):
    questions = [factories.make_question(project) for _ in range(150)]
    tasks.open_tasks(question_ids=[question.pk for question in questions], now=timezone.now())
    plans.count_rows()

    def work(person):
        def until_none_is_left():
            count = 0
            while assignment := take(project, person, timezone.now()):
                read_a_page(assignment, timezone.now())
                assignments.submit_response(
                    assignment=assignment, response=NOTHING, by=person, now=timezone.now()
                )
                count += 1
            return count

        return until_none_is_left

    results = in_parallel([work(person) for person in crowd])
    assert not failures(results)
    assert sum(results) == 300
    for question in questions:
        people = Assignment.objects.filter(task__question=question).values_list("user", flat=True)
        assert len(people) == len(set(people)) == 2
    assert Annotation.objects.count() == 300
    assert set(Question.objects.values_list("state", flat=True)) == {"accepted"}
    seats_add_up()


def test_the_last_seats_are_all_found(project, crowd):
    """Who passes over a locked task must still get its second seat."""
    for _ in range(5):
        task = factories.make_task(project)
        results = in_parallel(
            [lambda by=person: take(project, by, timezone.now()) for person in crowd[:2]]
        )
        assert [result.task_id for result in results] == [task.pk, task.pk]
        Assignment.objects.update(
            state="submitted",
            submitted_at=timezone.now(),
            ended_at=timezone.now(),
            lease_ends_at=None,
        )


def test_one_person_who_clicks_eight_times_gets_one(project, crowd):
    for _ in range(20):
        factories.make_task(project)
    results = in_parallel([lambda: take(project, crowd[0], timezone.now())] * 8)
    assert not failures(results)
    assert len({result.pk for result in results}) == 1
    assert Assignment.objects.count() == 1
    seats_add_up()


def test_eight_racing_submits_give_one_response(project, crowd):
    ann = crowd[0]
    now = timezone.now()
    assignment = factories.make_assignment(factories.make_task(project), ann)
    read_a_page(assignment, now, TEXT)

    def submit():
        mine = Assignment.objects.get(pk=assignment.pk)
        return assignments.submit_response(assignment=mine, response=multiple(), by=ann, now=now).pk

    results = in_parallel([submit] * 8)
    assert not failures(results)
    assert len(set(results)) == 1
    assert Annotation.objects.count() == 1
    assert AuditEntry.objects.filter(action="assignment_submitted").count() == 1


def test_the_last_two_answers_arrive_together(project, crowd):
    """Each must count the other, or the question would wait for ever at 1 of 2."""
    now = timezone.now()
    for _ in range(5):
        task = factories.make_task(project)
        held = []
        for person in crowd[:2]:
            task.refresh_from_db()
            held.append(factories.make_assignment(task, person))
            read_a_page(held[-1], now)
        results = in_parallel(
            [
                lambda each=each: assignments.submit_response(
                    assignment=each, response=NOTHING, by=each.user, now=now
                )
                for each in held
            ]
        )
        assert not failures(results)
        assert Question.objects.get(pk=task.question_id).state == "accepted"


def test_ended_leases_are_reclaimed_once_while_twelve_ask_for_work(project, crowd):
    now = timezone.now()
    gone = [factories.make_user(name=f"Gone {number}") for number in range(6)]
    project.policies.filter(split="dev").update(people=1)
    for person in gone:
        task = factories.make_task(project, seats=1)
        state = "parked" if person is gone[0] else "active"
        factories.make_assignment(task, person, state, lease_ends_at=now - HOUR)
    results = in_parallel([lambda by=person: take(project, by, now) for person in crowd])
    assert not failures(results)
    assert len([result for result in results if result]) == 6
    assert AuditEntry.objects.filter(action="assignment_expired").count() == 6
    assert Assignment.objects.filter(state="expired").count() == 6
    assert Assignment.objects.filter(state="active").count() == 6
    seats_add_up()


def test_a_seat_given_back_while_another_is_being_taken_is_counted_right(project, crowd):
    """The count waits for the taker, whose assignment nobody else can see yet."""
    ann, ben = crowd[:2]
    task = factories.make_task(project)
    held = factories.make_assignment(task, ann)
    taken, result = threading.Event(), []

    def slowly_take():
        with transaction.atomic():
            result.append(take(project, ben, timezone.now()))
            taken.set()
            wait_until_one_is_blocked()

    def give_back():
        assert taken.wait(timeout=30)
        assignments.give_back(assignment=held, by=ann, now=timezone.now())

    assert not failures(in_parallel([slowly_take, give_back]))
    assert result[0].task_id == task.pk
    task.refresh_from_db()
    assert task.seats == 1
    seats_add_up()


def test_late_submits_and_takers_race_for_the_seats(project, crowd):
    now = timezone.now()
    project.policies.filter(split="dev").update(people=1)
    late, takers = crowd[:6], crowd[6:]
    mine = []
    for person in late:
        task = factories.make_task(project, seats=1)
        mine.append(factories.make_assignment(task, person, lease_ends_at=now - HOUR))
        read_a_page(mine[-1], now, TEXT if person is late[0] else None)
    jobs = [
        lambda each=each: assignments.submit_response(
            assignment=each, response=multiple(), by=each.user, now=now
        )
        for each in mine
    ] + [lambda by=person: take(project, by, now) for person in takers]
    results = in_parallel(jobs)
    assert all(isinstance(error, Conflict) for error in failures(results)), results
    for task in Task.objects.all():
        holders = task.assignments.filter(state__in=["active", "submitted"])
        assert holders.count() <= 1
    for each in mine:
        each.refresh_from_db()
        # Either in, or kept as the draft: never lost.
        assert each.draft == to_json(multiple())
    seats_add_up()


def test_skip_submit_and_park_at_once_end_in_one_state(project, crowd):
    ann, now = crowd[0], timezone.now()
    for round_ in range(6):
        assignment = factories.make_assignment(factories.make_task(project), ann)
        read_a_page(assignment, now, TEXT if round_ == 0 else None)

        def mine(pk=assignment.pk):
            return Assignment.objects.get(pk=pk)

        in_parallel(
            [
                lambda: assignments.submit_response(
                    assignment=mine(), response=multiple(), by=ann, now=now
                ),
                lambda: assignments.skip_question(
                    assignment=mine(), reason="subjective", by=ann, now=now
                ),
                lambda: assignments.park_assignment(assignment=mine(), reason="x", by=ann, now=now),
                lambda: assignments.give_back(assignment=mine(), by=ann, now=now),
            ]
        )
        assignment.refresh_from_db()
        assert assignment.state in ("submitted", "skipped", "parked", "returned")
        has_annotation = Annotation.objects.filter(assignment=assignment).exists()
        assert has_annotation == (assignment.state == "submitted")
        seats_add_up()
        Assignment.objects.filter(pk=assignment.pk, state="parked").update(
            state="returned", ended_at=now, lease_ends_at=None
        )
        Task.objects.update(seats=0)
        Assignment.objects.all().delete()
        Task.objects.all().delete()


def test_racing_draft_saves_one_wins(project, crowd):
    ann, now = crowd[0], timezone.now()
    assignment = factories.make_assignment(factories.make_task(project), ann)
    results = in_parallel(
        [
            lambda number=number: drafts.save_draft(
                assignment=Assignment.objects.get(pk=assignment.pk),
                draft={"none_reason": f"tab {number}"},
                version=0,
                by=ann,
                now=now,
            )
            for number in range(8)
        ]
    )
    assert [result for result in results if not isinstance(result, Exception)] == [1]
    assert all(isinstance(error, drafts.DraftConflict) for error in failures(results))
    assignment.refresh_from_db()
    assert {error.theirs["none_reason"] for error in failures(results)} == {
        assignment.draft["none_reason"]
    }


def test_people_change_while_everybody_takes_gives_back_and_submits(project, crowd):
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    policy = project.policies.get(split="dev")
    for _ in range(30):
        factories.make_task(project)

    def work(person, number):
        def go():
            for turn in range(15):
                assignment = take(project, person, timezone.now())
                if assignment is None:
                    continue
                if (turn + number) % 3 == 0:
                    assignments.give_back(assignment=assignment, by=person, now=timezone.now())
                else:
                    read_a_page(assignment, timezone.now())
                    assignments.submit_response(
                        assignment=assignment, response=NOTHING, by=person, now=timezone.now()
                    )

        return go

    def change():
        for people in (3, 1, 4, 2) * 3:
            tasks.change_people(policy=policy, people=people, by=rosa, now=timezone.now())

    results = in_parallel([change, *[work(person, n) for n, person in enumerate(crowd[:8])]])
    assert not failures(results), failures(results)
    policy.refresh_from_db()
    assert policy.people == 2
    seats_add_up()
    for question in Question.objects.all():
        submitted = Assignment.objects.filter(task__question=question, state="submitted").count()
        wanted = "imported" if submitted == 0 else "generating" if submitted < 2 else "accepted"
        assert question.state == wanted


def test_tasks_made_while_people_change_have_the_right_seats(project, crowd):
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    policy = project.policies.get(split="dev")
    ids = [factories.make_question(project).pk for _ in range(40)]

    def open_them():
        for pk in ids:
            tasks.open_tasks(question_ids=[pk], now=timezone.now())

    def change():
        for people in (3, 1, 4, 2):
            tasks.change_people(policy=policy, people=people, by=rosa, now=timezone.now())

    assert not failures(in_parallel([open_them, change]))
    assert Task.objects.count() == 40
    seats_add_up()


def test_two_imports_of_the_same_questions_make_each_task_once(project):
    ids = [factories.make_question(project).pk for _ in range(200)]
    results = in_parallel([lambda: tasks.open_tasks(question_ids=ids, now=timezone.now())] * 4)
    assert not failures(results)
    assert sum(results) == Task.objects.count() == 200


def test_resume_and_take_next_race_for_the_one_open_place(project, crowd):
    ann, now = crowd[0], timezone.now()
    for _ in range(5):
        parked = factories.make_assignment(factories.make_task(project), ann, "parked")
        factories.make_task(project)
        in_parallel(
            [
                lambda each=parked: assignments.resume_assignment(assignment=each, by=ann, now=now),
                lambda: take(project, ann, now),
            ]
        )
        assert Assignment.objects.filter(user=ann, state="active").count() == 1
        seats_add_up()
        Assignment.objects.filter(user=ann).delete()
        Task.objects.all().delete()


def test_a_reader_in_another_connection_never_sees_half_a_submission(project, crowd):
    """The state, the annotation and the audit row appear together."""
    ann, now = crowd[0], timezone.now()
    assignment = factories.make_assignment(factories.make_task(project), ann)
    read_a_page(assignment, now, TEXT)
    seen = set()

    def watch():
        for _ in range(200):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT a.state, (SELECT count(*) FROM annotation_annotation), "
                    "(SELECT count(*) FROM annotation_auditentry "
                    " WHERE action = 'assignment_submitted') "
                    "FROM annotation_assignment a"
                )
                seen.add(cursor.fetchone())

    def submit():
        assignments.submit_response(assignment=assignment, response=multiple(), by=ann, now=now)

    assert not failures(in_parallel([watch, submit]))
    assert seen <= {("active", 0, 0), ("submitted", 1, 1)}
