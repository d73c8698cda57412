"""ASQA's released files: in, out again, and what of AmbigNQ becomes ASQA."""

import io
import json
import tracemalloc

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.core.models.questions import display_form
from annotation.core.refusals import Conflict
from annotation.imports.services import import_questions
from annotation.models import Knowledge, LongAnswer, Question, Task
from tests import factories
from tests.annotation.long_answers import helpers
from tests.validation.release.test_tables import read_back, written
from validation.release.services import start_release

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]

DEV = "asqa/ASQA.dev.json"
TRAIN = "asqa/asqa_200_train_with_context.jsonl"


@pytest.fixture
def project(db):
    return helpers.make_project()


def bring_in(project, path, **options):
    if not path.exists():
        pytest.skip(f"{path} is missing")
    defaults = {"format": "asqa", "split": None, "by": None, "now": timezone.now()}
    with path.open("rb") as file:
        tally = import_questions(project=project, file=file, **defaults | options)
    assert tally.errors == []
    return tally


def counted(tally):
    return tally.created, tally.updated, tally.unchanged, tally.rejected


def released(project, split=None):
    release = start_release(
        project=project, format="asqa", split=split, by=None, now=timezone.now()
    )
    data = b"".join(release.blocks())
    return (
        data,
        json.loads(release.build_manifest("data.json")),
        release.build_card("data.json").decode(),
    )


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_dev_records_come_out_as_they_went_in(realdata, project, tmp_path):
    path = realdata / DEV
    with CaptureQueriesContext(connection) as found:
        assert counted(bring_in(project, path, finished=True)) == (948, 0, 0, 0)
    assert len(found) <= 2 * 30 + 10
    assert set(Question.objects.values_list("state", flat=True)) == {"accepted"}
    assert not Task.objects.exists()
    assert (LongAnswer.objects.count(), Knowledge.objects.count()) == (1_896, 3_004)

    official = json.loads(path.read_bytes())
    data, manifest, card = released(project)
    assert json.loads(data) == official
    # Beyond equality of values: the order of records, and every key in its place.
    assert json.dumps(json.loads(data)) == json.dumps(official)
    counts = manifest["counts"]
    assert counts["questions"] == counts["written_by"]["import"] == 948
    assert counts["by_split"]["dev"] == {"questions": 948, "annotations": 1_896}
    assert counts["annotations_per_question"] == {"2": 948}
    assert counts["disambiguations"] == 3_184
    assert counts["disambiguations_per_question"] == {
        "2": 379,
        "3": 170,
        "4": 203,
        "5": 72,
        "6": 124,
    }
    assert (counts["contexts"], counts["wikipages"], counts["knowledge"]) == (0, 2_120, 3_004)
    assert sum(manifest["left_out"]["questions"].values()) == 0
    assert "They have 64.8 words on average" in card
    print(f"\nASQA dev: 948 questions, 1,896 long answers, {len(data):,} bytes released, equal.")  # noqa: T201

    # Again, and nothing changes; what was released comes in elsewhere and comes out the same.
    rows = list(LongAnswer.objects.values_list("pk", flat=True))
    assert counted(bring_in(project, path, finished=True)) == (0, 0, 948, 0)
    assert list(LongAnswer.objects.values_list("pk", flat=True)) == rows
    assert released(project)[0] == data
    copy = tmp_path / "released.json"
    copy.write_bytes(data)
    again = helpers.make_project()
    assert counted(bring_in(again, copy, finished=True)) == (948, 0, 0, 0)
    assert released(again)[0] == data


def test_train_and_dev_together(realdata, project):
    dev = json.loads((realdata / DEV).read_bytes())
    bring_in(project, realdata / DEV, finished=True)
    tally = bring_in(project, realdata / TRAIN, split="train", finished=True)
    assert counted(tally) == (200, 0, 0, 0)
    found = json.loads(released(project)[0])
    # Splits in their order, whatever came first; no context becomes null or is lost.
    assert list(found) == ["train", "dev"]
    assert found["dev"] == dev["dev"]
    keys = ("ambiguous_question", "qa_pairs", "wikipages", "annotations")
    assert found["train"] == {
        record["sample_id"]: {key: record[key] for key in keys}
        for record in lines(realdata / TRAIN)
    }
    assert json.loads(released(project, "dev")[0]) == dev


def test_a_release_holds_little_in_memory(realdata, project):
    bring_in(project, realdata / DEV, finished=True)
    release = start_release(project=project, format="asqa", split=None, by=None, now=timezone.now())
    tracemalloc.start()
    size = sum(len(block) for block in release.blocks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 250 records at a time, as rows and as values, whatever the whole weighs.
    assert size > 2_300_000
    assert peak < 7_000_000


def test_unfinished_records_are_handed_out(realdata, project):
    assert counted(bring_in(project, realdata / DEV)) == (948, 0, 0, 0)
    assert Task.objects.count() == 948
    assert not LongAnswer.objects.exists()
    question = Question.objects.order_by("pk").first()
    official = json.loads((realdata / DEV).read_bytes())["dev"][question.external_id]
    text = official.pop("ambiguous_question")
    assert (question.text, question.context) == (text, official)
    assert display_form(text) == text


def test_ambignq_becomes_asqa(realdata, project):
    """The questions, pairs and pages that ASQA made of AmbigNQ come out the same here."""
    tallies = [
        bring_in(project, realdata / f"ambignq/{split}_light.json", format="ambignq", split=split)
        for split in ("train", "dev")
    ]
    left_out = [tally.left_out for tally in tallies]
    created = sum(tally.created for tally in tallies)
    total = created + sum(sum(each.values()) for each in left_out)
    many = sum(each["too_many_disambiguations"] for each in left_out)
    assert total == 12_038
    assert created + many == 5_921  # somebody called them ambiguous
    assert (created, many) == (5_651, 270)

    official = dict(json.loads((realdata / DEV).read_bytes())["dev"])
    official |= {record["sample_id"]: record for record in lines(realdata / TRAIN)}
    assert len(official) == 1_148
    ours = {
        question.external_id: question
        for question in Question.objects.filter(external_id__in=official)
    }
    same = sum(
        ours[key].text == record["ambiguous_question"]
        and _pairs(ours[key].context) == _pairs(record)
        for key, record in official.items()
        if key in ours
    )
    print(  # noqa: T201
        f"\nAmbigNQ to ASQA: {created + many:,} of {total:,} ambiguous, {many:,} with more than "
        f"six disambiguations; {same:,} of {len(official):,} ASQA records reproduced exactly."
    )
    assert same == len(official)


def test_pages_of_the_full_records(realdata, project):
    path = realdata / "ambignq/ambignq_full_300_of_dev.json"
    bring_in(project, path, format="ambignq", split="dev")
    official = json.loads((realdata / DEV).read_bytes())["dev"]
    ours = Question.objects.filter(external_id__in=official)
    assert ours.count() == 142
    titles = addresses = pages = 0
    for question in ours:
        mine, theirs = question.context["wikipages"], official[question.external_id]["wikipages"]
        pages += len(theirs)
        titles += [each["title"] for each in mine] == [each["title"] for each in theirs]
        addresses += sum(
            a["url"] == b["url"] for a, b in zip(mine, theirs, strict=True) if b["url"]
        )
    print(f"\nPages of 142 questions: titles of {titles}, {addresses} of {pages} addresses equal.")  # noqa: T201
    assert titles == 142
    assert addresses >= 0.97 * pages


def _pairs(record):
    return [(pair["question"], pair["short_answers"]) for pair in record["qa_pairs"]]


def test_an_ambigqa_project_takes_no_asqa(realdata):
    other = factories.make_project()
    with pytest.raises(Conflict, match="Import it into an ASQA project"):
        bring_in(other, realdata / DEV)


def test_from_a_project_as_from_the_files(realdata, project):
    """AmbigNQ dev comes in finished, goes over into the ASQA project, and is the same there."""
    source = factories.make_project()
    path = realdata / "ambignq/dev_light.json"
    bring_in(source, path, format="ambignq", split="dev", finished=True)
    out = io.StringIO()
    args = ["import_questions", project.slug, f"--from-project={source.slug}", "--split=dev"]
    call_command(*args, "--json", stdout=out)
    found = json.loads(out.getvalue())
    other = helpers.make_project()
    tally = bring_in(other, path, format="ambignq", split="dev")
    assert found == tally.as_json()
    print(  # noqa: T201
        f"\nFrom a project: {found['created']:,} of 2,002 dev questions came over; "
        f"left out {found['left_out']}."
    )

    def stored(where):
        rows = Question.objects.filter(project=where).order_by("pk")
        return list(rows.values_list("external_id", "text", "split", "context"))

    assert stored(project) == stored(other)
    official = json.loads((realdata / DEV).read_bytes())["dev"]
    assert set(official) <= {row[0] for row in stored(project)}


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated", "ignore:The inplace keyword")
@pytest.mark.parametrize("tables", ["json", "parquet"])
def test_croissant_gives_the_dev_records_back(realdata, project, tmp_path, tables):
    path = realdata / DEV
    bring_in(project, path, finished=True)
    assert written(project, tmp_path, "asqa", tables) == json.loads(path.read_bytes())
    rows = {row["id"]: official(row) for row in read_back(tmp_path, "dev")}
    assert rows == json.loads(path.read_bytes())["dev"]


def official(row):
    """Return a row of a table as the record of the official file."""
    annotations = [
        {
            "long_answer": one["long_answer"],
            "knowledge": [
                {"content": content, "wikipage": page}
                for content, page in zip(one["knowledge"], one["knowledge_wikipages"], strict=True)
            ],
        }
        for one in row["annotations"]
    ]
    names = ("ambiguous_question", "qa_pairs", "wikipages")
    return {name: row[name] for name in names} | {"annotations": annotations}
