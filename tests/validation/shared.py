"""The simulated project, made once for a module: each test rolls back what it changes.

Who asks for `world` has its project, its people and its moment under their usual names. What is
shared is `make_world()` of the module, or else that of tests.validation.simulated. A test that
does not ask for it has a project of its own beside it. Tests with real transactions cannot be
in such a module.
"""

import copy

import pytest
from django.db import transaction


@pytest.fixture(scope="module")
def shared_world(request, plain_settings, django_db_setup, django_db_blocker):
    from tests.validation import simulated  # which needs a conftest that has these fixtures

    make_world = getattr(request.module, "make_world", simulated.make_world)
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


@pytest.fixture
def world(shared_world, db):
    return copy.deepcopy(shared_world)


def of_world(name):
    """Return a fixture: what the world has under this name, or else what everybody has."""

    @pytest.fixture(name=name)
    def find(request):
        world = request.getfixturevalue("world") if "world" in request.fixturenames else None
        return getattr(world, name, None) or request.getfixturevalue(name)

    return find


project_of_world = of_world("project")
moment_of_world = of_world("now")
ann_of_world, ben_of_world, val_of_world = map(of_world, ("ann", "ben", "val"))
rosa_of_world = of_world("rosa")
