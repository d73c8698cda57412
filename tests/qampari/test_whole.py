"""A question from its import to its release: checked, paraphrased and verified by people."""

import io
import json

import pytest
from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import Question
from qampari.paraphrase_rows import Paraphrase
from tests import factories
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.stages.window import Window
from validation.release.services import start_release

pytestmark = pytest.mark.django_db
STAGES = ("qampari-check", "qampari-team", "qampari-paraphrase", "qampari-verify")
ASKED = "What is a town that has bridge number 7?"
WRITTEN = "Which towns have bridge number 7?"


def state():
    return Question.objects.get().state


def submit(person, project, stage, **fields):
    window = Window(person, project, stage).take()
    answer = window.post("submit", window.fields | fields)
    assert answer.status_code == 302, answer.text


def test_a_question_goes_from_its_import_to_its_release():
    now = timezone.now()
    project = factories.make_project(
        protocol="qampari", policies=False, rule_settings={"checked_percent": 0}
    )
    for stage in STAGES:
        project.policies.create(stage=stage, split="dev", people=1, minimum_seconds=0)
    ann = factories.make_member(project, "annotator", name="Anna Ash")
    staff = factories.make_member(project, "researcher", name="Rosa Reed")
    validator = factories.make_member(project, "validator", name="Vera Vale")
    names = lists.TITLES[:7]
    record = lists.record(7, answers=names) | {
        "question_text": ASKED,
        "entities": [{"entity_text": "bridge number 7", "aliases": []}],
    }
    file = io.BytesIO(lists.lines(record))
    import_questions(
        project=project, file=file, format="qampari", split="dev", strict=True, by=staff, now=now
    )
    lists.check(ann, project, ["correct"] * 5 + ["doubtful", "unclear"])
    assert state() == "validating"
    verdicts = {"answer-0-verdict": ["correct"], "answer-1-verdict": ["doubtful"]}
    submit(staff, project, "qampari-team", **verdicts)
    assert state() == "accepted"
    paraphrasing.draw_first(project, ann)
    submit(ann, project, "qampari-paraphrase", text=[WRITTEN])
    assert Paraphrase.objects.get().drawn
    assert released(project, now)["question_text"] == ASKED  # nobody has verified it yet
    submit(validator, project, "qampari-verify", verdict=["same"])
    found = released(project, now)
    assert (found["question_text"], found["synthetic_question"]) == (WRITTEN, ASKED)
    assert [row["answer_text"] for row in found["answer_list"]] == list(names[:6])
    assert found["answer_list"][0] == record["answer_list"][0]


def released(project, now):
    release = start_release(project=project, format="qampari", split=None, by=None, now=now)
    [found] = map(json.loads, b"".join(release.blocks()).splitlines())
    return found


@pytest.mark.usefixtures("same_each_time")
def test_no_file_changes_by_a_byte():
    """Questions of every kind and each end, some checked here and some finished before."""
    now = timezone.now()
    project = lists.make_project(checked_percent=0)
    ann = factories.make_member(project, "annotator", name="Anna Ash")
    lists.make_question(project, now)
    lists.check(ann, project, ["correct"] * 4 + ["incorrect"])
    names = ("simple", "intersection", "composition", "other")
    for split, kinds in (("dev", names), ("test", names[:1])):
        records = [
            lists.record(n, split=split, kind=f"wikidata_{kind}") for n, kind in enumerate(kinds)
        ]
        records[0]["answer_list"][0] |= {"answer_url": None, "proof": None, "aliases": None}
        import_questions(
            project=project,
            file=io.BytesIO(lists.lines(*records)),
            format="qampari",
            split=split,
            finished=True,
            by=None,
            now=now,
        )
    for state_ in ("excluded", "skipped"):
        question = lists.make_question(project, now)
        Question.objects.filter(pk=question.pk).update(state=state_)
    lists.make_question(project, now)
    check_digests("qampari", project)
