"""The set-up rows of ASQA's kit become a study of pairs, whose judgments come out in its columns
(S32)."""

import csv
import datetime as dt
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.imports.records import WrongFormat
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question, Task
from evaluation.judgments.imported_judgments import BadRows
from evaluation.judgments.setups import import_setup
from evaluation.models import Output, Study, System
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def row(number=1, one="T5-O-5", two="HP-w/o-C", **more):
    return {
        "key": f"key-{number}",
        "model 1": one,
        "model 2": two,
        "answer 1": f"{one} on {number}, with a comma.",
        "answer 2": f"{two} on {number}.",
    } | more


def as_table(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


LAYOUTS = {
    "a list": lambda rows: json.dumps(rows).encode(),
    "lines": lambda rows: "\n".join(map(json.dumps, rows)).encode(),
    "a table": as_table,
}


@pytest.fixture
def project(db):
    project = asqa.make_project()
    for question in studies.make_questions(project, 4):
        assert question.external_id
    return project


def bring(project, rows, layout="a list", **fields):
    given = {"title": "Section 5", "by": None, "now": NOW} | fields
    return import_setup(project=project, file=io.BytesIO(LAYOUTS[layout](rows)), **given)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_row_is_a_pair_that_people_judge(project, layout):
    rows = [row(2), row(1, "HP-w/o-C", "T5-O-5"), row(3)]
    rows[1]["answer 1"], rows[1]["answer 2"] = "People on 1.", "Model on 1."
    imported = bring(project, rows, layout, raters=3)
    study = Study.objects.get()
    assert (imported.study, imported.pairs, imported.questions) == (study.pk, 3, 3)
    assert (imported.answers, imported.systems) == (6, ["HP-w/o-C", "T5-O-5"])
    assert (study.state, study.title, study.size, study.raters) == ("running", "Section 5", 3, 3)
    assert study.accuracy is True
    items = list(study.items.order_by("position").select_related("question", "first", "second"))
    assert [item.question.external_id for item in items] == ["key-2", "key-1", "key-3"]
    assert {(str(item.first), str(item.second)) for item in items} == {("HP-w/o-C", "T5-O-5")}
    assert len({item.swapped for item in items}) == 2  # sides are drawn
    texts = {
        (str(output.system), output.question.external_id): output.text
        for output in Output.objects.select_related("system", "question")
    }
    assert texts["HP-w/o-C", "key-1"] == "People on 1."
    assert texts["T5-O-5", "key-1"] == "Model on 1."
    assert texts["T5-O-5", "key-2"] == "T5-O-5 on 2, with a comma."
    tasks = Task.objects.filter(policy__stage=study.stage)
    assert sorted(tasks.values_list("unit", "people")) == [(item.unit, 3) for item in items]
    entry = AuditEntry.objects.get(action="study_started")
    assert (entry.data["items"], entry.data["seed"]) == (3, study.seed)


def test_answers_that_are_here_stay(project):
    bring(project, [row(1)])
    third = bring(project, [row(1, "HP-w/o-C", "T5-C", **{"answer 1": "HP-w/o-C on 1."})])
    assert (third.answers, third.systems) == (1, ["T5-C"])
    kinds = System.objects.values_list("name", "kind")
    assert dict(kinds)["HP-w/o-C"] == "model"
    System.objects.filter(name="HP-w/o-C").update(kind="human")
    bring(project, [row(2)])
    assert System.objects.get(name="HP-w/o-C").kind == "human"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row(1), row(9)], "Row 2: key “key-9” is no question of this project."),
        ([row(1, two="T5-O-5")], "is the same system as model 1."),
        ([row(1), row(1, "HP-w/o-C", "T5-O-5")], "The pair is in row 1 already."),
        ([row(1), row(1, two="X", **{"answer 1": "Else."})], "differs from the answer"),
        ([row(1, **{"answer 2": " "})], "answer 2 “ ” is not a text"),
        ([{**row(1), "model 1": None}], "model 1 null is not a name."),
        ([{key: value for key, value in row(1).items() if key != "answer 2"}], "is missing"),
        ([row(1), row(4)], "Row 2: key “key-4” is not in the split dev."),
    ],
)
def test_nothing_is_imported_if_a_row_cannot_be(project, rows, sentence):
    Question.objects.filter(external_id="key-4").update(split="test")
    with pytest.raises(BadRows) as refused:
        bring(project, rows)
    assert any(sentence in each for each in refused.value.sentences), refused.value.sentences
    assert not Study.objects.exists()
    assert not System.objects.exists()
    assert not Output.objects.exists()


def test_a_text_that_is_here_is_never_changed(project):
    bring(project, [row(1)])
    with pytest.raises(BadRows, match="differs from the answer that this model has"):
        bring(project, [row(1, **{"answer 1": "Another."})])
    assert Study.objects.count() == 1


def test_what_is_refused_as_a_whole(project):
    with pytest.raises(Conflict, match="Give the study a title"):
        bring(project, [row(1)], title=" ")
    with pytest.raises(Conflict, match="From 1 to 25 people"):
        bring(project, [row(1)], raters=26)
    with pytest.raises(WrongFormat, match="“model 2” is missing"):
        bring(project, [{"key": "a", "model 1": "b"}], "a table")
    with pytest.raises(Denied):
        bring(project, [row(1)], by=factories.make_user())


def run_job(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


@pytest.fixture
def staff(project, client_as, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    return client_as(factories.make_member(project, "researcher"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_page_tells_a_set_up_from_judgments(project, staff, layout):
    address = reverse("judgments-import", args=[project.slug])
    assert "key, model 1, model 2, answer 1, answer 2" in staff.get(address).content.decode()
    file = SimpleUploadedFile("setup.csv", LAYOUTS[layout]([row(1), row(2)]))
    answer = staff.post(address, {"file": file, "title": "Pairs", "raters": "2"})
    job = run_job(Job.objects.get())
    assert (job.state, job.total, job.result["pairs"]) == ("done", 2, 2)
    study = Study.objects.get()
    assert (study.pk, study.raters, study.state) == (job.result["study_id"], 2, "running")
    page = staff.get(answer["Location"]).content.decode()
    assert "asks for judgments of 2 pairs from now on" in page
    assert reverse("study-view", args=[project.slug, study.pk]) in page
    assert run_job(job).result["study_id"] == study.pk


def test_bad_rows_are_named_on_the_page_of_the_job(project, staff):
    file = SimpleUploadedFile("setup.csv", as_table([row(9)]))
    staff.post(reverse("judgments-import", args=[project.slug]), {"file": file, "title": "P"})
    job = run_job(Job.objects.get())
    assert (job.state, job.result["rejected"]) == ("failed", 1)
    assert "is no question of this project" in job.result["errors"][0]["reason"]
    assert not Study.objects.exists()


def test_the_command_takes_a_set_up(project, tmp_path, capsys):
    path = tmp_path / "setup.csv"
    path.write_bytes(as_table([row(1), row(2)]))
    call_command("import_setup", project.slug, str(path), "--title", "Pairs", "--json")
    said = json.loads(capsys.readouterr().out)
    assert (said["pairs"], said["answers"], said["study"]) == (2, 4, Study.objects.get().pk)
    path.write_bytes(as_table([row(7)]))
    with pytest.raises(CommandError, match="1 row of 1 cannot be imported"):
        call_command("import_setup", project.slug, str(path), "--title", "Pairs")
    assert "Row 1: key “key-7”" in capsys.readouterr().err
