"""Studies of the demo: four systems, a study that two judges have finished, one that two experts
have, and two to judge.
"""

import datetime as dt
import io
import json
import random
from pathlib import Path

from django.db import transaction

from accounts.models import User
from annotation.contexts.inputs import Disambiguation
from annotation.models import Membership, Project, Role
from annotation.sheets.choice_sheet import Chosen
from annotation.stages import registry as stages
from annotation.work import assignments
from evaluation.consensus import services as consensus_services
from evaluation.judging.sheet import CriterionChoice, JudgingResponse, Mark
from evaluation.models import Output, Study, System
from evaluation.studies import services as studies_services
from evaluation.studies.answer_text import render_study_text
from evaluation.systems.services import import_outputs

ANSWERS = Path(__file__).parent / "files" / "study_answers.json"
SEED = 2026
JUDGES = ("judge1", "judge2")
EXPERTS = ("expert", "expert2")
# What each of the two experts says of each system's answer, and what they agreed on.
OPINIONS = {
    "Human": (("correct", ""), ("correct", "")),
    "Reader": (("correct", ""), ("debatable", "It leaves one of the meanings out.")),
    "Storyteller": (
        ("debatable", "The dates are too vague to check."),
        ("debatable", "It tells a story where dates are asked for."),
    ),
    "First answer": (
        ("debatable", "True for one of several meanings."),
        ("wrong", "The question is ambiguous, and this does not say so."),
    ),
}
AGREED = {
    "Human": ("correct", "Every date is on the pages."),
    "Storyteller": ("debatable", "Nothing in it is false, and half of it cannot be checked."),
    "First answer": ("debatable", "What it says is true; what it leaves out is another matter."),
}
# How well each system does by each criterion; chance is added to the difference of two.
TASTES = {
    "comp": {"Human": 3.0, "Reader": 2.4, "Storyteller": 1.2, "First answer": 0.0},
    "fluency": {"Human": 2.6, "Reader": 0.9, "Storyteller": 2.8, "First answer": 1.2},
    "overall": {"Human": 3.0, "Reader": 2.0, "Storyteller": 1.8, "First answer": 0.0},
}


@transaction.atomic
def load_studies(project: Project, people: dict[str, User], now: dt.datetime) -> None:
    """Make the systems, the studies that are finished and those for judges and for an expert, or
    nothing of them.
    """
    judges = [people[login] for login in JUDGES]
    Membership.objects.bulk_create(
        [
            Membership(user=judge, project=project, role=Role.JUDGE, created_at=now)
            for judge in judges
        ],
        ignore_conflicts=True,
    )
    by = people["admin"]
    begun = now - dt.timedelta(days=3)
    systems = [_system(project, row, by, begun) for row in json.loads(ANSWERS.read_bytes())]
    first = _study(
        project, systems, {"seed": SEED, "size": 8, "raters": 2, "repeats": 20}, by, begun
    )
    for judge in judges:
        _judge(first, judge, begun)
    studies_services.close_study(study=first, by=by, now=now - dt.timedelta(days=1))
    once = {"raters": 1, "repeats": 0}
    _study(project, systems, {"seed": SEED + 1, "size": 4, **once}, by, now)
    _agree(project, systems, people, begun)
    expert = {"seed": SEED + 2, "size": 2, "pairing": Study.Pairing.EXPERT, **once}
    _study(project, systems, expert, by, now)


def _system(project: Project, row: dict[str, object], by: User, now: dt.datetime) -> System:
    system, _ = import_outputs(
        project=project,
        file=io.BytesIO(json.dumps(row["answers"]).encode()),
        name=str(row["name"]),
        version=str(row.get("version", "")),
        kind=str(row["kind"]),
        by=by,
        now=now,
    )
    return system


def _study(
    project: Project,
    systems: list[System],
    fields: dict[str, object],
    by: User,
    now: dt.datetime,
) -> Study:
    study = studies_services.create_study(project=project, by=by, now=now)
    changes = {"split": "dev", "minutes": 2.0, **fields}
    studies_services.change_study(study=study, changes=changes, systems=systems, by=by, now=now)
    studies_services.start_study(study=study, by=by, now=now)
    return study


def _judge(study: Study, judge: User, now: dt.datetime) -> None:
    """Judge every item of a study as a person would: what the text says, and taste with chance."""
    stage = stages.get_stage(study.stage)
    chance = random.Random(f"{SEED} {judge.email}")  # noqa: S311 - to be repeated, not guessed
    names = {
        (question, render_study_text(text, study.shown)): name
        for system in study.systems.all()
        for name, question, text in system.outputs.values_list("system__name", "question", "text")
    }
    while turn := assignments.take_next(project=study.project, stage=stage.key, by=judge, now=now):
        now += dt.timedelta(seconds=chance.randrange(45, 110))
        given = stage.build_sheet_context(turn, now=now)
        systems = [names[turn.task.question_id, text] for text in given.texts]
        marks = [
            tuple(_mark(text, asked, chance) for asked in given.disambiguations)
            for text in given.texts
        ]
        response = JudgingResponse(
            left=marks[0],
            right=marks[1],
            choices=tuple(_better(row["key"], systems, chance) for row in study.criteria),
        )
        assignments.submit_response(assignment=turn, response=response, by=judge, now=now)
        now += dt.timedelta(seconds=5)


def _agree(
    project: Project, systems: list[System], people: dict[str, User], now: dt.datetime
) -> None:
    """Let two experts judge the answers to one question alone, and agree on all but one of them."""
    design = {"seed": SEED, "size": 1, "pairing": Study.Pairing.EXPERT, "raters": 2, "repeats": 0}
    study = _study(project, systems, design, people["admin"], now)
    stage = stages.get_stage(study.stage)
    names = {render_study_text(text, study.shown): name for name, text in _list_answers(study)}
    for place, login in enumerate(EXPERTS):
        by = people[login]
        while turn := assignments.take_next(project=project, stage=stage.key, by=by, now=now):
            now += dt.timedelta(seconds=90)
            name = names[stage.build_sheet_context(turn, now=now).text]
            verdict, why = OPINIONS[name][place]
            assignments.submit_response(
                assignment=turn, response=Chosen(verdict, why), by=by, now=now
            )
    for item in study.items.select_related("first"):
        verdict, justification = AGREED.get(item.first.name, ("", ""))
        if verdict:
            consensus_services.write_consensus(
                item=item, verdict=verdict, justification=justification, seen=None,
                by=people[EXPERTS[0]], now=now,
            )  # fmt: skip


def _list_answers(study: Study) -> list[tuple[str, str]]:
    """Return system and text of the answers that a study shows."""
    questions = study.items.values("question")
    rows = Output.objects.filter(system__in=study.systems.all(), question__in=questions)
    return list(rows.values_list("system__name", "text"))


def _mark(text: str, asked: Disambiguation, chance: random.Random) -> Mark:
    """Say yes where the text has a form of the answer, except for one slip in twenty."""
    has = any(form.casefold() in text.casefold() for form in asked.answers)
    return Mark("yes" if has != (chance.random() < 0.05) else "no")


def _better(key: str, systems: list[str], chance: random.Random) -> CriterionChoice:
    left, right = (TASTES[key][name] for name in systems)
    lead = left - right + chance.gauss(0, 1)
    return CriterionChoice("left" if lead > 0.5 else "right" if lead < -0.5 else "tie")
