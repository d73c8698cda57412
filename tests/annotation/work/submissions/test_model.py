"""What can never be false of a submission that is kept as JSON."""

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Submission
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn(project, ann):
    return factories.make_assignment(factories.make_task(project), ann, state="submitted")


def submit(turn, now, **changes):
    fields = {"assignment": turn, "question": turn.task.question, "author": turn.user}
    fields |= {"stage": turn.stage, "response": {"why": "1843"}, "created_at": now}
    with transaction.atomic():
        return Submission.objects.create(**fields | changes)


def test_there_is_one_for_an_assignment(turn, now):
    assert submit(turn, now).keeps == []
    with pytest.raises(IntegrityError, match="annotation_submission_assignment_id_key"):
        submit(turn, now)


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"stage": ""}, "submission_of_a_stage"),
        ({"response": ["1843"]}, "submission_response_is_an_object"),
        ({"response": "1843"}, "submission_response_is_an_object"),
    ],
)
def test_it_is_an_object_of_a_stage(turn, now, changes, constraint):
    with pytest.raises(IntegrityError, match=constraint):
        submit(turn, now, **changes)
