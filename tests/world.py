"""One small project with somebody in every role and a row of every noun a URL may name.

The tests that walk all URLs and all pages build their addresses from it. Add an attribute
here when your URL needs a row that is not there yet.
"""

import datetime as dt
from types import SimpleNamespace

from django.utils import timezone

from annotation.models import Invitation, Job
from tests import factories

ROLES = ("annotator", "validator", "judge", "researcher", "admin")
# Who walks: nobody, somebody of no project, each role, and staff of the installation.
PERSONAS = ("anonymous", "stranger", *ROLES, "staff")


def make_world(slug="crossings"):
    """Return the rows, with `people`: persona -> user (None for anonymous)."""
    now = timezone.now()
    project = factories.make_project(slug=slug)
    people = {
        "anonymous": None,
        "stranger": factories.make_user(name="Stan Stone"),
        "staff": factories.make_user(name="Stella Stead", is_staff=True),
    }
    for role in ROLES:
        people[role] = factories.make_member(project, role, name=f"{role.title()} Ash")
    tasks = [factories.make_task(project), factories.make_task(project)]
    return SimpleNamespace(
        now=now,
        project=project,
        slug=project.slug,
        snapshot=project.snapshot,
        policy=project.policies.get(split="dev"),
        people=people,
        question=tasks[0].question,
        task=tasks[0],
        waiting_task=tasks[1],
        assignment=factories.make_assignment(tasks[0], people["annotator"]),
        membership=project.memberships.get(role="annotator"),
        invitation=Invitation.objects.create(
            project=project,
            email="nora@example.org",
            role="annotator",
            invited_by=people["admin"],
            created_at=now,
            expires_at=now + dt.timedelta(days=7),
        ),
        job=Job.objects.create(
            project=project,
            kind="import",
            state="done",
            created_by=people["researcher"],
            created_at=now,
            ended_at=now,
        ),
    )
