"""The panels of a project: what they read, and how often."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.figures import registry
from annotation.figures.filters import Filters
from annotation.figures.panel import Panel
from annotation.stages import registry as stages
from natural_questions.entries import TABLES
from tests import factories
from tests.evaluation.consensus import experts
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    project = factories.make_project(protocol="nq")
    records = [samples.original(), samples.original(42, "how long is pump lane")]
    records[1]["annotations"] = records[1]["annotations"] * 2
    bring_in(project, *records, finished=True)
    return project


def request(project, **filters):
    return registry.Request(project, Filters(**filters), timezone.now())


def panels(asked):
    return {entry.key: entry.panel(asked) for entry in TABLES}


def test_every_panel_is_computed_from_one_reading(project):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        found = panels(request(project))
    assert all(isinstance(panel, Panel) for panel in found.values())
    assert found["nq-figure-2"].n == 9
    assert found["nq-types"].rows[0][:2] == ("Paragraph", 6)
    assert [row[2] for row in found["nq-figure-6"].rows] == ["4/6"]
    assert found["nq-table-3"].n == 1
    assert not any('"record"' in each["sql"] for each in queries.captured_queries)
    before = len(queries)
    bring_in(project, samples.original(43, "is the mill open"), finished=True)
    with CaptureQueriesContext(connection) as queries:
        panels(request(project))
    assert len(queries) == before


def test_a_split_is_followed(project):
    bring_in(project, samples.original(43, "is the mill open"), finished=True, split="train")
    assert panels(request(project, split="train"))["nq-figure-2"].n == 3


def test_only_projects_of_the_protocol_have_them(project):
    keys = {entry.key for entry in registry.find_report(project, "tables").entries(project)}
    assert keys >= {entry.key for entry in TABLES}
    other = factories.make_project(slug="other")
    theirs = {entry.key for entry in registry.find_report(other, "tables").entries(other)}
    assert not theirs & {entry.key for entry in TABLES}


def test_what_experts_agreed_on_divides_the_bars(project):
    question = project.questions.get(external_id="42")
    [item] = experts.make_items(project, [question])
    pair = [factories.make_member(project, "expert") for _ in range(2)]
    for expert in pair:
        experts.judge(item, expert, "debatable")
    experts.agree(item, pair[0], "debatable")
    panel = panels(request(project))["nq-figure-4"]
    assert [row[:3] for row in panel.rows if row[2]] == [("60 to 80", "Debatable", 1)]


def test_a_new_project_asks_one_person_on_train_and_five_on_dev_and_test(project):
    asked = stages.get_stage("nq").default_policies(project)
    assert {policy.split: policy.people for policy in asked} == {"train": 1, "dev": 5, "test": 5}
