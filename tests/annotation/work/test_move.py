"""Questions move to another split while nobody has had them."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, AuditEntry, Question, Task
from annotation.questions import services as questions_services
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import easy, in_parallel, seats_add_up


def opened(project, number=1, split="train"):
    found = [factories.make_question(project, split=split) for _ in range(number)]
    tasks.open_tasks(question_ids=[each.pk for each in found], now=timezone.now())
    return [each.pk for each in found]


def move(project, ids, by, split="dev"):
    return questions_services.move_questions(
        project=project, question_ids=ids, split=split, by=by, now=timezone.now()
    )


@pytest.mark.django_db
class TestMove:
    def test_it_is_asked_as_its_new_split_asks(self, project, ann, rosa, now):
        [pk] = opened(project)
        assert move(project, [pk], rosa) == 1
        task = Task.objects.get(question=pk)
        assert (task.policy.split, task.seats) == ("dev", 2)
        assert Question.objects.get(pk=pk).split == "dev"
        entry = AuditEntry.objects.get(action="question_moved")
        assert entry.data == {"before": "train", "after": "dev"}
        seats_add_up()

    def test_none_moves_where_somebody_has_had_one(self, project, ann, rosa, now):
        ids = opened(project, 3)
        assignments.take_next(project=project, stage="generation", by=ann, now=now)
        with pytest.raises(Conflict, match="worked on 1 of these questions"):
            move(project, ids, rosa)
        assert set(Question.objects.values_list("split", flat=True)) == {"train"}

    def test_only_staff_and_only_real_splits(self, project, ann, rosa):
        [pk] = opened(project)
        with pytest.raises(Denied):
            move(project, [pk], ann)
        with pytest.raises(Conflict, match="Choose the split"):
            move(project, [pk], rosa, split="gold")
        with pytest.raises(Conflict, match="in train already"):
            move(project, [pk], rosa, split="train")

    def test_statements_do_not_grow(self, project, rosa, django_assert_max_num_queries):
        ids = opened(project, 40)
        with django_assert_max_num_queries(25):
            assert move(project, ids, rosa) == 40


@pytest.mark.django_db(transaction=True)
def test_takers_race_a_move(project, rosa):
    """A question is moved, or somebody has it in its old split: never both."""
    easy(project)
    crowd = [factories.make_member(project, "annotator", name=f"P{n} Person") for n in range(5)]
    for _ in range(8):
        [pk] = opened(project)
        results = in_parallel(
            [
                lambda pk=pk: move(project, [pk], rosa, "test"),
                *(
                    lambda by=person: assignments.take_next(
                        project=project, stage="generation", by=by, now=timezone.now()
                    )
                    for person in crowd
                ),
            ]
        )
        moved, *taken = results
        assert not [each for each in taken if isinstance(each, Exception)]
        assert moved == 1 or isinstance(moved, Conflict)
        question = Question.objects.get(pk=pk)
        assert question.split == ("test" if moved == 1 else "train")
        for turn in Assignment.objects.select_related("policy"):
            assert turn.policy.split == question.split
        seats_add_up()
        Assignment.objects.all().delete()
        Question.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_a_move_races_a_change_of_people(project, rosa):
    for people in (3, 4, 2, 5):
        ids = opened(project, 5)
        policy = project.policies.get(stage="generation", split="dev")
        results = in_parallel(
            [
                lambda ids=ids: move(project, ids, rosa),
                lambda policy=policy, people=people: tasks.change_people(
                    policy=policy, people=people, by=rosa, now=timezone.now()
                ),
            ]
        )
        assert not [each for each in results if isinstance(each, Exception)]
        seats_add_up()
