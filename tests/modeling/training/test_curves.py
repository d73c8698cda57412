"""Curves in few points, on the page and as files."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from lxml import etree

from annotation.models import Job
from modeling.training import curves
from tests import factories

KILOBYTE = 1024


@pytest.fixture
def project(db):
    return factories.make_project(slug="crossings")


@pytest.fixture
def staff(project):
    return factories.make_member(project, "researcher")


def write_curve(path, count):
    """Write a run's curve of a tenth as many looks at dev as losses, the best of them early."""
    rows = []
    for step in range(1, count + 1):
        rows.append({"step": step, "epoch": step / count, "loss": 3 / step})
        if step % 10 == 0:
            rows.append({"step": step, "dev": {"F1": 0.9 if step == 30 else step / count / 2}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return curves.read_curve(path, "F1")


def make_job(project, staff, curve, **more):
    now = timezone.now()
    told = {"name": "ours", "system": "fid", "use": "--option model=trained:ours", "step": 30}
    given = {"state": "done", "ended_at": now, "done": 9, "total": 9, "unit": "steps"} | more
    return Job.objects.create(
        project=project,
        kind="training",
        options={"key": "ours"},
        result=curve | told | {"figures": {"F1": 0.9}},
        created_by=staff,
        created_at=now,
        **given,
    )


def test_a_curve_has_few_points_its_ends_and_the_best_look(tmp_path):
    curve = write_curve(tmp_path / "curve.jsonl", 9_000)
    assert (len(curve["loss"]), len(curve["dev"])) == (400, 100)
    assert (curve["loss"][0], curve["loss"][-1]) == ([1, 3], [9_000, 3 / 9_000])
    assert (curve["dev"][0][0], curve["dev"][-1]) == (10, [9_000, 0.5])
    assert [30, 0.9] in curve["dev"]
    steps = [step for step, _ in curve["dev"]]
    assert steps == sorted(set(steps))
    few = write_curve(tmp_path / "few.jsonl", 25)
    assert (len(few["loss"]), few["dev"]) == (25, [[10, 0.2], [20, 0.4]])
    assert curves.read_curve(tmp_path / "none", "F1") == {"metric": "F1", "loss": [], "dev": []}


@pytest.mark.parametrize("best", range(12))
def test_the_best_is_kept_wherever_it_stands(best):
    points = [[n, float(n == best)] for n in range(12)]
    thin = curves.thin_out(points, 5)
    assert (len(thin), thin[0][0], thin[-1][0]) == (5, 0, 11)
    assert [best, 1.0] in thin


def test_the_page_is_small_and_asks_no_more_for_more_points(project, staff, client_as, tmp_path):
    client, asked = client_as(staff), []
    for count in (20, 9_090):
        job = make_job(project, staff, write_curve(tmp_path / "curve.jsonl", count))
        address = reverse("job-detail", args=["crossings", job.pk])
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address).content
        asked.append(len(queries))
    assert len(page) <= 64 * KILOBYTE
    assert page.count(b"<tr>") == 2 + 500
    assert asked[0] == asked[1]
    for form in curves.CURVE_FORMATS:
        assert reverse("api-training-curve", args=["crossings", job.pk, form]).encode() in page


def test_the_curve_as_files(project, staff, client_as, tmp_path):
    curve = write_curve(tmp_path / "curve.jsonl", 40)
    job = make_job(project, staff, curve)

    def read(form):
        address = reverse("api-training-curve", args=["crossings", job.pk, form])
        reply = client_as(staff).get(address)
        assert reply["Content-Disposition"] == f'attachment; filename="ours-curve.{form}"'
        assert reply["Content-Type"] == curves.CURVE_FORMATS[form]
        return reply.content.decode()

    assert json.loads(read("json")) == curve
    head, *rows = csv.reader(io.StringIO(read("csv")))
    assert head == ["step", "loss", "F1"]
    assert len(rows) == 40
    assert rows[8:10] == [["9", str(3 / 9), ""], ["10", "0.3", "0.125"]]
    root = etree.fromstring(read("svg"))
    names = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert names == {"svg", "title", "rect", "text", "polyline"}
    lines = [node for node in root.iter() if node.tag.endswith("polyline")]
    assert [len(line.get("points").split()) for line in lines] == [40, 4]
    assert not [name for node in root.iter() for name in node.attrib if name.startswith("on")]


def test_a_training_that_has_only_begun_has_an_empty_curve(project, staff, client_as):
    job = make_job(project, staff, {"loss": [], "dev": []}, state="running", ended_at=None)
    for form, said in (("json", '"loss": []'), ("csv", "step,loss,dev"), ("svg", "No curve yet.")):
        address = reverse("api-training-curve", args=["crossings", job.pk, form])
        assert said in client_as(staff).get(address).content.decode()


def test_other_jobs_and_other_files_are_not_found(project, staff, client_as):
    job = make_job(project, staff, {})
    other = make_job(project, staff, {})
    Job.objects.filter(pk=other.pk).update(kind="predict")
    for pk, form in ((job.pk, "pdf"), (other.pk, "csv"), (other.pk + 1, "csv")):
        address = reverse("api-training-curve", args=["crossings", pk, form])
        assert client_as(staff).get(address).status_code == 404
    annotator = factories.make_member(project, "annotator")
    address = reverse("api-training-curve", args=["crossings", job.pk, "csv"])
    assert client_as(annotator).get(address).status_code == 403
    assert client_as(factories.make_user()).get(address).status_code == 404
