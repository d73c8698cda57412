"""The pages of a small study read nothing of the large studies beside it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Question
from evaluation.models import Item, Judgment, Output
from evaluation.studies import services as studies_services
from tests import factories, plans
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import compared, make_study, make_system

pytestmark = pytest.mark.django_db
MANY = 600


def fill(project, questions):
    """A project with systems, and a study of them in which everything was judged elsewhere."""
    now = timezone.now()
    rows = Question.objects.bulk_create(
        Question(
            project=project,
            external_id=f"q{number}",
            text="when did it open",
            split="dev",
            context=asqa.TUNNEL,
            created_at=now,
        )
        for number in range(questions)
    )
    systems = [make_system(project, name) for name in ("Amber", "Blue")]
    Output.objects.bulk_create(
        Output(system=system, question=row, text="In 1843.") for system in systems for row in rows
    )
    study = make_study(project, systems, size=questions)
    items = Item.objects.bulk_create(
        Item(study=study, position=place, question=row, first=systems[0], second=systems[1])
        for place, row in enumerate(rows)
    )
    Judgment.objects.bulk_create(
        Judgment(item=item, judge_name="Elsewhere", response=compared(), created_at=now)
        for item in items
    )
    return study


def test_pages_and_start_of_a_small_study_read_its_own_rows(client):
    large = fill(asqa.make_project(), MANY)
    small = fill(asqa.make_project(), 5)
    project = small.project
    rosa = factories.make_member(project, "researcher")
    draft = make_study(project, small.systems.all(), state="draft", size=5)
    client.force_login(rosa)
    with plans.explained(large=True) as found:
        for study in (small, draft):
            page = client.get(reverse("study-view", args=[project.slug, study.pk]))
            assert page.status_code == 200
            client.get(reverse("study-sample", args=[project.slug, study.pk]))
        client.get(reverse("study-list", args=[project.slug]))
        studies_services.start_study(study=draft, by=rosa, now=timezone.now())
        studies_services.close_study(study=draft, by=rosa, now=timezone.now())
    tables = {scan.table for plan in found for scan in plan.scans}
    assert {"evaluation_item", "evaluation_judgment", "evaluation_output"} <= tables
    for plan in found:
        assert plan.rows < MANY / 5, plan
    assert large.items.count() == MANY
