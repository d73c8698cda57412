"""Files of projects in which nothing has happened, and of one in which everything has."""

import pytest

from annotation.protocols import registry as protocols
from tests import factories
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from tests.validation.release.test_validations_export import make_world

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("same_each_time")
@pytest.mark.parametrize("protocol", [each.key for each in protocols.list_protocols()])
def test_no_file_of_an_empty_project_changes_by_a_byte(protocol):
    check_digests(f"empty {protocol}", factories.make_project(protocol=protocol))


@pytest.mark.usefixtures("same_each_time")
def test_no_file_of_decisions_and_claims_changes_by_a_byte():
    check_digests("claims", make_world().project)
