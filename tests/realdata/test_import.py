"""The released files imported whole: counts, ids, texts equal; again, and nothing changes."""

import io
import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.core.models.questions import display_form
from annotation.imports.services import import_questions
from annotation.models import Question, Task
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]


@pytest.fixture
def imported(realdata, project):
    """Import a file by the service; returns the counts."""

    def run(name, format, split):
        path = realdata / name
        if not path.exists():
            pytest.skip(f"{path} is missing")
        with path.open("rb") as file:
            tally = import_questions(
                project=project, file=file, format=format, split=split, by=None, now=timezone.now()
            )
        assert tally.errors == []
        return tally.created, tally.updated, tally.unchanged, tally.rejected

    return run


def stored(project, split):
    found = Question.objects.filter(project=project, split=split).order_by("pk")
    return list(found.values_list("external_id", "text"))


def test_nq_open(realdata, project, imported):
    file = ("nq_open/NQ-open.dev.jsonl", "nq-open", "dev")
    assert imported(*file) == (3_610, 0, 0, 0)
    assert imported(*file) == (0, 0, 3_610, 0)
    lines = (realdata / file[0]).read_text(encoding="utf-8").splitlines()
    official = [json.loads(line) for line in lines]
    found = list(Question.objects.filter(project=project).order_by("pk"))
    assert [question.text for question in found] == [record["question"] for record in official]
    assert [question.known_answers for question in found] == [each["answer"] for each in official]
    assert len({question.external_id for question in found}) == 3_610
    assert Task.objects.count() == 3_610


def test_ambignq_light_and_full(realdata, project, imported):
    train = ("ambignq/train_light.json", "ambignq", "train")
    dev = ("ambignq/dev_light.json", "ambignq", "dev")
    full = ("ambignq/ambignq_full_300_of_dev.json", "ambignq", "dev")
    assert imported(*train) == (10_036, 0, 0, 0)
    assert imported(*dev) == (2_002, 0, 0, 0)
    for name, _, split in (train, dev):
        official = json.loads((realdata / name).read_bytes())
        assert stored(project, split) == [(each["id"], each["question"]) for each in official]
        # The released questions are in their display form already.
        assert all(display_form(each["question"]) == each["question"] for each in official)

    # The full records add what they know to 300 of the questions that are there.
    assert imported(*full) == (0, 300, 0, 0)
    official = {each["id"]: each for each in json.loads((realdata / full[0]).read_bytes())}
    found = Question.objects.filter(project=project, external_id__in=official)
    assert found.count() == 300
    for question in found:
        record = official[question.external_id]
        assert question.text == record["question"]
        assert question.known_answers == record["nq_answer"]
        assert question.context == {
            key: record[key]
            for key in ("annotations", "viewed_doc_titles", "used_queries", "nq_doc_title")
        }

    before = list(Question.objects.order_by("pk").values())
    assert imported(*train) == (0, 0, 10_036, 0)
    assert imported(*dev) == (0, 0, 2_002, 0)
    assert imported(*full) == (0, 0, 300, 0)
    assert list(Question.objects.order_by("pk").values()) == before
    assert Task.objects.count() == 12_038


def test_full_records_alone(realdata, project, imported):
    full = ("ambignq/ambignq_full_300_of_dev.json", "ambignq", "dev")
    assert imported(*full) == (300, 0, 0, 0)
    assert imported(*full) == (0, 0, 300, 0)
    official = json.loads((realdata / full[0]).read_bytes())
    assert stored(project, "dev") == [(each["id"], each["question"]) for each in official]


def test_the_same_file_in_two_projects(realdata, project, imported):
    imported("nq_open/NQ-open.dev.jsonl", "nq-open", "dev")
    other = factories.make_project()
    with (realdata / "nq_open/NQ-open.dev.jsonl").open("rb") as file:
        tally = import_questions(
            project=other, file=file, format="nq-open", split="dev", by=None, now=timezone.now()
        )
    assert tally.created == 3_610
    assert stored(project, "dev") == stored(other, "dev")


WITHOUT_FORMAT = [
    ("nq_open/NQ-open.dev.jsonl", "ambigqa", "NQ-open JSONL", 3_610),
    ("nq_open/nq-open-oracle-passages.jsonl.gz", "ambigqa", "Plain JSONL", 2_655),
    ("ambignq/dev_light.json", "ambigqa", "AmbigNQ, light or full", 2_002),
    ("ambignq/ambignq_full_300_of_dev.json", "ambigqa", "AmbigNQ, light or full", 300),
    ("asqa/ASQA.dev.json", "asqa", "ASQA", 948),
    ("asqa/asqa_200_train_with_context.jsonl", "asqa", "ASQA", 200),
    ("nq/simplified_sample.jsonl", "nq", "Natural Questions", 1),
    ("qampari/qampari_dev.json", "qampari", "QAMPARI for readers, JSON", 1_000),
    *(
        (f"peers/{tool}/{name}", "ambigqa", f"{label} export", 4)
        for tool, label, names in (
            ("labelstudio", "Label Studio", "export.json export_min.json export.csv export.tsv"),
            ("doccano", "doccano", "questions.json questions.jsonl questions.csv"),
        )
        for name in names.split()
    ),
]


@pytest.mark.parametrize(("name", "key", "label", "number"), WITHOUT_FORMAT)
def test_the_command_needs_no_format(realdata, name, key, label, number):
    path = realdata / name
    if not path.exists():
        pytest.skip(f"{path} is missing")
    project = factories.make_project(protocol=key, policies=False)
    out = io.StringIO()
    call_command("import_questions", project.slug, str(path), stdout=out, stderr=io.StringIO())
    assert f"Recognised as {label}." in out.getvalue()
    assert f"{number:,} created, 0 updated, 0 unchanged, 0 rejected." in out.getvalue()
    if "peers" in name:
        asked = project.questions.get(text="When did the tunnel open?")
        assert asked.known_answers == ["25 March 1843", "7 December 1869"]
