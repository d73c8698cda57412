"""A project with questions in the extended set, for tests and for the tests of every stage."""

from annotation.models import Question
from qampari import extended_set, rows
from tests import factories

KNOWN = [["Kelso Bridge", "Kelso"], ["Waterloo Bridge"], ["Southwark Bridge"]]
PROMPT = "which bridges did john rennie design"


def make_project(**fields):
    project = factories.make_project(protocol="qampari", policies=False, **fields)
    project.policies.create(stage="qampari-extend", split="test", people=1, minimum_seconds=0)
    return project


def make_question(project, *, split="test", known=KNOWN):
    """A question with its known answers, in the form of the readers' records."""
    context = {"answers": known, "answer": ""}
    question = factories.make_question(project, text=PROMPT, split=split, context=context)
    rows.replace_answer_rows([question])
    return question


def ready(project, now) -> Question:
    """A question in the extended set."""
    question = make_question(project)
    staff = factories.make_member(project, "admin", name="Ferdinand Oxblood")
    extended_set.add_questions(project=project, ids=[question.external_id], by=staff, now=now)
    return question


def write(fields, words):
    rest = {name: values for name, values in fields.items() if not name.startswith("added-")}
    return rest | {
        "added-0-text": [f"The bridge of {words}"],
        "added-0-page": ["John Rennie"],
        "new": [""],
        "source": ["John Rennie"],
    }


def block(fields, words):
    """The same answer twice."""
    return write(fields, words) | {
        "added-1-text": [f"the bridge of {words}!"],
        "added-1-page": ["John Rennie"],
    }
