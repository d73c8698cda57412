"""Questions with many answers, and people who check them."""

import itertools
import json

from annotation.models import Project, Question
from annotation.work import tasks
from qampari import rows
from tests import factories
from tests.stages.window import Window

_count = itertools.count(1)
TITLES = ("Kelso", "Leeds", "Wells", "Ripon", "Truro", "Derby", "Ely", "Lincoln")


def record(
    number, answers=TITLES[:5], kind="wikidata_simple", split="dev", site="https://example.org"
):
    qid = f"{number}__{kind}__{split}"
    return {
        "qid": qid,
        "question_text": f"Which towns have bridge number {number}?",
        "answer_list": [
            {
                "answer_text": text,
                "aid": f"{qid}__{n}",
                "aliases": [text, f"{text} town"],
                "answer_url": f"https://example.org/wiki/{text}",
                "proof": [
                    {
                        "proof_text": f"Bridge number {number} is in {text}.",
                        "found_in_url": f"{site}/wiki/{text}_Bridge",
                        "pid": f"{qid}__{n}__0",
                    }
                ],
            }
            for n, text in enumerate(answers)
        ],
    }


def lines(*records):
    return b"".join(json.dumps(row).encode() + b"\n" for row in records)


def make_project(slug=None, **settings) -> Project:
    project = factories.make_project(
        slug, protocol="qampari", policies=False, rule_settings=settings
    )
    for stage in ("qampari-check", "qampari-team"):
        project.policies.create(stage=stage, split="dev", people=1, minimum_seconds=0)
    return project


def make_question(project, now, **changes) -> Question:
    data = record(next(_count), **changes)
    qid, text = data.pop("qid"), data.pop("question_text")
    split = changes.get("split", "dev")
    question = factories.make_question(project, text, external_id=qid, context=data, split=split)
    rows.replace_answer_rows([question])
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


def check(person, project, verdicts, now=None):
    """Let somebody check one answer after the other, in the order of the tasks."""
    for verdict in verdicts:
        window = Window(person, project, "qampari-check").take()
        response = window.post("submit", window.fields | {"verdict": [verdict]})
        assert response.status_code == 302
