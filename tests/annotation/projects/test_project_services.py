"""Creating projects, publishing guidelines, changing settings and policies."""

import datetime as dt

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry, Membership, Project, StagePolicy
from annotation.projects import services as projects_services
from tests import factories

pytestmark = pytest.mark.django_db


def create(by=None, slug="crossings", **fields):
    return projects_services.create_project(
        slug=slug,
        title="Crossings",
        protocol=fields.pop("protocol", "ambigqa"),
        snapshot=factories.make_snapshot(),
        by=by,
        now=dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
        **fields,
    )


def test_a_new_project_has_the_papers_policies(stan):
    project = create(by=stan)
    people = {(policy.stage, policy.split): policy.people for policy in project.policies.all()}
    assert people["generation", "train"] == 1
    assert people["generation", "dev"] == people["generation", "test"] == 2
    assert people["validation", "dev"] == people["validation", "test"] == 1
    assert ("validation", "train") not in people
    assert project.reference_date == dt.date(2017, 12, 31)
    assert set(Membership.objects.filter(user=stan).values_list("role", flat=True)) == {
        "researcher",
        "admin",
    }
    assert AuditEntry.objects.get(action="project_created").actor == stan.pk


def test_a_new_project_of_lists_has_a_tenth_of_wrong_answers(stan):
    """Q3: no one has to remember them. People are flagged, and no one is paused unasked."""
    plans = create(by=stan, protocol="qampari").gold_plans.values_list("stage", "rate", "pauses")
    assert list(plans) == [("qampari-check", 10, False)]
    assert not create(slug="other", by=stan).gold_plans.exists()


def test_a_taken_short_name_is_explained_and_changes_nothing(stan):
    create(by=stan)
    with pytest.raises(Conflict, match='"crossings" exists already'):
        create(by=stan)
    assert Project.objects.count() == 1
    assert StagePolicy.objects.filter(stage="generation").count() == 3


def test_an_unknown_protocol_is_refused(stan):
    with pytest.raises(Denied, match="does not know the protocol"):
        create(by=stan, protocol="nothing")
    assert not Project.objects.exists()


def test_a_name_that_is_an_address_already_is_refused(stan):
    with pytest.raises(Conflict, match="address of Ambit itself"):
        create(by=stan, slug="new")
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("slug", "title", "sentence"),
    [("x" * 61, "X", "short name has 61 characters"), ("x", "X" * 121, "name has 121 characters")],
)
def test_a_name_that_is_too_long_is_refused(slug, title, sentence, now):
    with pytest.raises(Denied, match=sentence):
        projects_services.create_project(
            slug=slug,
            title=title,
            protocol="ambigqa",
            snapshot=factories.make_snapshot(),
            by=None,
            now=now,
        )


@pytest.mark.parametrize("state", ["indexing", "failed"])
def test_a_snapshot_that_cannot_be_read_yet_is_refused(state, now):
    with pytest.raises(Denied, match="is not ready"):
        projects_services.create_project(
            slug="x",
            title="X",
            protocol="ambigqa",
            snapshot=factories.make_snapshot(state=state),
            by=None,
            now=now,
        )


def test_guidelines_are_versions_and_unchanged_text_makes_none(project, rosa, now):
    second = projects_services.publish_guidelines(
        project=project, body="## Overview\n\nB", by=rosa, now=now
    )
    again = projects_services.publish_guidelines(
        project=project, body="## Overview\n\nB", by=rosa, now=now
    )
    assert (second.version, again.pk) == (2, second.pk)
    assert list(project.guidelines.order_by("version").values_list("version", flat=True)) == [1, 2]


def test_settings_change_is_audited_with_before_and_after(project, rosa, now):
    projects_services.change_settings(
        project=project, changes={"parked_limit": 2}, by=rosa, now=now
    )
    entry = AuditEntry.objects.get(action="project_changed")
    assert entry.data == {"before": {"parked_limit": 5}, "after": {"parked_limit": 2}}
    projects_services.change_settings(
        project=project, changes={"parked_limit": 2}, by=rosa, now=now
    )
    assert AuditEntry.objects.filter(action="project_changed").count() == 1


def test_an_unknown_setting_is_a_programming_error(project, rosa, now):
    with pytest.raises(ValueError, match="not a project setting: slug"):
        projects_services.change_settings(project=project, changes={"slug": "x"}, by=rosa, now=now)


def test_annotators_change_nothing(project, ann, now):
    policy = project.policies.first()
    for call in (
        lambda: projects_services.publish_guidelines(project=project, body="x", by=ann, now=now),
        lambda: projects_services.change_settings(
            project=project, changes={"title": "x"}, by=ann, now=now
        ),
        lambda: projects_services.change_policy(policy=policy, changes={"pay": 1}, by=ann, now=now),
        lambda: projects_services.change_state(project=project, state="closed", by=ann, now=now),
    ):
        with pytest.raises(Denied, match="Only researchers and admins"):
            call()
    project.refresh_from_db()
    assert (project.title, project.state) == ("Crossings pilot", "running")


def test_more_people_open_seats_on_open_tasks(project, rosa, now):
    task = factories.make_task(project, split="train")
    assert task.seats == 1
    projects_services.change_policy(policy=task.policy, changes={"people": 3}, by=rosa, now=now)
    task.refresh_from_db()
    assert task.seats == 3
    assert AuditEntry.objects.filter(action="policy_changed").exists()
