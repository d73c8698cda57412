"""People who left a project keep what they typed, and read nothing new in it."""

import pytest
from django.urls import reverse

from annotation.models import Membership
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def left(project, ann):
    """Ann's assignment after her last role was taken."""
    assignment = factories.make_assignment(factories.make_task(project), ann, state="returned")
    Membership.objects.filter(user=ann).delete()
    return assignment


@pytest.mark.parametrize(
    ("name", "more"), [("work-guidelines", []), ("work-search", []), ("work-read", ["Any_page"])]
)
def test_nothing_new_is_read(client_as, ann, left, name, more):
    assert client_as(ann).get(reverse(name, args=[left.pk, *more])).status_code == 404


def test_the_own_text_stays(client_as, ann, left):
    assert client_as(ann).get(reverse("work-page", args=[left.pk])).status_code == 200
