"""Questions to paraphrase, and people who do it."""

import datetime as dt

from annotation.models import Project, Question
from annotation.work import tasks
from qampari.paraphrase_rows import Paraphrase, Sample
from tests import factories
from tests.stages.window import Window

ENTITIES = [{"entity_text": "John Rennie", "aliases": ["Rennie"]}]
ASKED = "What is a bridge whose designer is John Rennie"


def make_project(**fields: object) -> Project:
    """A project that asks for one person for a paraphrase and for its verification."""
    project = factories.make_project(protocol="qampari", policies=False, **fields)
    for stage in ("qampari-paraphrase", "qampari-verify"):
        project.policies.create(stage=stage, split="dev", people=1, minimum_seconds=0)
    return project


def accepted(project: Project, now: dt.datetime, **fields: object) -> Question:
    """A question whose answers are accepted, with its task."""
    context = {"entities": ENTITIES, "answer_list": [{"answer_text": "Kelso Bridge"}]}
    question = factories.make_question(
        project, **{"text": ASKED, "state": "accepted", "context": context} | fields
    )
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


def paraphrase(project: Project, author: object, text: str) -> Paraphrase:
    """Take the next question, and submit a paraphrase of it."""
    window = Window(author, project, "qampari-paraphrase").take()
    answer = window.post("submit", window.fields | {"text": [text]})
    assert answer.status_code == 302, answer.text
    return Paraphrase.objects.get(submission__assignment=window.assignment)


def draw_first(project: Project, author: object) -> None:
    """Have the first paraphrase of a person verified: with 2, it is."""
    Sample.objects.create(project=project, person=author, seed=SEED)


SEED = 2


def paraphrased(project: Project, now: dt.datetime) -> Question:
    """A question with a paraphrase that is to be verified."""
    question = accepted(project, now)
    author = factories.make_member(project, "annotator", name="Zebulon Quixote")
    draw_first(project, author)
    assert paraphrase(project, author, "Which bridges are by Rennie?").drawn
    return question
