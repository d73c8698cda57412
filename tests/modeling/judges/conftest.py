"""Studies for judge models, and a model on loopback that replies to their form."""

import json

import pytest
from django.utils import timezone

from annotation.jobs import services as jobs_services
from modeling.judges import services as judges_services
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import (
    LEFT,
    RIGHT,
    make_item,
    make_output,
    make_questions,
    make_study,
    make_system,
)
from tests.modeling.chat import Reply


@pytest.fixture
def project():
    return asqa.make_project()


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher", name="Rosa Reed")


@pytest.fixture
def study(project):
    """Two questions, each with one pair of answers."""
    questions = make_questions(project, 2)
    amber, blue = (make_system(project, name) for name in ("Amber", "Blue"))
    for number, question in enumerate(questions, start=1):
        make_output(amber, question, f"{LEFT} That is answer {number}.")
        make_output(blue, question, f"{RIGHT} That is answer {number}.")
    made = make_study(project, [amber, blue])
    for question in questions:
        make_item(made, question, amber, blue)
    return made


@pytest.fixture
def add(rosa):
    def add(study, **given):
        fields = {"talker": "endpoint", "allowed": True, "by": rosa, "now": timezone.now()}
        return judges_services.add_judge(study=study, **fields | given)

    return add


@pytest.fixture
def run(rosa, monkeypatch):
    """Start a run of a judge and do it as a worker does; returns its job afterwards."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)

    def run(judge):
        job = judges_services.start_run(judge=judge, by=rosa, now=timezone.now())
        return work_on(job)

    return run


def work_on(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


@pytest.fixture
def judging(chat):
    """The model on loopback fills in any form: `choose` says what for a field, or the reply."""
    judging = Judging()
    chat.replies = [judging]
    judging.chat = chat
    return judging


class Judging(Reply):
    """A reply that is made from the form it is asked about."""

    def __init__(self, **fields):
        super().__init__(**fields)
        self.choose = lambda field, asked: field["options"][0]

    def content(self):
        asked = json.loads(self.chat.said[1])
        chosen = self.choose
        if isinstance(chosen, str):
            self.text = chosen
        else:
            form = {field["field"]: chosen(field, asked) for field in asked["form"]}
            self.text = json.dumps({"why": "It says more."} | form)
        return super().content()
