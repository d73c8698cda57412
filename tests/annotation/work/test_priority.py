"""Questions that the team wants first or last: who gets them when, and what follows."""

import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.home.ready import list_ready_stages
from annotation.models import Assignment, AuditEntry, Question, Task
from annotation.questions import services as questions_services
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import in_parallel, seats_add_up, wait_until_one_is_blocked


def opened(project, number=5, **fields):
    ids = [factories.make_question(project, **fields).pk for _ in range(number)]
    tasks.open_tasks(question_ids=ids, now=timezone.now())
    return ids


def prioritise(project, ids, priority, by):
    return questions_services.prioritise_questions(
        project=project, question_ids=ids, priority=priority, by=by, now=timezone.now()
    )


def take(project, by, now, stage="generation"):
    """Take the next question and be done with it; returns the question's id, None for none."""
    turn = assignments.take_next(project=project, stage=stage, by=by, now=now)
    if turn is None:
        return None
    Assignment.objects.filter(pk=turn.pk).update(
        state="submitted", submitted_at=now, ended_at=now, lease_ends_at=None
    )
    return turn.task.question_id


def all_of(project, by, now):
    return list(iter(lambda: take(project, by, now), None))


@pytest.mark.django_db
class TestOrder:
    def test_first_comes_next_for_who_has_started_and_for_a_newcomer(
        self, project, ann, ben, rosa, now
    ):
        ids = opened(project)
        assert [take(project, ann, now), take(project, ann, now)] == ids[:2]
        prioritise(project, [ids[3], ids[4]], "FIRST", rosa)
        assert all_of(project, ann, now) == [ids[3], ids[4], ids[2]]
        assert all_of(project, ben, now) == [ids[3], ids[4], ids[0], ids[1], ids[2]]

    def test_then_on_from_where_the_person_had_stopped(self, project, ann, rosa, now):
        ids = opened(project)
        Task.objects.filter(question__in=ids[:2]).update(seats=0)
        assert take(project, ann, now) == ids[2]
        Task.objects.filter(question__in=ids[:2]).update(seats=1)
        prioritise(project, [ids[1]], "FIRST", rosa)
        assert all_of(project, ann, now) == [ids[1], ids[3], ids[4], ids[0]]

    def test_last_comes_after_all_others_even_those_behind(self, project, ann, ben, rosa, now):
        ids = opened(project)
        Task.objects.filter(question=ids[0]).update(seats=0)
        assert take(project, ann, now) == ids[1]
        Task.objects.filter(question=ids[0]).update(seats=1)
        prioritise(project, [ids[2]], "LAST", rosa)
        assert all_of(project, ann, now) == [ids[3], ids[4], ids[0], ids[2]]

    def test_last_stays_last_when_more_is_imported(self, project, ann, rosa, now):
        ids = opened(project, 3)
        prioritise(project, ids[:2], "LAST", rosa)
        assert [take(project, ann, now), take(project, ann, now)] == [ids[2], ids[0]]
        later = opened(project, 1)
        assert all_of(project, ann, now) == [*later, ids[1]]

    def test_normal_is_the_order_of_import_again(self, project, ann, rosa, now):
        ids = opened(project)
        prioritise(project, [ids[3]], "FIRST", rosa)
        prioritise(project, [ids[0]], "LAST", rosa)
        assert prioritise(project, ids, "NORMAL", rosa) == 2
        assert all_of(project, ann, now) == ids

    def test_who_has_one_in_hand_goes_on_with_it(self, project, ann, rosa, now):
        ids = opened(project, 2)
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        prioritise(project, [ids[0]], "LAST", rosa)
        prioritise(project, [ids[1]], "FIRST", rosa)
        again = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        assert again.pk == turn.pk
        seats_add_up()


@pytest.mark.django_db
class TestTasksOpenedLater:
    def test_validation_is_handed_out_first_and_last_too(self, project, rosa, now):
        project.policies.create(stage="validation", split="dev", people=1)
        val = factories.make_member(project, "validator", name="Vic Validator")
        ids = opened(project, 3)
        prioritise(project, [ids[0]], "LAST", rosa)
        prioritise(project, [ids[2]], "FIRST", rosa)
        Question.objects.filter(pk__in=ids).update(state="validating")
        tasks.open_tasks(question_ids=ids, now=now)
        assert Task.objects.filter(policy__stage="validation").count() == 3
        given = [take(project, val, now, "validation") for _ in ids]
        assert given == [ids[2], ids[1], ids[0]]

    def test_moved_to_another_split_they_keep_it(self, project, ann, rosa, now):
        ids = opened(project, 3, split="train")
        prioritise(project, [ids[2]], "FIRST", rosa)
        questions_services.move_questions(
            project=project, question_ids=ids, split="dev", by=rosa, now=now
        )
        assert take(project, ann, now) == ids[2]


@pytest.mark.django_db
class TestService:
    def test_each_change_is_in_the_log(self, project, rosa):
        ids = opened(project, 3)
        prioritise(project, ids[:1], "FIRST", rosa)
        assert prioritise(project, ids, "FIRST", rosa) == 2
        entries = AuditEntry.objects.filter(action="question_priority").order_by("pk")
        assert [each.target for each in entries] == [f"question:{pk}" for pk in ids]
        assert entries[0].data == {"before": "normal", "after": "first"}
        assert entries[0].actor == rosa.pk

    def test_what_cannot_be_done_changes_nothing(self, project, ann, rosa):
        ids = opened(project, 1)
        other = opened(factories.make_project(), 1)
        with pytest.raises(Denied):
            prioritise(project, ids, "FIRST", ann)
        with pytest.raises(Conflict, match="Choose when"):
            prioritise(project, ids, "-1", rosa)
        with pytest.raises(Conflict, match="Choose at least one"):
            prioritise(project, [], "FIRST", rosa)
        with pytest.raises(Conflict, match="“Normal” already"):
            prioritise(project, ids, "NORMAL", rosa)
        with pytest.raises(Conflict, match="already"):
            prioritise(project, other, "FIRST", rosa)
        assert set(Question.objects.values_list("priority", flat=True)) == {0}
        assert not AuditEntry.objects.filter(action="question_priority").exists()

    def test_statements_do_not_grow(self, project, rosa, django_assert_num_queries):
        ids = opened(project, 40)
        with django_assert_num_queries(8):  # with the savepoint and its release
            assert prioritise(project, ids, "FIRST", rosa) == 40

    def test_home_counts_the_same(self, project, ann, rosa, now):
        ids = opened(project, 6)
        take(project, ann, now)

        def count():
            return [each.open for each in list_ready_stages(ann, now=now, active=[])]

        assert count() == [5]
        prioritise(project, ids[3:], "FIRST", rosa)
        prioritise(project, [ids[1]], "LAST", rosa)
        assert count() == [5]
        take(project, ann, now)
        assert count() == [4]


@pytest.mark.django_db
def test_every_place_is_read_from_the_index_of_open_tasks(project, ann, now):
    """Where something comes first, each place is looked up in the index, not only the first."""
    policy = project.policies.get(stage="generation", split="dev")
    number = 3000
    Question.objects.bulk_create(
        Question(project=project, external_id=f"x{n}", text="why", split="dev", created_at=now)
        for n in range(number)
    )
    Task.objects.bulk_create(
        Task(policy=policy, question=each, seats=1, position=each.pk, created_at=now)
        for each in Question.objects.filter(project=project)
    )
    Task.objects.filter(pk=Task.objects.earliest("pk").pk).update(position=-1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_task")
        with CaptureQueriesContext(connection) as captured:
            take(project, ann, now)
        (taking,) = [each["sql"] for each in captured if "EXECUTE" in each["sql"]][-1:]
        cursor.execute(f"EXPLAIN {taking}")
        lines = [row[0] for row in cursor.fetchall()]
    for name in ("first", "ahead", "behind", "last"):
        at = next(place for place, line in enumerate(lines) if line.strip() == f"CTE {name}")
        scan = next(line for line in lines[at:] if "annotation_task t" in line)
        assert "Index Scan using task_open_by_position" in scan, "\n".join(lines)
        condition = next(line for line in lines[at:] if "Index Cond" in line and "position" in line)
        assert "policy_id" in condition


@pytest.mark.django_db(transaction=True)
def test_takers_race_changes_of_priority(project, rosa):
    """Every seat is found once, however often its task changes place meanwhile."""
    crowd = [factories.make_member(project, "annotator", name=f"P{n} Person") for n in range(6)]
    ids = opened(project, 30)
    going = threading.Event()

    def work(person):
        return lambda: all_of(project, person, timezone.now())

    def change():
        try:
            for turn in range(12):
                chosen = ids[turn % 3 :: 3]
                prioritise(project, chosen, ("FIRST", "LAST", "NORMAL")[turn // 3 % 3], rosa)
        finally:
            going.set()

    results = in_parallel([change, *map(work, crowd)])
    assert not [each for each in results if isinstance(each, Exception)], results
    assert going.is_set()
    # Somebody may have found the last tasks locked, and looked in vain while they moved.
    left = [take(project, person, timezone.now()) for person in crowd for _ in range(2)]
    given = [pk for each in results[1:] for pk in each] + [pk for pk in left if pk]
    assert sorted(given) == sorted(ids * 2)
    for found in results[1:]:
        assert len(found) == len(set(found))
    seats_add_up()


@pytest.mark.django_db(transaction=True)
def test_a_task_opened_while_its_priority_changes_gets_the_new_place(project, rosa):
    project.policies.create(stage="validation", split="dev", people=1)
    [pk] = opened(project, 1)
    Question.objects.filter(pk=pk).update(state="validating")
    changed = threading.Event()

    def change():
        with transaction.atomic():
            prioritise(project, [pk], "FIRST", rosa)
            changed.set()
            wait_until_one_is_blocked()

    def open_it():
        assert changed.wait(timeout=30)
        return tasks.open_units(
            stage="validation", project=project, units=[(pk, "")], now=timezone.now()
        )

    assert in_parallel([change, open_it]) == [None, 1]
    assert all(position < 0 for position in Task.objects.values_list("position", flat=True))
