"""A stage for these tests: is the answer that is shown right? With known-wrong copies."""

from contextlib import contextmanager
from dataclasses import replace

from django.db import connection
from django.utils import timezone

from annotation.golds import services as golds_services
from annotation.golds.queries import shown_of
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from annotation.stages.choice_golds import ChoiceGolds
from annotation.stages.gold_items import COPIES, FINISHED, Gold
from annotation.work import assignments, tasks
from tests import factories
from tests.stages import recipe

STAGE = recipe.STAGE
RATE = 10
SPARE = 5


class Copies(ChoiceGolds):
    """An answer of another question is wrong here: people should say no."""

    sources = (COPIES, FINISHED)

    def make_wrong_copies(self, hosts, *, draw):
        from annotation.models import Question

        spare = Question.objects.filter(project__questions=hosts[0].question, split="test")
        pool = list(spare.order_by("pk"))
        copies = {}
        for host in hosts:
            origin = draw.choice(pool)
            copies[host.task] = Gold(
                question=host.question,
                unit=host.unit,
                content={"answer": origin.context["answer"]},
                expected={"verdict": "no"},
                origin=origin.pk,
            )
        return copies


@contextmanager
def registered():
    """Have the stage, with its protocol."""
    with recipe.registered():
        from ambiguity.stage import Ambiguity

        class Checks(Ambiguity):
            golds = Copies(STAGE, Ambiguity.sheet)

            def build_sheet_context(self, assignment, *, now):
                given = super().build_sheet_context(assignment, now=now)
                shown = shown_of(assignment.task)
                return replace(given, context={**given.context, **shown.content})

        stages.register(Checks())
        assert protocols.get_protocol(STAGE).stages == (STAGE,)
        yield


def number_tasks():
    """Let the numbers of new tasks begin at a million, until the test is rolled back.

    Lots hang on them: with other numbers other items are drawn, now and then many or few.
    """
    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE annotation_task_id_seq RESTART WITH 1000000")


def make(questions=30, people=1, **fields):
    """Return a project with open tasks; each question has an answer that is right."""
    project = factories.make_project(protocol=STAGE, policies=False, **fields)
    project.policies.create(stage=STAGE, split="dev", people=people, minimum_seconds=0)
    rows = [
        factories.make_question(
            project, text=f"where is crossing {place}", context={"answer": f"by pier {place}"}
        )
        for place in range(questions)
    ]
    tasks.open_tasks(question_ids=[row.pk for row in rows], now=timezone.now())
    # Questions that no one is asked, whose answers are wrong for the others.
    for place in range(questions, questions + SPARE):
        factories.make_question(project, split="test", context={"answer": f"by pier {place}"})
    return project


def plan(project, **settings):
    """Mix gold items in, by the system."""
    defaults = {"rate": RATE, "seed": 18}
    return golds_services.save_plan(
        project=project, stage=STAGE, by=None, now=timezone.now(), **defaults | settings
    )


def response(verdict, why="It could mean a bridge or a ferry."):
    from ambiguity.sheet import Response

    return Response(verdict=verdict, why=why)


def take(user, project):
    return assignments.take_next(project=project, stage=STAGE, by=user, now=timezone.now())


def submit(assignment, verdict):
    return assignments.submit_response(
        assignment=assignment, response=response(verdict), by=assignment.user, now=timezone.now()
    )


def take_gold(user, project):
    """Have a person work until a gold item is in hand."""
    while (work := take(user, project)) is not None:
        if work.gold:
            return work
        submit(work, "yes")
    raise AssertionError("There is no gold item left.")
