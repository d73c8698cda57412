"""The panels of a project: what they read, and how often."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.figures import registry
from annotation.figures.filters import Filters
from annotation.figures.panel import Panel
from annotation.stages import registry as stages
from evaluation.models import Output
from evaluation.scores.values import Details
from metrics import nq
from natural_questions.entries import TABLES
from tests import factories
from tests.evaluation.consensus import experts
from tests.evaluation.factories import make_system
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


def test_answers_by_experts_are_counted_by_system_and_kind(project):
    first, second = project.questions.order_by("pk")
    items = experts.make_items(project, [first, second])
    pair = [factories.make_member(project, "expert") for _ in range(2)]
    for item, verdict in zip(items, ["correct", "debatable"], strict=True):
        for expert in pair:
            experts.judge(item, expert, verdict)
        experts.agree(item, pair[0], verdict)
    assert [row[:1] + row[2:3] for row in panels(request(project))["nq-table-2"].rows] == [
        ["Answer in words", 2]
    ]
    places = nq.Prediction(nq.NqSpan(18, 114, 4, 27), ())
    system = items[0].first
    for question, spans in (
        (first, places),
        (second, places._replace(yes_no="yes")),
    ):
        rows = system.outputs.filter(question=question)
        rows.update(details=Details(spans=spans).as_json())
    panel = panels(request(project))["nq-table-2"]
    shares = [[cell.value for cell in row[3:]] for row in panel.rows]
    assert [(row[0], row[2]) for row in panel.rows] == [("Long answer", 1), ("Short answer", 1)]
    assert shares == [[1, 0, 0, 1], [0, 1, 0, 1]]
    assert (panel.n, panel.counted) == (2, "answer")
    system.outputs.update(details=Details(spans=nq.NOTHING).as_json())
    assert panels(request(project))["nq-table-2"].rows == []


def test_systems_stand_beside_people_in_the_figures_of_the_leaderboard(project):
    system = make_system(project, name="reader")
    question = project.questions.get(external_id="42")
    spans = nq.Prediction(nq.NqSpan(18, 114, 4, 27), (), long_score=0.5, short_score=0.5)
    Output.objects.create(
        system=system, question=question, text="A street.", details=Details(spans=spans).as_json()
    )
    asked = request(project, split="dev")
    panel = panels(asked)["nq-systems"]
    names = [row[0] if isinstance(row[0], str) else row[0].text for row in panel.rows]
    assert names == ["reader", "Single annotator", "Super-annotator"]
    reader, single, together = panel.rows
    assert [reader[2], single[2], together[2]] == [2, 1, 1]
    assert [cell.value for cell in reader[3:6]] == pytest.approx([100, 50, 200 / 3])
    [board, *_] = registry.find_report(project, "systems").entries(project)
    shown = dict(
        zip((c.key for c in board.panel(asked).columns), board.panel(asked).rows[0], strict=True)
    )
    for place, name in enumerate(["long.precision", "long.recall", "long.f1"], start=3):
        assert reader[place] == shown[name]
    bound = {(row[0], row[1]): row[3:] for row in panels(asked)["nq-table-3"].rows}
    assert [cell.value / 100 for cell in single[3:6]] == pytest.approx(
        bound["Long", "Single annotator"]
    )
    assert [cell.value / 100 for cell in together[6:]] == pytest.approx(
        bound["Short", "Super-annotator"]
    )
    assert panels(request(project, split="test"))["nq-systems"].rows == []
