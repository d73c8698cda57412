"""Rows of studies that several test modules share. Every argument has a sensible default."""

import itertools

from django.utils import timezone

from annotation.models import StagePolicy
from annotation.work import tasks
from annotation.work.tasks import SpecialTask
from evaluation.models import (
    DeletedDraft,
    Item,
    Judgment,
    Labelling,
    LabelSample,
    Output,
    SampledItem,
    Study,
    System,
)
from tests.annotation.long_answers import helpers as asqa

LEFT = "Walkers had the Thames Tunnel from 25 March 1843."
RIGHT = "The Thames Tunnel opened to trains on 7 December 1869."
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


def make_deleted_draft(project, by):
    now = timezone.now()
    fields = ("split", "size", "stratified", "pairing", "raters", "repeats", "steps", "minutes")
    design = {name: Study._meta.get_field(name).default for name in fields}
    return DeletedDraft.objects.create(
        project=project,
        number=2**40 + next(_count),
        title="Deleted",
        design=design | {"seed": 1, "reference": None, "criteria": CRITERIA},
        created_at=now,
        deleted_by=by,
        deleted_at=now,
    )


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


def make_label_sample(project, scheme="ambiguity", labellers=1, **fields):
    """A sample of a scheme that comes with Ambit; that for types of ambiguity is there once."""
    rows = LabelSample.objects.filter(project=project, scheme_key=scheme)
    return rows.first() or LabelSample.objects.create(
        project=project,
        scheme_key=scheme,
        labellers=labellers,
        **{"seed": 0, "created_at": timezone.now()} | fields,
    )


def make_label_item(sample, question, position=None):
    """A question drawn into a sample."""
    position = position or sample.items.count() + 1
    return SampledItem.objects.create(sample=sample, question=question, position=position)


def make_labelling(item, by, categories, place=1, **fields):
    """What a person said of an item."""
    return Labelling.objects.create(
        item=item,
        place=place,
        labeller=by,
        scheme_key=item.sample.scheme_key,
        categories=categories,
        **{"labelled_at": timezone.now()} | fields,
    )


def make_ambiguity(question, types=(), labelled_by=None, labelled_at=None, **fields):
    """A question drawn to be labelled with its types of ambiguity."""
    item = make_label_item(make_label_sample(question.project), question, **fields)
    if types:
        make_labelling(item, labelled_by, list(types), labelled_at=labelled_at)
    return item


def make_questions(project, many=2):
    return [asqa.make_question(project, external_id=f"key-{n}") for n in range(1, many + 1)]


def open_items(study, now=None):
    """Open the tasks of a study's items, as starting it does; the policy is made if missing."""
    policy, _ = StagePolicy.objects.get_or_create(
        project=study.project,
        stage=study.stage,
        split=study.split,
        defaults={"people": 1, "minimum_seconds": 0},
    )
    rows = study.items.select_related("repeats").order_by("position")
    tasks.open_special(
        stage=study.stage,
        project=study.project,
        units=[
            SpecialTask(
                question=item.question_id,
                unit=item.unit,
                place=item.position,
                people=study.raters,
                barred=tuple(
                    Output.objects.filter(
                        system__in=[item.first_id, item.second_id],
                        question=item.question_id,
                        author__isnull=False,
                    ).values_list("author", flat=True)
                ),
                after=item.repeats.unit if item.repeats else "",
            )
            for item in rows
        ],
        now=now or timezone.now(),
    )
    return policy


def judged_question(
    project, now=None, *, alone=False, texts=(LEFT, RIGHT), names=("", ""), **study
):
    """Return an item that is ready to be judged: its question, systems, outputs, study and task."""
    question = asqa.make_question(project)
    systems = [make_system(project, name) for name in names]
    for system, text in zip(systems, texts, strict=True):
        make_output(system, question, text)
    running = make_study(project, systems, **{"pairing": "alone"} | study if alone else study)
    item = make_item(running, question, systems[0], None if alone else systems[1])
    open_items(running, now)
    return item
