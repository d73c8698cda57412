"""Verdicts of the demo: what two experts agreed on about the answers that most people gave."""

import datetime as dt
import io
from collections import Counter
from collections.abc import Iterator

from django.db import transaction

from accounts.models import User
from annotation.models import Membership, Project, Role
from annotation.sheets.choice_sheet import Chosen
from annotation.work import assignments
from demo.consent import agree_in_demo
from evaluation.consensus.services import write_consensus
from evaluation.models import Study, System
from evaluation.scores.values import Details
from evaluation.studies import services as studies_services
from evaluation.systems.output_files import Content
from evaluation.systems.services import import_outputs
from metrics import nq
from natural_questions.prediction_file import encode_predictions
from natural_questions.scores import read_gold_annotations

EXPERTS = ("expert", "judge1")
# By id of the question: what the first expert says and why, and what the second says.
VERDICTS = {
    "nq-1-finished": ("correct", "The table gives the height.", "correct"),
    "nq-2-finished": ("correct", "It opened in 1888, and again later.", "debatable"),
    "nq-3-finished": ("correct", "The paragraph allows it at all hours.", "correct"),
    "nq-4-finished": ("debatable", "The month is right, and the day is not given.", "correct"),
    "nq-5-finished": ("wrong", "It says that the clock was stopped, and not why.", "debatable"),
    "nq-6-finished": ("correct", "The paragraph names the year.", "correct"),
}
# What they have not talked about yet.
WAITING = "nq-2-finished"
SPLIT, SEED = "dev", 2026


@transaction.atomic
def load_verdicts(project: Project, people: dict[str, User], now: dt.datetime) -> None:
    """Make a system of what most people answered, judged by two experts.

    The experts have agreed on all answers but one.
    """
    by, begun = people["admin"], now - dt.timedelta(days=2)
    experts = [people[login] for login in EXPERTS]
    Membership.objects.bulk_create(
        [
            Membership(user=expert, project=project, role=Role.EXPERT, created_at=begun)
            for expert in experts
        ],
        ignore_conflicts=True,
    )
    for expert in experts:
        agree_in_demo(project, expert, begun)
    people_system = _import_people(project, by, begun)
    study = studies_services.create_study(project=project, by=by, now=begun)
    changes = {
        "title": "Answers of most people",
        "split": SPLIT,
        "size": len(VERDICTS),
        "seed": SEED,
        "pairing": Study.Pairing.EXPERT,
        "raters": len(experts),
        "repeats": 0,
    }
    systems = [people_system]
    studies_services.change_study(study=study, changes=changes, systems=systems, by=by, now=begun)
    studies_services.start_study(study=study, by=by, now=begun)
    for place, expert in enumerate(experts):
        _judge(study, expert, place, begun)
    agreed = study.items.exclude(question__external_id=WAITING)
    for item in agreed.select_related("question"):
        verdict, why, _ = VERDICTS[item.question.external_id]
        write_consensus(
            item=item, verdict=verdict, justification=why, seen=None, by=experts[0], now=now
        )


def _import_people(project: Project, by: User, now: dt.datetime) -> System:
    """Make a system of the annotation that most people gave, with their share as its score."""
    file = io.BytesIO(b"".join(encode_predictions(_list_popular(project))))
    kind = System.Kind.HUMAN
    return import_outputs(
        project=project, file=file, name="Most people", kind=kind, by=by, now=now
    )[0]


def _list_popular(project: Project) -> Iterator[tuple[str, str, Content]]:
    for question, annotations in read_gold_annotations(project, SPLIT):
        [(popular, people)] = Counter(annotations).most_common(1)
        share = people / len(annotations)
        spans = nq.Prediction(*popular, long_score=share, short_score=share)
        yield question.external_id, "", Details(spans=spans).as_json()


def _judge(study: Study, expert: User, place: int, now: dt.datetime) -> None:
    """Judge every answer, as the first or the second expert."""
    while turn := assignments.take_next(
        project=study.project, stage=study.stage, by=expert, now=now
    ):
        verdict, why, other = VERDICTS[turn.task.question.external_id]
        said = Chosen(verdict=other if place else verdict, why=why)
        now += dt.timedelta(seconds=80)
        assignments.submit_response(assignment=turn, response=said, by=expert, now=now)
