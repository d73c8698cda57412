"""A project with a question ready for the stage under test, and the people who work on it."""

import datetime as dt
from contextlib import nullcontext
from types import SimpleNamespace

from django.utils import timezone

from annotation.models import Assignment
from annotation.stages import registry as stages
from tests import factories
from tests.stages import recipe
from tests.stages.examples import EXAMPLES, Example
from tests.stages.window import Window


def example_of(stage: str) -> Example:
    """Return the example of a stage; whoever adds a stage is told here what is missing."""
    if stage == recipe.STAGE:
        return recipe.example()
    if stage not in EXAMPLES:
        raise LookupError(
            f"The stage {stage!r} has no example in tests/stages/examples.py. Add one: it puts the "
            "stage under the tests that every stage has to pass."
        )
    return EXAMPLES[stage]


def pytest_generate_tests(metafunc):
    """Run each test that asks for a stage once for every registered one, and for the recipe's.

    A module about some of them names these in STAGES.
    """
    if "stage" in metafunc.fixturenames:
        every = [*(stage.key for stage in stages.list_stages()), recipe.STAGE]
        keys = getattr(metafunc.module, "STAGES", every)
        metafunc.parametrize("stage", [key for key in keys if example_of(key)], scope="module")


def at_hand(stage):
    """Have the stage registered: the one of the recipe is only there while it is tested."""
    return recipe.registered() if stage == recipe.STAGE else nullcontext()


def make_scene(stage, now):
    """Return one question ready, a worker, a colleague with the same role, and staff."""
    example = example_of(stage)
    project = example.project()
    role = stages.get_stage(stage).role
    people = {
        "worker": factories.make_member(project, role, name="Wanda Wren"),
        "colleague": factories.make_member(project, role, name="Crispin Thistlewood"),
        "staff": factories.make_member(project, "admin", name="Agatha Stonecrop"),
    }
    question = example.ready(project, now)
    return SimpleNamespace(project=project, question=question, example=example, **people)


def taken(user, project, stage):
    """Return somebody's window, with the next question in hand and what is to be read opened."""
    window = Window(user, project, stage).take_unseen()
    example_of(stage).read(window.assignment)
    return window.open()


def end_lease(window):
    """Let the time for the question run out; it is noticed when somebody asks for work."""
    past = timezone.now() - dt.timedelta(hours=3)
    Assignment.objects.filter(pk=window.assignment.pk).update(
        lease_ends_at=past, seen_at=past, started_at=past
    )
