"""The demo: a snapshot, people and a project made by us, loaded through the same services as
real ones. Loading it again changes nothing."""

from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

import annotation
from accounts.models import User
from annotation.models import Membership, Project
from annotation.services.imports import import_questions
from annotation.services.projects import create_project
from config.demo_people import DOMAIN, PEOPLE, password
from wikipedia.demo.build import build_demo_zim
from wikipedia.models import Snapshot
from wikipedia.queries import index_problem

SLUG = "demo"


def load(say: Callable[[str], None]) -> None:
    """Bring the database up to date and load what of the demo is not there yet."""
    say("Preparing the database")
    call_command("migrate", verbosity=0, interactive=False)
    if "cache" not in connection.introspection.table_names():
        call_command("createcachetable", verbosity=0)
    snapshot = _snapshot(say)
    people = _people()
    if not Project.objects.filter(slug=SLUG).exists():
        say("Loading the demo project")
        _project(snapshot, people)


def _snapshot(say: Callable[[str], None]) -> Snapshot:
    archive = settings.AMBIT_DATA / "demo.zim"
    if not archive.exists():
        say("Building the demo Wikipedia")
        build_demo_zim(archive)
    snapshot = Snapshot.objects.filter(name=SLUG).first()
    if snapshot is None or index_problem(snapshot):
        say("Indexing the demo Wikipedia")
        call_command("index_wikipedia", str(archive), name=SLUG, verbosity=0)
    return Snapshot.objects.get(name=SLUG)


def _people() -> dict[str, User]:
    secret = password()
    found = {}
    for person in PEOPLE:
        user = User.objects.filter(email=person.email).first()
        if user is None:
            user = User.objects.create_user(
                person.email, secret, name=person.name, is_staff=person.login == "admin"
            )
        found[person.login] = user
    # The demo's admin also sees the Django admin pages.
    User.objects.filter(email=f"admin@{DOMAIN}", is_superuser=False).update(is_superuser=True)
    return found


def _project(snapshot: Snapshot, people: dict[str, User]) -> None:
    now = timezone.now()
    files = Path(annotation.__file__).parent / "demo"
    project = create_project(
        slug=SLUG,
        title="Demo",
        protocol=Project.Protocol.AMBIGQA,
        snapshot=snapshot,
        by=people["admin"],
        now=now,
        guidelines=(files / "guidelines.md").read_text(encoding="utf-8"),
    )
    Membership.objects.bulk_create(
        [
            Membership(user=people[person.login], project=project, role=role, created_at=now)
            for person in PEOPLE
            for role in person.roles
        ],
        ignore_conflicts=True,
    )
    with (files / "questions.jsonl").open("rb") as file:
        import_questions(
            project=project,
            file=file,
            format="jsonl",
            split="dev",
            strict=True,
            by=people["admin"],
            now=now,
        )
