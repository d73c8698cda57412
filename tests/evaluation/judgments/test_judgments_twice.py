"""The same judgments come in once: in another layout, under another title, at the same moment."""

import json

import pytest
from django.db import IntegrityError, transaction

from evaluation.models import Judgment, Study, System
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.work.helpers import in_parallel
from tests.evaluation import factories as studies
from tests.evaluation.judgments.test_judgment_files import LAYOUTS, ROW, bring, run

ROWS = [ROW, ROW | {"pair": 5, "key": "key-2"}]


@pytest.fixture
def project(db):
    project = asqa.make_project()
    studies.make_questions(project, 3)
    return project


def counts():
    return [model.objects.count() for model in (Study, System, Judgment)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_judgments_again_add_nothing_and_lead_to_their_study(project, layout):
    study, first = bring(project, ROWS)
    before = counts()

    same, again = bring(project, LAYOUTS[layout](ROWS), title="Under another name")

    assert (same, first.again, again.again) == (study, False, True)
    assert (again.study, again.title, again.systems) == (study.pk, "Elsewhere", [])
    assert (again.judgments, again.questions, again.judges) == (2, 2, 1)
    assert counts() == before


def test_other_judgments_and_another_project_have_a_study_of_their_own(project):
    bring(project, ROWS)
    bring(project, [ROW])
    bring(project, [ROWS[0], ROWS[1] | {"Overall": "Tie"}])
    other = asqa.make_project()
    studies.make_questions(other, 3)
    bring(other, ROWS)
    assert Study.objects.count() == 4


def test_the_database_holds_no_judgments_twice(project):
    study, _ = bring(project, ROWS)
    study.pk = None
    with pytest.raises(IntegrityError, match="study_judgments_once"), transaction.atomic():
        study.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_of_imports_at_the_same_moment_one_makes_the_study():
    project = asqa.make_project()
    studies.make_questions(project, 3)
    rosa = factories.make_member(project, "researcher")

    made = in_parallel([lambda: bring(project, ROWS, by=rosa)] * 4)

    assert {study for study, _ in made} == {Study.objects.get()}
    assert sorted(imported.again for _, imported in made) == [False, True, True, True]
    assert counts() == [1, 2, 2]
    assert project.jobs.count() == 1  # of its results


@pytest.mark.django_db(transaction=True)
def test_imports_at_the_same_moment_share_the_systems_they_bring():
    project = asqa.make_project()
    studies.make_questions(project, 3)
    files = [[row] for row in ROWS]

    made = in_parallel([lambda rows=rows: bring(project, rows) for rows in files])

    assert {study for study, _ in made} == set(Study.objects.all())
    assert counts() == [2, 2, 2]


def test_the_command_says_so(project, tmp_path):
    for name in ("ratings.json", "copy.json"):
        (tmp_path / name).write_text(json.dumps(ROWS))
    first = json.loads(run(project.slug, str(tmp_path / "ratings.json"), "--title=A", "--json")[0])
    args = (project.slug, str(tmp_path / "copy.json"), "--title=B")

    out, _ = run(*args)

    study = Study.objects.get()
    assert out == (
        f"These 2 judgments are here already, in study {study.pk}, A. Nothing was imported.\n"
    )
    assert json.loads(run(*args, "--json")[0]) == first | {"again": True, "systems": []}
