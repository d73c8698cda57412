"""Files of projects in which nothing has happened."""

import pytest

from annotation.protocols import registry as protocols
from tests import factories
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("same_each_time")
@pytest.mark.parametrize("protocol", [each.key for each in protocols.list_protocols()])
def test_no_file_of_an_empty_project_changes_by_a_byte(protocol):
    check_digests(f"empty {protocol}", factories.make_project(protocol=protocol))
