"""QAMPARI's released questions: in, and out again as they were."""

import io
import json

import pytest
from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import Question, Task
from qampari.models import Candidate, ListQuestion
from tests.qampari import factories
from validation.release.services import start_release

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]

DEV = "qampari/qampari_dev.json"


def bring_in(project, file, format, **options):
    tally = import_questions(
        project=project,
        file=file,
        format=format,
        split=None,
        by=None,
        now=timezone.now(),
        **options,
    )
    assert tally.errors == []
    return tally


def released(project, format):
    release = start_release(project=project, format=format, split=None, by=None, now=timezone.now())
    return b"".join(release.blocks()), json.loads(release.build_manifest("data.json"))


def test_the_dev_questions_come_out_as_they_went_in(realdata):
    path = realdata / DEV
    if not path.exists():
        pytest.skip(f"{path} is missing")
    project = factories.make_project()
    with path.open("rb") as file:
        tally = bring_in(project, file, "qampari-readers", finished=True)
    assert tally.created == Question.objects.filter(state="accepted").count() == 1000
    assert Candidate.objects.count() == 14434
    kinds = ListQuestion.objects.order_by("kind").values_list("kind", flat=True)
    assert [list(kinds).count(kind) for kind in ("simple", "intersection", "composition")] == [
        *(500, 200, 300)
    ]
    data, manifest = released(project, "qampari-readers")
    assert json.loads(data) == json.loads(path.read_text())
    assert data == path.read_bytes().rstrip(b"\n")
    assert manifest["counts"]["annotations"] == 14434
    # In the official form, and back into another project.
    lines, _ = released(project, "qampari")
    other = factories.make_project()
    bring_in(other, io.BytesIO(lines), "qampari", finished=True)
    again, _ = released(other, "qampari")
    assert again == lines
    assert json.loads(released(other, "qampari-readers")[0]) == json.loads(data)


def test_they_can_be_checked_here_and_beyond_the_target_they_wait(realdata):
    path = realdata / DEV
    if not path.exists():
        pytest.skip(f"{path} is missing")
    project = factories.make_project(target_dev=990)
    with path.open("rb") as file:
        bring_in(project, file, "qampari-readers")
    waiting = ListQuestion.objects.filter(reserve=True)
    assert waiting.count() == 10
    assert waiting.filter(question__state="excluded").count() == 10
    first = Candidate.objects.exclude(question__list__reserve=True).count()
    assert Task.objects.filter(seats=1).count() == Task.objects.count() == first
    with path.open("rb") as file:
        tally = bring_in(project, file, "qampari-readers")
    assert (tally.unchanged, tally.updated) == (1000, 0)
