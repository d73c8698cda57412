"""All projects: their sizes, archiving without work given, its undo, deleting an empty one."""

import threading

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, AuditEntry, Job, Project
from annotation.projects.services import change_state, reopen_project
from annotation.work import assignments, taking
from operations.administration.projects.services import delete_project
from tests import factories
from tests.annotation.work.helpers import in_parallel, wait_until_one_is_blocked

pytestmark = pytest.mark.django_db
LIST = reverse("administration-projects")


def press(client, what, project):
    return client.post(reverse(f"administration-project-{what}", args=[project.slug]))


def test_the_list_says_how_large_each_project_is(client, project, ann, now):
    empty = factories.make_project(title="Nothing yet")
    factories.make_assignment(factories.make_task(project), ann)
    factories.make_task(project)
    change_state(project=project, state="paused", by=ann_admin(), now=now)
    [first, second] = client.get(LIST).context["sizes"]
    assert (first.project, first.is_empty, first.bytes) == (empty, True, 0)
    assert (second.questions, second.assignments, second.active_at) == (2, 1, now)
    assert second.bytes > 100_000
    assert client.get(LIST).context["states"] == "1 running, 1 paused"


def ann_admin():
    return factories.make_user(name="R", is_staff=True, is_superuser=True)


def test_the_list_takes_no_more_queries_with_more_projects(client):
    def count():
        with CaptureQueriesContext(connection) as queries:
            client.get(LIST)
        return len(queries)

    factories.make_project()
    few = count()
    for _ in range(5):
        factories.make_task(factories.make_project())
    assert count() == few <= 9


@pytest.mark.parametrize("state", ["running", "paused", "closed"])
def test_an_archived_project_gets_back_the_state_it_had(client, project, root, state):
    Project.objects.filter(pk=project.pk).update(state=state)
    press(client, "archive", project)
    project.refresh_from_db()
    assert (project.state, project.reopens_as) == ("archived", state)
    assert project.archived_at is not None
    press(client, "archive", project)  # a second click
    press(client, "reopen", project)
    project.refresh_from_db()
    assert (project.state, project.reopens_as, project.archived_at) == (state, "", None)
    assert press(client, "reopen", project).status_code == 409
    rows = AuditEntry.objects.filter(action="project_state").order_by("pk")
    assert [row.data["state"] for row in rows] == ["archived", state]


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "archived"},
        {"archived_at": timezone.now()},
        {"reopens_as": "paused"},
        {"state": "archived", "archived_at": timezone.now(), "reopens_as": "archived"},
    ],
)
def test_the_database_knows_what_an_archived_project_is(project, wrong):
    constraint = "project_archived_iff_it_can_reopen"
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Project.objects.filter(pk=project.pk).update(**wrong)


@pytest.mark.django_db(transaction=True)
def test_whoever_takes_work_while_a_project_is_archived_gets_none(project, ann, now):
    """They have read that it runs, and wait for the archiving before they take."""
    root = ann_admin()
    factories.make_task(project)
    archived, may_commit = threading.Event(), threading.Event()

    def archive():
        with transaction.atomic():
            change_state(project=project, state="archived", by=root, now=now)
            archived.set()
            may_commit.wait(60)

    def take():
        archived.wait(60)
        return taking.take_next(project=project, stage="generation", by=ann, now=now)

    def release():
        archived.wait(60)
        wait_until_one_is_blocked()
        may_commit.set()

    _, taken, problem = in_parallel([archive, take, release])
    assert (taken, problem) == (None, None)
    assert not Assignment.objects.exists()
    with pytest.raises(Conflict, match="archived"):
        assignments.take_next(project=project, stage="generation", by=ann, now=now)


@pytest.mark.django_db(transaction=True)
def test_archiving_waits_for_whoever_is_being_given_work(project, ann, now):
    """No row of work appears in a project after the press that archived it has come back."""
    root = ann_admin()
    factories.make_task(project)
    taken, may_commit = threading.Event(), threading.Event()

    def take():
        with transaction.atomic():
            work = taking.take_next(project=project, stage="generation", by=ann, now=now)
            taken.set()
            may_commit.wait(60)
        return work

    def archive():
        taken.wait(60)
        change_state(project=project, state="archived", by=root, now=now)
        return Assignment.objects.count()

    def release():
        taken.wait(60)
        wait_until_one_is_blocked()
        may_commit.set()

    work, seen, problem = in_parallel([take, archive, release])
    assert (seen, problem) == (1, None)
    assert work is not None


TAKE_UP = {"returned": assignments.reopen_assignment, "parked": assignments.resume_assignment}


def leave(project, ann, state, now):
    """Return work that somebody has left, and can take up again."""
    work = factories.make_assignment(factories.make_task(project), ann)
    if state == "parked":
        return assignments.park_assignment(assignment=work, reason="Later.", by=ann, now=now)
    return assignments.give_back(assignment=work, by=ann, now=now)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", TAKE_UP)
def test_nobody_takes_up_work_again_while_a_project_is_archived(project, ann, now, state):
    """They have read that it runs, and wait for the archiving before the work is in hand."""
    root, left = ann_admin(), leave(project, ann, state, now)
    archived, may_commit = threading.Event(), threading.Event()

    def archive():
        with transaction.atomic():
            change_state(project=project, state="archived", by=root, now=now)
            archived.set()
            may_commit.wait(60)

    def take_up():
        archived.wait(60)
        return TAKE_UP[state](assignment=left, by=ann, now=now)

    def release():
        archived.wait(60)
        wait_until_one_is_blocked()
        may_commit.set()

    _, refused, problem = in_parallel([archive, take_up, release])
    assert problem is None
    assert isinstance(refused, Conflict)
    assert "archived" in str(refused)
    assert Assignment.objects.get().state == state


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", TAKE_UP)
def test_archiving_waits_for_whoever_takes_up_work_again(project, ann, now, state):
    """No work comes into hand in a project after the press that archived it has come back."""
    root, left = ann_admin(), leave(project, ann, state, now)
    taken, may_commit = threading.Event(), threading.Event()

    def take_up():
        with transaction.atomic():
            TAKE_UP[state](assignment=left, by=ann, now=now)
            taken.set()
            may_commit.wait(60)

    def archive():
        taken.wait(60)
        change_state(project=project, state="archived", by=root, now=now)
        return Assignment.objects.get().state

    def release():
        taken.wait(60)
        wait_until_one_is_blocked()
        may_commit.set()

    _, seen, problem = in_parallel([take_up, archive, release])
    assert (seen, problem) == ("active", None)


def test_only_an_empty_project_is_deleted(client, project, root, ada, ann, now):
    task = factories.make_task(project)
    assert press(client, "delete", project).status_code == 409
    task.question.delete()
    job = Job.objects.create(
        project=project, kind="import", created_by=ada, created_at=now, heartbeat_at=now
    )
    assert press(client, "delete", project).status_code == 409
    Job.objects.filter(pk=job.pk).update(state="done", ended_at=now)
    pk = project.pk
    press(client, "delete", project)
    assert not Project.objects.filter(pk=pk).exists()
    entry = AuditEntry.objects.get(action="project_deleted")
    assert (entry.project, entry.actor, entry.data) == (pk, root.pk, {"title": project.title})


def test_a_project_of_whom_something_has_to_be_kept_stays(project, root, ada, ann, now):
    factories.make_assignment(factories.make_task(project), ann)
    with pytest.raises(Conflict, match="not empty"):
        delete_project(project=project, by=root, now=now)
    with pytest.raises(Denied, match="Only administrators"):
        delete_project(project=project, by=ada, now=now)
    with pytest.raises(Denied):
        reopen_project(project=project, by=ann, now=now)
