"""A project in which everything has happened that a release must tell apart."""

import io
import json
from dataclasses import replace

import pytest
from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import Event
from annotation.sheets.fields import Keep
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.exports.submissions import opened, search
from tests.validation.conftest import none, one, several
from validation.release.services import start_release
from validation.verdicts.responses import Phrasing

AMBIGNQ = ("ambignq-light", "ambignq")
TRAINS = several(("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
OTHER = several(
    ("When did it open to walkers?", "1843", "in 1843"), ("When did it reopen?", "2010")
)


def ambignq(*records):
    return io.BytesIO(json.dumps(list(records)).encode())


def record(number, *annotations, **more):
    return {
        "id": f"r{number}",
        "question": f"When was bridge {number} built?",
        "annotations": list(annotations),
    } | more


def single(*answers):
    return {"type": "singleAnswer", "answer": list(answers)}


def pairs(*found):
    return {
        "type": "multipleQAs",
        "qaPairs": [{"question": text, "answer": answers} for text, *answers in found],
    }


@pytest.fixture
def bring_in(project, now):
    """Import a file, by default as finished work."""

    def bring_in(file, into=None, **options):
        defaults = {"format": "ambignq", "split": "dev", "finished": True, "by": None, "now": now}
        tally = import_questions(project=into or project, file=file, **defaults | options)
        return tally.created, tally.updated, tally.unchanged, tally.rejected, tally.errors

    return bring_in


@pytest.fixture
def released():
    """released(project, format, split): the data as bytes, and the manifest."""

    def released(project, format="ambignq-light", split=None):
        release = start_release(
            project=project, format=format, split=split, by=None, now=timezone.now()
        )
        data = b"".join(release.blocks())
        return data, json.loads(release.build_manifest("data.json"))

    return released


@pytest.fixture
def ask(project, now):
    """ask(id, …): a question with its tasks."""

    def ask(external_id, split="dev", **fields):
        question = factories.make_question(project, external_id=external_id, split=split, **fields)
        tasks.open_tasks(question_ids=[question.pk], now=now)
        return question

    return ask


@pytest.fixture
def validate(project, val, now):
    """validate(question, **choices): val's decision on what waits."""

    def validate(events=(), **choices):
        turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
        for kind, data in events:
            Event.objects.create(assignment=turn, kind=kind, at=now, data=data)
        response, _ = factories.opened(turn)
        rows = choices.pop("rows", lambda rows: rows)(response.rows)
        response = replace(response, rows=rows, **choices)
        found = factories.report_on(turn, response, now).findings
        keeps = [Keep(f.rule, f.field, "I am sure") for f in found if f.level == "warning"]
        response = replace(response, keeps=tuple(keeps))
        return assignments.submit_response(assignment=turn, response=response, by=val, now=now)

    return validate


def log(question, who, *events):
    """Add to what somebody did on a question."""
    turn = assignments.Assignment.objects.get(task__question=question, user=who)
    for kind, data in events:
        Event.objects.create(assignment=turn, kind=kind, at=turn.started_at, data=data)


def both_phrasings(rows):
    """Keep every phrasing, and mend one answer."""
    first, *rest = rows
    mended = [replace(form, text=form.text + "!") for form in rest[0].forms]
    rest[0] = replace(rest[0], forms=tuple(mended))
    return (replace(first, phrasings=(*first.phrasings, Phrasing("And when?"))), *rest)


@pytest.fixture
def worked(project, ask, answer, validate, ann, ben, now):
    """Nine questions, each with another end; returns those by id."""
    made = {}

    def begin(key, *responses, **fields):
        made[key] = ask(key, **fields)
        for who, response in zip((ann, ben), responses, strict=False):
            answer(project, who, response)
        return made[key]

    begin("train", one("1843", "in 1843"), split="train", text="when did it open")
    begin("train-none", none(), split="train")
    begin(
        "match",
        TRAINS,
        several(
            *[(p.question.replace("open", "first open"), p.answers[0].text) for p in TRAINS.pairs]
        ),
    )
    begin("match-none", none(), none("Nothing there."))
    both = begin(
        "both",
        TRAINS,
        OTHER,
        known_answers=["1843"],
        context={"nq_doc_title": "Tunnel", "viewed_doc_titles": ["Not ours"]},
    )
    log(both, ann, search("tunnel", "Tunnel", "Wapping"), opened("Tunnel"))
    log(both, ben, search("tunnel", "Rotherhithe"), opened("Wapping"))
    seen = [search("brunel", "Brunel"), opened("Tunnel"), opened("Brunel")]
    validate(events=seen, verdicts=(True, True))
    begin("edited", TRAINS, OTHER)
    validate(rows=both_phrasings)
    begin("excluded", TRAINS, OTHER)
    validate(exclude_reason="A matter of opinion.")
    begin("waiting", TRAINS, one("1843"))
    begin("half", TRAINS)
    begin("new")
    skipped = begin("skipped", split="train")
    turn = assignments.take_next(project=project, stage="generation", by=ben, now=now)
    while turn.task.question_id != skipped.pk:
        assignments.give_back(assignment=turn, by=ben, now=now)
        turn = assignments.take_next(project=project, stage="generation", by=ben, now=now)
    assignments.skip_question(assignment=turn, reason="subjective", by=ben, now=now)
    return made
