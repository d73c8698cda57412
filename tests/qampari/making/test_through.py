"""From a dump of Wikidata to a release: made, checked, paraphrased and verified by people."""

import json

import pytest
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Question
from qampari.making import jobs
from qampari.making.choices import read_choice
from qampari.making.pages import SnapshotPages
from qampari.making.record_checks import find_record_problems
from tests import factories
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.qampari.making.conftest import DEMO
from tests.stages.window import Window
from validation.release.services import start_release
from wikipedia.wikidata.folders import open_graph

pytestmark = pytest.mark.django_db
STAGES = ("qampari-check", "qampari-team", "qampari-paraphrase", "qampari-verify")
WRITTEN = "By which bridges and tunnels can the River Thames be crossed?"


def submit(person, project, stage, **fields):
    window = Window(person, project, stage).take()
    answer = window.post("submit", window.fields | fields)
    assert answer.status_code == 302, answer.text


def test_from_a_dump_to_a_release(project):
    """The fixture's graph is read from the dump by the command; every stage is as it always is."""
    now = timezone.now()
    project.rule_settings = {"checked_percent": 0}
    project.save()
    for stage in STAGES:
        project.policies.create(stage=stage, split="test", people=1, minimum_seconds=0)
    ann = factories.make_member(project, "annotator", name="Anna Ash")
    staff = factories.make_member(project, "researcher", name="Rosa Reed")
    validator = factories.make_member(project, "validator", name="Vera Vale")
    job = jobs.start_making_job(
        project=project, graph="demo", choice=read_choice(DEMO), judge="words", try_only=False,
        by=staff, now=now,
    )  # fmt: skip
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    question = Question.objects.get()
    imported = question.context["answer_list"]

    lists.check(ann, project, ["correct"] * 5 + ["doubtful"])
    submit(staff, project, "qampari-team", **{"answer-0-verdict": ["doubtful"]})
    question.refresh_from_db()
    assert question.state == "accepted"
    paraphrasing.draw_first(project, ann)
    submit(ann, project, "qampari-paraphrase", text=[WRITTEN])
    submit(validator, project, "qampari-verify", verdict=["same"])

    release = start_release(project=project, format="qampari", split=None, by=None, now=now)
    [line] = b"".join(release.blocks()).decode().splitlines()
    found = json.loads(line)
    assert (found["question_text"], found["synthetic_question"]) == (WRITTEN, question.text)
    assert len(found["answer_list"]) == 5
    assert all(answer in imported for answer in found["answer_list"])
    assert found["making"] == question.context["making"]
    assert found["entities"][0]["entity_text"] == "River Thames"
    with open_graph("demo") as graph:
        pages = SnapshotPages(project.snapshot)
        assert list(find_record_problems([line], graph, pages)) == []
