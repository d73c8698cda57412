"""What is only scored, perhaps hundreds of passages, is read by nothing that does not score."""

import pytest
from django.contrib.admin import site
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.judging.statements import ANSWER_TO_JUDGE, PLACE_IN_STUDY, SEEN_ITEM
from evaluation.judgments import pair_page
from evaluation.models import Output
from evaluation.studies.statements import EXPORTED_JUDGMENTS, POOL
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies

PASSAGES = {"passages": [f"Passage {number}." for number in range(200)]}


@pytest.fixture
def project(db):
    return asqa.make_project()


@pytest.fixture
def systems(project):
    """Two systems with a study, in which one judgment was made."""
    made = [studies.make_system(project) for _ in range(2)]
    for question in studies.make_questions(project, 3):
        for system in made:
            studies.make_output(system, question, details=PASSAGES)
    return made


def read_outputs(act):
    """Return the statements that read outputs while something is done."""
    with CaptureQueriesContext(connection) as queries:
        act()
    return [row["sql"] for row in queries if "evaluation_output" in row["sql"]]


def pages(project, systems):
    study = studies.make_study(project, systems, state="draft")
    yield reverse("system-list", args=[project.slug])
    yield reverse("system-view", args=[project.slug, systems[0].pk])
    yield reverse("study-list", args=[project.slug])
    yield reverse("study-new", args=[project.slug])
    yield reverse("study-view", args=[project.slug, study.pk])


def test_pages_of_systems_and_studies_leave_details_where_they_are(project, systems, client_as):
    staff = client_as(factories.make_member(project, "researcher"))
    read = {
        address: read_outputs(lambda address=address: staff.get(address).content)
        for address in pages(project, systems)
    }
    assert sum(map(len, read.values())) > 3
    assert not [address for address, found in read.items() if "details" in " ".join(found)]


@pytest.mark.parametrize(
    "statement", [SEEN_ITEM, ANSWER_TO_JUDGE, PLACE_IN_STUDY, POOL, EXPORTED_JUDGMENTS]
)
def test_what_judges_and_exports_read_leaves_them_too(statement):
    assert "details" not in statement
    assert "o.*" not in statement


def test_the_pages_of_what_judges_said_leave_them_too(project, systems):
    study = studies.make_study(project, systems)
    question = project.questions.first()
    studies.make_judgment(studies.make_item(study, question, *systems))
    read = read_outputs(lambda: pair_page.page_of(study, *systems))
    assert len(read) == 1
    assert "details" not in read[0]


def test_the_admin_lists_outputs_without_them(systems, rf):
    rows = site._registry[Output].get_queryset(rf.get("/"))
    assert rows.first().get_deferred_fields() == {"details"}
