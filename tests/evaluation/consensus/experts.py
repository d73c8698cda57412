"""A study of experts at work, straight from rows."""

from django.utils import timezone

from annotation.models import Submission
from annotation.work import seats
from evaluation.consensus import services as consensus_services
from evaluation.models import Judgment
from tests import factories
from tests.evaluation.factories import make_item, make_output, make_study, make_system, open_items

TEXT = "It opened on 25 March 1843, and to trains in 1869."


def make_items(project, questions, systems=1, raters=2, **fields):
    """Return the items of a running study of experts, each with its task: one for each answer."""
    answerers = [make_system(project) for _ in range(systems)]
    study = make_study(project, answerers, pairing="expert", raters=raters, repeats=0, **fields)
    items = []
    for question in questions:
        for system in answerers:
            make_output(system, question, TEXT)
            items.append(make_item(study, question, system))
    open_items(study)
    return items


def said(verdict="correct", why=""):
    """The response of an expert, as it is stored."""
    return {"verdict": verdict, "why": why, "feedback": "", "keeps": []}


def judge(item, user, verdict="correct", why="The article says so."):
    """What an expert submitted on an item."""
    now = timezone.now()
    task = item.question.tasks.get(unit=item.unit, policy__stage="expert")
    turn = factories.make_assignment(
        task, user, state="submitted", submitted_at=now, draft=said(verdict, why)
    )
    seats.recount_open_seats([task.pk])
    submission = Submission.objects.create(
        assignment=turn,
        question=item.question,
        author=user,
        stage="expert",
        response=said(verdict, why),
        created_at=now,
    )
    return Judgment.objects.create(item=item, judge=user, submission=submission, created_at=now)


def agree(item, by, verdict="correct", why="Both articles agree.", seen=None, now=None):
    """Write a consensus."""
    now = now or timezone.now()
    return consensus_services.write_consensus(
        item=item, verdict=verdict, justification=why, seen=seen, by=by, now=now
    )
