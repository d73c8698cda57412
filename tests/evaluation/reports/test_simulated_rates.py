"""A project that is simulated with known rates: its reports give those rates.

Two generators and a validator work through the services that the pages call, in an order drawn at
random; how often each thing happens is stated here, and the panels have to find it.
"""

import random
from types import SimpleNamespace

import pytest
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.panel import Person
from annotation.figures.registry import Request, find_report
from annotation.models import Event
from annotation.reading import events
from annotation.work import assignments, tasks
from evaluation.reports.agreement.annotators import title_rule
from tests import factories
from tests.validation.conftest import kept, make_project, none, one
from tests.validation.simulated import (
    both_correct,
    left_out,
    put_together,
    validate,
    without_1900,
    years,
)
from validation.questions import exclusion

pytestmark = pytest.mark.django_db

QUESTIONS, WAITING = 20, 2  # answered, and not


def by_team(*_):
    """The team excludes the question before a validator comes to it."""


# The share of the questions, what Ann and Ben answer, what the validator does.
WAYS = {
    "the same answers": (0.30, years("1843", "1869"), years("1869", "1843"), None),
    "both find none": (0.10, none(), none(), None),
    "both correct": (0.25, years("1843", "1869"), one("1843"), both_correct),
    "put together": (0.15, one("1843"), one("25 March 1843"), put_together),
    "one pair too many": (
        0.10,
        years("1843", "1869", "1900"),
        years("1843", "1869"),
        without_1900,
    ),
    "left out": (0.05, one("1843"), one("1869"), left_out),
    "excluded by the team": (0.05, one("1843"), one("2010"), by_team),
}
SHOWN, KEPT = 8, 2  # a warning on so many of Ann's answers, and how often she keeps it
RULE, FIELD = "separator", "single"


def make_world():
    project, now = make_project(), timezone.now()
    ann, ben = (factories.make_member(project, "annotator") for _ in range(2))
    val, rosa = (factories.make_member(project, role) for role in ("validator", "researcher"))
    ways = [way for way in WAYS.values() for _ in range(round(way[0] * QUESTIONS))]
    assert len(ways) == QUESTIONS
    random.Random(7).shuffle(ways)
    turns = []
    for _, first, second, decide in ways:
        question = ask(project, now)
        turns.append(hand_in(project, ann, first, now))
        hand_in(project, ben, second, now)
        if decide is by_team:
            exclusion.exclude_questions(
                project=project, question_ids=[question.pk], reason="Junk.", by=rosa, now=now
            )
        elif decide is not None:
            validate(project, val, decide, ann, now)
    for turn in turns[:SHOWN]:
        events.warnings_shown(assignment=turn, warnings=[(RULE, FIELD)], by=ann, now=now)
    for turn in turns[:KEPT]:
        data = {"rule": RULE, "field": FIELD, "reason": "It is one name."}
        Event.objects.create(assignment=turn, kind="warning_kept", at=now, data=data)
    for _ in range(WAITING):
        ask(project, now)
    return SimpleNamespace(project=project, ann=ann, ben=ben, now=now)


def ask(project, now):
    question = factories.make_question(project)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


def hand_in(project, who, response, now):
    turn = assignments.take_next(project=project, stage="generation", by=who, now=now)
    data = {"path": "A", "title": "A"}
    Event.objects.create(assignment=turn, kind="page_open", at=now, data=data)
    response = kept(turn, response, now)
    assignments.submit_response(assignment=turn, response=response, by=who, now=now)
    return turn


def panel(world, report, key, **filters):
    """Return the rows of a panel by their first cell, each with its cells by column."""
    entry = next(row for row in find_report(world.project, report).panels if row.key == key)
    made = entry.panel(Request(world.project, Filters(**filters), world.now))
    names = [column.key for column in made.columns]
    rows = [dict(zip(names, row, strict=True)) for row in made.rows]
    return {row[names[0]]: row for row in rows}


def rate(cell):
    return round(cell.value, 9), cell.n


def share_of(*ways):
    return round(sum(WAYS[way][0] for way in ways), 9)


def test_agreement(world):
    row = panel(world, "agreement", "splits")["dev"]
    # F1 of two answers against one of them is 2/3, of three against two of them 4/5.
    expected = share_of("the same answers", "both find none")
    f1 = expected + share_of("both correct") * 2 / 3 + share_of("one pair too many") * 4 / 5
    assert rate(row["value"]) == (round(f1, 9), QUESTIONS)
    assert row["value"].low < f1 < row["value"].high
    assert rate(row["exact"]) == (expected, QUESTIONS)


def test_outcomes(world):
    rows = panel(world, "agreement", "outcomes")
    assert {name: rate(row["share"]) for name, row in rows.items()} == {
        "All answers match": (share_of("the same answers", "both find none"), QUESTIONS),
        "Accepted as written": (share_of("both correct"), QUESTIONS),
        "Changed by an edit": (share_of("put together"), QUESTIONS),
        "Changed by an exclusion alone": (
            share_of("one pair too many", "left out", "excluded by the team"),
            QUESTIONS,
        ),
    }


def test_types_of_answers_and_what_became_of_them(world):
    rows = panel(world, "agreement", "annotators")
    for person, place in ((world.ann, 1), (world.ben, 2)):
        row = rows[Person(person.pk)]
        assert row["submissions"] == QUESTIONS
        for kind in ("multiple", "single", "none"):
            share = sum(way[0] for way in WAYS.values() if way[place].kind == kind)
            assert rate(row[kind]) == (round(share, 9), QUESTIONS)
    lost = share_of("left out", "excluded by the team")
    ann, ben = rows[Person(world.ann.pk)], rows[Person(world.ben.pk)]
    assert rate(ben["not_accepted"]) == (lost, QUESTIONS)
    # The validator marks Ann's as incorrect where she has a pair too many.
    assert rate(ann["not_accepted"]) == (lost + share_of("one pair too many"), QUESTIONS)
    assert rate(ann["written"]) == (1 - rate(ann["not_accepted"])[0], QUESTIONS)
    every = rows["Everyone"]
    assert rate(every["multiple"]) == (0.525, 2 * QUESTIONS)


def test_override_rates(world):
    for person in (None, world.ann.pk):
        rows = panel(world, "agreement", "warnings", person=person)
        row = rows[title_rule(RULE)]
        assert (row["shown"], rate(row["kept"])) == (SHOWN, (KEPT / SHOWN, SHOWN))


def test_exclusion(world):
    rows = panel(world, "project", "progress")
    generation, validation = rows["Generation, dev"], rows["Validation, dev"]
    assert (generation["done"], generation["total"]) == (2 * QUESTIONS, 2 * (QUESTIONS + WAITING))
    aside = round(share_of("left out", "excluded by the team") * QUESTIONS)
    assert generation["aside"] == aside
    to_validator = share_of("both correct", "put together", "one pair too many", "left out")
    assert (validation["done"], validation["share"]) == (round(to_validator * QUESTIONS), 1)
