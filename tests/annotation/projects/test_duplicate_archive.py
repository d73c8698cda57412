"""A project is made as another is set up, and put away."""

import pytest
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.golds import services as golds_services
from annotation.models import AuditEntry, FaqEntry, Project
from annotation.projects import services as projects_services
from annotation.projects.duplicating import duplicate_project
from annotation.qualifications import services as qualifications_services
from annotation.work import assignments
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(project, rosa, now):
    """A project with something of everything."""
    projects_services.change_settings(
        project=project,
        changes={"parked_limit": 2, "claim_days": 3, "rule_settings": {"long_answer_words": 7}},
        by=rosa,
        now=now,
    )
    projects_services.publish_guidelines(
        project=project, body="## Overview\n\nOurs.", by=rosa, now=now
    )
    FaqEntry.objects.create(
        project=project,
        question="Do nicknames count?",
        answer="Yes.",
        position=0,
        changed_by=rosa,
        created_at=now,
        changed_at=now,
    )
    exam = qualifications_services.create_qualification(
        project=project, title="First steps", kind="generation", by=rosa, now=now
    )
    exam.items.create(position=0, prompt="who built it", expected={"accepted": []}, threshold=1)
    policy = project.policies.get(split="dev")
    projects_services.change_policy(
        policy=policy, changes={"people": 4, "pay": 2, "qualification": exam}, by=rosa, now=now
    )
    golds_services.save_plan(
        project=project, stage="generation", rate=7, enough=9, by=rosa, now=now
    )
    factories.make_task(project)
    return project


def copy(source, by, now, slug="again"):
    return duplicate_project(source=source, slug=slug, title="Again", by=by, now=now)


def test_everything_that_was_set_up_is_in_the_copy_and_no_work(full, rosa, ann, now):
    made = copy(full, rosa, now)
    assert (made.slug, made.title, made.protocol) == ("again", "Again", full.protocol)
    assert (made.parked_limit, made.claim_days) == (2, 3)
    assert made.rule_settings == {"long_answer_words": 7}
    assert made.guidelines.get().body == "## Overview\n\nOurs."
    assert made.faq.get().question == "Do nicknames count?"
    exam = made.qualifications.get()
    assert (exam.title, exam.state, exam.guideline_version) == ("First steps", "draft", 1)
    assert exam.items.get().prompt == "who built it"
    policies = {each.split: each for each in made.policies.all()}
    assert len(policies) == full.policies.count()
    assert (policies["dev"].people, policies["dev"].pay) == (4, 2)
    assert policies["dev"].qualification == exam
    plan, original = made.gold_plans.get(), full.gold_plans.get()
    assert (plan.stage, plan.rate, plan.enough) == ("generation", 7, 9)
    assert plan.seed != original.seed
    assert not made.questions.exists()
    assert {each.user for each in made.memberships.all()} == {rosa}
    assert set(made.memberships.values_list("role", flat=True)) == {"researcher", "admin"}
    assert AuditEntry.objects.get(action="project_duplicated").data == {"source": full.slug}
    full.refresh_from_db()
    assert full.qualifications.get().items.count() == full.faq.count() == 1
    assert full.policies.get(split="dev").qualification.project == full


def test_only_staff_of_the_project_copy_it_and_under_a_free_name(full, rosa, ann, stan, now):
    for person in (ann, stan):
        with pytest.raises(Denied):
            copy(full, person, now)
    with pytest.raises(Conflict, match="exists already"):
        copy(full, rosa, now, slug=full.slug)
    assert Project.objects.count() == 1


def test_by_the_page(client_as, full, rosa):
    address = reverse("project-duplicate", args=[full.slug])
    client = client_as(rosa)
    assert "(copy)" in client.get(address).content.decode()
    again = client.post(address, {"title": "Again", "slug": full.slug})
    assert again.status_code == 422
    assert "exists already" in again.content.decode()
    assert client.post(address, {"title": "Again", "slug": "again"}).status_code == 302
    assert Project.objects.get(slug="again").guidelines.get().body.endswith("Ours.")


def test_the_hint_and_the_error_of_the_short_name_agree(client_as, full, rosa):
    address = reverse("project-duplicate", args=[full.slug])
    page = client_as(rosa).post(address, {"title": "Again", "slug": "a b"}).content.decode()
    assert "letters, digits, hyphens and underscores." in page
    assert "Use letters from a to z, digits, hyphens and underscores only." in page


def test_an_archived_project_is_out_of_the_way_and_can_be_exported(
    client_as, project, rosa, ann, now
):
    factories.make_task(project)
    client = client_as(rosa)
    client.post(reverse("project-state", args=[project.slug]), {"state": "archived"})
    project.refresh_from_db()
    assert project.state == "archived"
    with pytest.raises(Conflict, match="archived"):
        assignments.take_next(project=project, stage="generation", by=ann, now=now)
    for person in (rosa, ann):
        client = client_as(person)
        shown = client.get(reverse("project-list")).content.decode()
        assert project.title not in shown
        assert "?archived=1" in shown
        assert (
            project.title in client.get(reverse("project-list"), {"archived": 1}).content.decode()
        )
        assert project.title not in client.get(reverse("home")).content.decode()
    client = client_as(rosa)
    export = client.get(reverse("export-download", args=[project.slug, "annotations"]))
    assert export.status_code == 200
    assert client.get(reverse("project-overview", args=[project.slug])).status_code == 200
    client.post(reverse("project-state", args=[project.slug]), {"state": "running"})
    assert assignments.take_next(project=project, stage="generation", by=ann, now=now)
