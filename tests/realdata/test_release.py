"""What goes in comes out: official files imported as finished and released are equal."""

import copy
import itertools
import json

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import Question, Task
from tests import factories
from tests.validation.release.test_tables import read_back, written
from validation.models import AcceptedAnswer, Decision
from validation.release.services import start_release

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]
FILES = [
    ("ambignq/dev_light.json", "dev", "ambignq-light", 2_002),
    ("ambignq/train_light.json", "train", "ambignq-light", 10_036),
    ("ambignq/ambignq_full_300_of_dev.json", "dev", "ambignq", 300),
]


def analyze_at_powers_of_two():
    """Return what tells PostgreSQL now and then how large the tables have become.

    It finds that out itself where each batch is committed. In a test nothing is, and from tests
    that were rolled back it may think that all tables are empty: then this takes ten times longer.
    """
    steps = itertools.count(1)
    tables = [model._meta.db_table for model in apps.get_app_config("validation").get_models()]

    def step():
        if next(steps).bit_count() == 1:
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {', '.join([Question._meta.db_table, *tables])}")

    return step


def bring_in(project, path, split):
    with path.open("rb") as file:
        tally = import_questions(
            project=project,
            file=file,
            format="ambignq",
            split=split,
            finished=True,
            by=None,
            now=timezone.now(),
            on_step=analyze_at_powers_of_two(),
        )
    assert tally.errors == []
    return tally.created, tally.updated, tally.unchanged, tally.rejected


def released(project, format):
    release = start_release(project=project, format=format, split=None, by=None, now=timezone.now())
    data = b"".join(release.blocks())
    return data, json.loads(release.build_manifest("data.json"))


@pytest.mark.parametrize(("name", "split", "format", "count"), FILES)
def test_an_official_file_comes_out_as_it_went_in(
    realdata, project, tmp_path, name, split, format, count
):
    path = realdata / name
    if not path.exists():
        pytest.skip(f"{path} is missing")
    official = json.loads(path.read_bytes())
    assert len(official) == count

    with CaptureQueriesContext(connection) as found:
        assert bring_in(project, path, split) == (count, 0, 0, 0)
    batches = -(-count // 500)
    assert len(found) <= 30 * batches + 10
    states = Question.objects.filter(project=project).values_list("state", flat=True)
    assert set(states) == {"accepted"}
    assert not Task.objects.exists()

    data, manifest = released(project, format)
    assert json.loads(data) == official
    # Beyond equality of values: no number became a text, no text lost a character.
    assert json.dumps(json.loads(data), sort_keys=True) == json.dumps(official, sort_keys=True)
    assert manifest["counts"]["questions"] == count
    assert manifest["counts"]["decided_by"]["import"] == count
    assert sum(manifest["left_out"]["questions"].values()) == 0
    kinds = [each["type"] for record in official for each in record["annotations"]]
    assert manifest["counts"]["annotations"] == {
        kind: kinds.count(kind) for kind in ("singleAnswer", "multipleQAs")
    }

    assert bring_in(project, path, split) == (0, 0, count, 0)
    assert Decision.objects.count() == count
    assert released(project, format)[0] == data

    # What was released comes in again, elsewhere, and comes out the same bytes.
    again = factories.make_project()
    copy = tmp_path / "released.json"
    copy.write_bytes(data)
    assert bring_in(again, copy, split) == (count, 0, 0, 0)
    assert released(again, format)[0] == data


@pytest.fixture(scope="class")
def shared(realdata, plain_settings, django_db_setup, django_db_blocker):
    """A project with the light dev records, and what their import counted."""
    with django_db_blocker.unblock(), transaction.atomic():
        project = factories.make_project()
        yield project, bring_in(project, realdata / "ambignq/dev_light.json", "dev")
        transaction.set_rollback(True)


class TestLightDevRecords:
    """They are imported once; each test rolls back what it changes."""

    @pytest.fixture
    def project(self, shared, db):
        return copy.deepcopy(shared[0])

    def test_the_full_records_over_the_light_ones(self, realdata, shared, project):
        """300 questions learn what was read and searched; their annotations do not change."""
        assert shared[1] == (2_002, 0, 0, 0)
        answers = AcceptedAnswer.objects.count()
        full = realdata / "ambignq/ambignq_full_300_of_dev.json"
        assert bring_in(project, full, "dev") == (0, 300, 0, 0)
        assert AcceptedAnswer.objects.count() == answers
        assert Decision.objects.count() == 2_002
        by_id = {each["id"]: each for each in json.loads(full.read_bytes())}
        found = {each["id"]: each for each in json.loads(released(project, "ambignq")[0])}
        assert {key: found[key] for key in by_id} == by_id

    @pytest.mark.filterwarnings(
        "ignore:ConjunctiveGraph is deprecated", "ignore:The inplace keyword"
    )
    @pytest.mark.parametrize("tables", ["json", "parquet"])
    def test_croissant_gives_the_official_records_back(self, realdata, project, tmp_path, tables):
        """Its own library reads the tables; the records made of them are those of the file."""
        written(project, tmp_path, "ambignq-light", tables)
        rows = read_back(tmp_path, "dev")
        path = realdata / "ambignq/dev_light.json"
        assert [official(row) for row in rows] == json.loads(path.read_bytes())


def official(row):
    """Return a row of a table as the record of the official file."""
    annotations = []
    for one in row["annotations"]:
        if one["type"] == "singleAnswer":
            annotations.append({"type": one["type"], "answer": one["answer"]})
            continue
        pairs = zip(one["questions"], one["answers"], strict=True)
        pairs = [{"question": question, "answer": answer} for question, answer in pairs]
        annotations.append({"type": one["type"], "qaPairs": pairs})
    return {"id": row["id"], "question": row["question"], "annotations": annotations}
