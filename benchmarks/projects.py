"""Projects and people for benchmarks: open tasks of one stage, people with and without a past."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.crowd import TOKEN, Visitor
from benchmarks.databases import insert
from benchmarks.installation_rows import Rows
from benchmarks.visits import signed_in

PROTOCOLS = {"generation": "ambigqa", "validation": "ambigqa", "long_answers": "asqa"}
# A question that enough people have skipped is closed, and has no seats any more.
COUNTS = """
    WITH held AS (
        SELECT t.id, t.seats, q.state, count(a.id) AS n, count(DISTINCT a.user_id) AS people
        FROM annotation_task t JOIN annotation_question q ON q.id = t.question_id
        LEFT JOIN annotation_assignment a
          ON a.task_id = t.id AND a.state IN ('active', 'parked', 'submitted')
        WHERE t.policy_id = %(policy)s GROUP BY t.id, q.id)
    SELECT count(*) FILTER (WHERE n > %(people)s OR people < n),
           count(*) FILTER (WHERE seats <>
               CASE state WHEN 'skipped' THEN 0 ELSE %(people)s - n END),
           (SELECT count(*) FROM annotation_assignment a
            WHERE a.policy_id = %(policy)s AND a.state = 'submitted' AND (
                EXISTS (SELECT 1 FROM annotation_annotation n WHERE n.assignment_id = a.id)
                OR EXISTS (SELECT 1 FROM annotation_longanswer n WHERE n.assignment_id = a.id)
                OR EXISTS (SELECT 1 FROM validation_validation n WHERE n.assignment_id = a.id)))
    FROM held
"""


def new_project(slug: str, protocol: str, *, now: dt.datetime) -> Any:
    """Make a running project, as staff would, with a snapshot that has no archive."""
    from annotation.projects.services import create_project
    from wikipedia.models import Snapshot

    name = slug.rpartition("-")[0]
    values = {"kind": "zim", "archive": "missing.zim", "state": "ready", "created_at": now}
    snapshot, _ = Snapshot.objects.get_or_create(
        name=name, defaults=values | {"title": name.title(), "as_of": dt.date(2018, 1, 1)}
    )
    return create_project(
        slug=slug, title=slug.title(), protocol=protocol, snapshot=snapshot, by=None, now=now
    )


def new_people(email: str, name: str, numbers: Iterable[int]) -> list[Any]:
    """Make people who cannot sign in with a password."""
    from django.contrib.auth.hashers import make_password

    from accounts.models import User

    return User.objects.bulk_create(
        User(email=email.format(n), name=name.format(n), password=make_password(None))
        for n in numbers
    )


def make_project(tasks: int, people: int, stage: str = "generation") -> Any:
    """Make a running project with this many open tasks; return its dev policy.

    Questions to be validated have two annotations with two pairs each.
    """
    from django.utils import timezone

    from annotation.models import Project, StagePolicy

    now, number = timezone.now(), Project.objects.count() + 1
    project = new_project(f"bench-{number}", PROTOCOLS[stage], now=now)
    project.rule_settings = {"minimum_pages": 0}  # reading is not measured
    project.save()
    project.policies.all().delete()
    validates = stage == "validation"
    counts = ({"generation": 2} if validates else {}) | {stage: people}
    policies = {
        key: StagePolicy.objects.create(
            project=project, stage=key, split="dev", people=count, minimum_seconds=0
        )
        for key, count in counts.items()
    }
    writers = make_people(policies["generation"], 2) if validates else []
    Rows(
        project,
        questions=tasks,
        each=0,
        seats=people,
        people={"annotator": writers, "validator": []},
        now=now,
        state="'validating'" if validates else "'imported'",
        split="'dev'",
        kind="'multiple'",
    ).fill_work()
    return policies[stage]


def make_people(policy: Any, count: int) -> list[Any]:
    """Make people who may do the work of a policy."""
    from django.utils import timezone

    from accounts.models import User
    from annotation.stages import registry as stages

    first, role, now = User.objects.count(), stages.get_stage(policy.stage).role, timezone.now()
    users = new_people("p{}@example.org", "Person {}", range(first, first + count))
    join_project(policy.project, {role: users}, now=now)
    return users


def join_project(project: Any, people: Mapping[str, Sequence[Any]], *, now: dt.datetime) -> None:
    """Give people the roles in which they work, once they have agreed to the consent text."""
    from annotation.models import Consent, Membership

    text = project.consent_texts.get()
    everyone = {user.pk: user for users in people.values() for user in users}
    Consent.objects.bulk_create(
        Consent(user=user, project=project, text=text, given_at=now, may_train=True)
        for user in everyone.values()
    )
    Membership.objects.bulk_create(
        Membership(user=user, project=project, role=role, created_at=now)
        for role, users in people.items()
        for user in users
    )


def submitted(policy: Any, users: Sequence[Any], *, count: int, first: int = 0) -> None:
    """Let these people have submitted `count` tasks of the policy, from number `first` on."""
    from django.db import connection
    from django.utils import timezone

    from annotation.models import Assignment

    tasks = """(SELECT t.id, t.position FROM annotation_task t WHERE t.policy_id = %(policy)s
        ORDER BY t.position OFFSET %(first)s LIMIT %(count)s)"""
    values = {
        "policy": policy.pk,
        "project": policy.project_id,
        "users": [user.pk for user in users],
        "first": first,
        "count": count,
        "now": timezone.now(),
    }
    insert(
        Assignment,
        f"{tasks} t, unnest(%(users)s) person ORDER BY t.position",
        values,
        task_id="t.id",
        user_id="person",
        project_id="%(project)s",
        policy_id="%(policy)s",
        stage=f"'{policy.stage}'",
        position="t.position",
        state="'submitted'",
        started_at="%(now)s",
        ended_at="%(now)s",
        submitted_at="%(now)s",
        handed_over_at="%(now)s",
        seen_at="%(now)s",
        active_seconds="240",
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_task SET seats = seats - cardinality(%(users)s) "  # noqa: S608
            f"WHERE id IN (SELECT id FROM {tasks} t)",
            values,
        )


def visitor(policy: Any, user: Any, *, quotes: int = 0) -> Visitor:
    """Return a person who has signed in, and has taken this many quotes from an article."""
    from django.conf import settings
    from django.utils import timezone

    from wikipedia.models import Quote, ShownPage

    cookies = {name: morsel.value for name, morsel in signed_in(user).cookies.items()}
    now = timezone.now()
    page, _ = ShownPage.objects.get_or_create(
        snapshot=policy.project.snapshot,
        path="Crossing",
        defaults={"title": "Crossing", "text": "It opened.", "retrieved_at": now},
    )
    made = Quote.objects.bulk_create(
        Quote(
            page=page,
            block_kind="paragraph",
            exact="It",
            start=0,
            end=2,
            created_by=user,
            created_at=now,
            made_by="selection",
        )
        for _ in range(quotes)
    )
    return Visitor(cookies | {settings.CSRF_COOKIE_NAME: TOKEN}, [str(each.pk) for each in made])


def count(policy: Any, answered: int) -> dict[str, int]:
    """Count over-assigned tasks, seats that do not add up, and submissions lost."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(COUNTS, {"policy": policy.pk, "people": policy.people})
        over, wrong, stored = cursor.fetchone()
    # More may be stored than were answered: a reply can be cut off, a submission not.
    return {
        "over_assigned": over,
        "seats_wrong": wrong,
        "submits_stored": stored,
        "lost": max(0, answered - stored),
    }
