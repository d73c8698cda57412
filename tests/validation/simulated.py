"""A small project that went all the way, with a question for every way there is.

Two generators on dev (A is Ann, B is Ben) and one validator; one generator on train, where nobody
validates. Everything is done through the services that the pages call.

    dev   A                     B                     the validator
    Q1    1843, 1869            1869, 1843            (all match)
    Q2    1843 = in 1843        1843                  (all match, on a form they share)
    Q3    1843, 1869            1843                  both correct
    Q4    1843, 1869            1843, 2010            A correct, B incorrect
    Q5    1843                  25 March 1843         puts them together
    Q6    1843                  1869                  writes 25 March 1844 for A's, leaves B's out
    Q7    1843, 1869, 1900      1843, 1869            leaves 1900 out
    Q8    1843, 1869            1843, 2010            keeps all three and adds 1900
    Q9    1843                  1869                  leaves the question out
    Q10   1843                  none                  A correct, B incorrect
    Q11   none                  none                  (all match)
    Q12   1843, 1869, 1900      1843, 1869, 2010      both correct
    Q13   1843                  1869                  has not come to it
    Q14   1843                  -
    train
    T1    1843, 1869
    T2    none
"""

from dataclasses import replace
from types import SimpleNamespace

from django.utils import timezone

from annotation.models import Annotation
from annotation.sheets.fields import Keep
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.conftest import answer_next, make_project, none, one, several
from validation.verdicts.presses import apply_press
from validation.verdicts.responses import AnswerRow, Form, Phrasing

ASKED = {
    "1843": "When did it open to people?",
    "1869": "When did it open to trains?",
    "1900": "When did it open to cars?",
    "2010": "When did it open once more?",
}


def years(*found):
    """A response with these years, each with its question."""
    return several(*((ASKED[year], year) for year in found))


def both_correct(response, said, of):
    return replace(response, verdicts=(True, True))


def first_correct(response, said, of):
    return replace(response, verdicts=tuple(of(each) == "A" for each in said))


def put_together(response, said, of):
    return apply_press(response, "combine", said=said, selected=[row.key for row in response.rows])


def rewritten(response, said, of):
    rows = []
    for row in response.rows:
        [form] = row.forms
        kept = form.text == "1843"
        rows.append(
            replace(row, forms=(replace(form, text="25 March 1844"),))
            if kept
            else replace(row, excluded=True, why="That was another one.")
        )
    return replace(response, rows=tuple(rows), verdicts=(False, False))


def without_1900(response, said, of):
    return replace(
        response,
        rows=tuple(
            replace(row, excluded=True, why="No cars.") if row.forms[0].text == "1900" else row
            for row in response.rows
        ),
    )


def with_1900(response, said, of):
    new = AnswerRow(key="r9", forms=(Form("1900"),), phrasings=(Phrasing(ASKED["1900"]),))
    return replace(response, rows=(*response.rows, new))


def left_out(response, said, of):
    return replace(response, exclude_reason="Which tunnel is meant cannot be known.")


DEV = {
    "Q1": (years("1843", "1869"), years("1869", "1843"), None),
    "Q2": (one("1843", "in 1843"), one("1843"), None),
    "Q3": (years("1843", "1869"), one("1843"), both_correct),
    "Q4": (years("1843", "1869"), years("1843", "2010"), first_correct),
    "Q5": (one("1843"), one("25 March 1843"), put_together),
    "Q6": (one("1843"), one("1869"), rewritten),
    "Q7": (years("1843", "1869", "1900"), years("1843", "1869"), without_1900),
    "Q8": (years("1843", "1869"), years("1843", "2010"), with_1900),
    "Q9": (one("1843"), one("1869"), left_out),
    "Q10": (one("1843"), none(), first_correct),
    "Q11": (none(), none(), None),
    "Q12": (years("1843", "1869", "1900"), years("1843", "1869", "2010"), both_correct),
    "Q13": (one("1843"), one("1869"), None),
    "Q14": (one("1843"), None, None),
}
TRAIN = {"T1": years("1843", "1869"), "T2": none()}


def make_world(*, pay=()):
    """Run the project; return it with its people, and its questions by their names above.

    pay: stage -> for a piece of work
    """
    project, now, questions = make_project(), timezone.now(), {}
    for stage, amount in dict(pay).items():
        project.policies.filter(stage=stage).update(pay=amount)
    ann = factories.make_member(project, "annotator", name="Ann Archer")
    ben = factories.make_member(project, "annotator", name="Ben Baker")
    val = factories.make_member(project, "validator", name="Val Vance")

    def ask(name, split):
        questions[name] = factories.make_question(project, split=split, external_id=name)
        tasks.open_tasks(question_ids=[questions[name].pk], now=now)

    for name, (first, second, decide) in DEV.items():
        ask(name, "dev")
        answer_next(project, ann, first, now)
        if second is not None:
            answer_next(project, ben, second, now)
        if decide is not None:
            validate(project, val, decide, ann, now)
    for name, response in TRAIN.items():
        ask(name, "train")
        answer_next(project, ann, response, now)
    return SimpleNamespace(project=project, questions=questions, ann=ann, ben=ben, val=val, now=now)


def validate(project, val, decide, ann, now):
    """Take the next question of validation, and hand in what `decide` makes of it."""
    turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
    given = factories.given_for(turn, now)
    response, said = given.stored, given.said
    authors = dict(Annotation.objects.values_list("pk", "author"))
    response = decide(
        response, said, lambda each: "A" if authors[each.annotation] == ann.pk else "B"
    )
    report = factories.report_on(turn, response, now)
    keeps = tuple(
        Keep(f.rule, f.field, "I am sure") for f in report.findings if f.level == "warning"
    )
    response = replace(response, keeps=keeps)
    return assignments.submit_response(assignment=turn, response=response, by=val, now=now)
