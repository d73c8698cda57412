"""Annotations that were made here: read, released, counted."""

import json

import pytest
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.models import Assignment, Question, Submission
from natural_questions.annotation import NULL, PageAnnotation, PageSpan, Path, to_json
from natural_questions.answers import read_question_chunks
from tests import factories
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in
from tests.natural_questions.test_release import released

pytestmark = pytest.mark.django_db
PEOPLE = 25


@pytest.fixture
def project(db):
    project = factories.make_project(protocol="nq", policies=False)
    project.policies.create(stage="nq", split="dev", people=PEOPLE, minimum_seconds=0)
    bring_in(project, samples.original())
    return project


def submit(project, annotations, **fields):
    question = project.questions.get()
    task = question.tasks.get()
    now = timezone.now()
    for number, annotation in enumerate(annotations):
        user = factories.make_user(f"Person {number}")
        assignment = factories.make_assignment(task, user, state="submitted")
        Assignment.objects.filter(pk=assignment.pk).update(submitted_at=now, **fields)
        Submission.objects.create(
            assignment=assignment,
            question=question,
            author=user,
            stage="nq",
            response={"good": "yes", "annotation": to_json(annotation)},
            created_at=now,
        )
    Question.objects.update(state=Question.State.ACCEPTED)


def found(project):
    with snapshot():
        return [each for some in read_question_chunks(project, None) for each in some]


def test_the_annotations_of_25_people_stay_apart(project):
    years = PageAnnotation(
        good=True,
        long=PageSpan(4, 23, 18, 108),
        candidate=0,
        short=(PageSpan(17, 18, 85, 89),),
        seconds={"question": 3.5},
    )
    submit(project, [years] * 14 + [NULL] * 10 + [PageAnnotation(good=False, reason="opinion")])
    [question] = found(project)
    assert len(question.annotations) == PEOPLE
    assert len({each.annotation_id for each in question.annotations}) == PEOPLE
    assert [each.path for each in question.annotations].count(Path.SHORT) == 14
    assert question.annotations[0].seconds == {"question": 3.5}
    assert question.imported == 0
    [record] = map(json.loads, released(project, "original")[0].splitlines())
    assert len(record["annotations"]) == PEOPLE
    first = record["annotations"][0]
    assert isinstance(first["annotation_id"], int)
    assert first["short_answers"][0]["start_byte"] == 85
    nothing = record["annotations"][-1]
    assert nothing["long_answer"] == {"candidate_index": -1, **samples.NOWHERE}


def test_annotations_in_the_file_do_not_count_unless_they_are_finished(project):
    submit(project, [NULL])
    assert len(found(project)[0].annotations) == 1


def test_work_that_is_not_used_is_left_out(project):
    submit(project, [NULL], used=False)
    assert found(project)[0].annotations == ()
    assert released(project, "simplified")[0] == b""


@pytest.mark.usefixtures("same_each_time")
def test_no_file_of_work_of_people_changes_by_a_byte(project):
    bad = PageAnnotation(good=False, reason="opinion")
    submit(project, [NULL] * 3 + [bad])
    check_digests("nq people", project)
