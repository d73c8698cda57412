"""Who is no longer a validator keeps what they did, and reads nothing new of anybody."""

import pytest

from annotation.models import Assignment, Membership
from annotation.people import services as people_services
from annotation.work import assignments
from tests import factories
from tests.validation.conftest import one
from tests.validation.verdicts.conftest import HX, url

NEW = "the year 1176"


@pytest.fixture
def left(project, turn, browser, val, ann, rosa, ada, answer, now):
    """Val's open window, after Val lost the role and somebody else answered."""
    browser.open()
    role = Membership.objects.get(user=val, role="validator")
    people_services.remove_role(membership=role, by=ada, now=now)
    work = Assignment.objects.get(user=ann)
    assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
    carl = factories.make_member(project, "annotator", name="Carl Cole")
    answer(project, carl, one(NEW))
    return browser


@pytest.mark.parametrize("name", ["draft", "submit"])
@pytest.mark.parametrize("headers", [HX, {}])
@pytest.mark.parametrize("version", [None, "99"])
def test_nothing_new_is_shown_and_what_was_typed_is_kept(left, turn, name, headers, version):
    fields = left.fields | {"feedback": "Mine.", **({"version": version} if version else {})}
    answer = left.client.post(url(name, turn), fields, headers=headers, follow=True)
    assert NEW not in answer.text
    assert "no longer have the role" in answer.text
    turn.refresh_from_db()
    assert turn.draft["feedback"] == "Mine."
    assert NEW not in left.client.get(url("page", turn)).text
