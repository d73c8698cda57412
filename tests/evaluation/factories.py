"""Rows of studies that several test modules share. Every argument has a sensible default."""

import itertools

from django.utils import timezone

from evaluation.models import Item, Judgment, Output, Study, System
from tests.annotation.long_answers import helpers as asqa

_count = itertools.count(1)
CRITERIA = [
    {"key": "comp", "label": "Comprehensiveness", "wording": "Which resolves more ambiguity?"},
    {"key": "fluency", "label": "Fluency", "wording": "Which is more fluent?"},
    {"key": "overall", "label": "Overall", "wording": "Which is better overall?"},
]


def make_system(project, name=None, **fields):
    name = name or f"System {next(_count)}"
    return System.objects.create(
        project=project, name=name, **{"created_at": timezone.now()} | fields
    )


def make_output(system, question, text=None, **fields):
    text = text or f"{system} says that it opened on 25 March 1843, and to trains in 1869."
    return Output.objects.create(system=system, question=question, text=text, **fields)


def make_study(project, systems=(), state="running", **fields):
    now = timezone.now()
    defaults = {
        "title": f"Study {next(_count)}",
        "seed": 1,
        "criteria": CRITERIA,
        "created_at": now,
        "started_at": None if state == "draft" else now,
        "closed_at": now if state == "closed" else None,
    }
    study = Study.objects.create(project=project, state=state, **defaults | fields)
    study.systems.set(systems)
    return study


def make_item(study, question, first, second=None, **fields):
    position = fields.pop("position", study.items.count())
    return Item.objects.create(
        study=study, question=question, first=first, second=second, position=position, **fields
    )


def compared(left=(True, True), right=(True, False), choices=("left", "tie", "right"), why=""):
    """The response to a comparison, sides as shown."""

    def side(found):
        return [{"found": "yes" if one else "no", "words": "1843" if one else ""} for one in found]

    return {
        "left": side(left),
        "right": side(right),
        "choices": [{"better": better} for better in choices],
        "verdict": "",
        "why": why,
        "feedback": "",
        "keeps": [],
    }


def make_judgment(item, response=None, name="Rater 1", **fields):
    """A judgment made elsewhere."""
    response = compared() if response is None else response
    return Judgment.objects.create(
        item=item, judge_name=name, response=response, **{"created_at": timezone.now()} | fields
    )


def make_questions(project, many=2):
    return [asqa.make_question(project, external_id=f"key-{n}") for n in range(1, many + 1)]
