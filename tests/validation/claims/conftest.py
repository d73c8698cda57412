"""Questions that were decided in every way, and short ways to claim and rule."""

from dataclasses import replace

import pytest

from annotation.sheets.fields import Keep
from annotation.work import assignments
from tests import factories
from tests.validation.conftest import several
from validation.claims import services as claims_services
from validation.claims.ruling_form import EditedSet, RulingEdits
from validation.verdicts.responses import AnswerRow, Form, Phrasing

PEOPLE, TRAINS = "When did it open to people?", "When did it open to trains?"
MINE = several((PEOPLE, "1843"), (TRAINS, "1869"))
THEIRS = several((PEOPLE, "25 March 1843", "in 1843"), ("When did it reopen to visitors?", "2010"))


def row(key, questions, forms):
    """One answer as staff typed it: where its texts came from is for the code to find."""
    return AnswerRow(key, forms=tuple(map(Form, forms)), phrasings=tuple(map(Phrasing, questions)))


def made_of(*rows):
    """One set of (questions, forms), and nothing else, as staff put it together."""
    rows = (row(f"r{number}", *each) for number, each in enumerate(rows, start=1))
    return RulingEdits(sets=(EditedSet("s1", tuple(rows)),))


@pytest.fixture
def validate(project, val, now):
    """validate(change): the validator submits what `change` makes of the union."""

    def validate(change, by=None):
        by = by or val
        turn = assignments.take_next(project=project, stage="validation", by=by, now=now)
        response, said = factories.opened(turn)
        response = change(response, said)
        found = factories.report_on(turn, response, now).findings
        keeps = [Keep(f.rule, f.field, "I am sure") for f in found if f.level == "warning"]
        response = replace(response, keeps=tuple(keeps))
        assignments.submit_response(assignment=turn, response=response, by=by, now=now)
        return turn

    return validate


@pytest.fixture
def disagreed(question, project, ann, ben, answer):
    """Ann and Ben have answered, and do not agree."""
    answer(project, ann, MINE)
    answer(project, ben, THEIRS)
    return question


def column_of(said, text):
    """The place of the annotation that has this form."""
    return next(
        place for place, each in enumerate(said) if any(text in pair.forms for pair in each.pairs)
    )


def only(text):
    """Mark the annotation with this form correct, the other incorrect."""

    def change(response, said):
        good = column_of(said, text)
        return replace(response, verdicts=tuple(place == good for place in range(len(said))))

    return change


@pytest.fixture
def bens(disagreed, validate):
    """The validator found Ben right and Ann wrong."""
    validate(only("2010"))
    disagreed.refresh_from_db()
    return disagreed


@pytest.fixture
def turn_of():
    """turn_of(person): their only turn."""
    return lambda person: assignments.Assignment.objects.select_related(
        "task__question", "project", "policy"
    ).get(user=person)


@pytest.fixture
def claimed(bens, ann, turn_of, now):
    """Ann claims that this is wrong."""
    return claims_services.open_claim(
        assignment=turn_of(ann), text="1869 is in the article.", by=ann, now=now
    )
