"""The demo: a snapshot, people and three projects made by us, loaded through the same services as
real ones. Loading it again changes nothing."""

import datetime as dt
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

import natural_questions.demo
import qampari.demo
from accounts.models import User
from annotation.contexts import services as contexts_services
from annotation.imports.services import import_questions
from annotation.models import Membership, Project, Role, Thread
from annotation.projects.services import create_project
from annotation.qualifications import services as qualifications_services
from annotation.qualifications.items import items_from_file
from config import embedded
from demo.consent import agree_in_demo
from demo.crowds import load_participants
from demo.people import DOMAIN, PEOPLE, get_demo_password
from demo.reports import compute_waiting_reports, start_reports
from demo.round import load_round
from demo.studies import load_studies
from demo.suggestions import has_suggestions, load_suggestions
from demo.team import leave_work_open, settle_round
from demo.verdicts import load_verdicts
from wikipedia.demo.build import HERE, build_demo_zim
from wikipedia.models import Snapshot
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import is_outdated
from wikipedia.snapshots.queries import index_problem
from wikipedia.wikidata.folders import list_graphs

SLUG = "demo"
FILES = Path(__file__).parent / "files"


def load_demo(say: Callable[[str], None]) -> None:
    """Migrate the database and load the parts of the demo that are missing."""
    say("Preparing the database")
    call_command("migrate", verbosity=0, interactive=False)
    if "cache" not in connection.introspection.table_names():
        call_command("createcachetable", verbosity=0)
    snapshot = _snapshot(say)
    people = build_people()
    loaded = Project.objects.filter(slug=ROUND.slug).exists()
    for demo in PROJECTS:
        if not Project.objects.filter(slug=demo.slug).exists():
            say(f"Loading the project “{demo.title}”")
            # What a protocol loads may be work of people, which takes time.
            begun = timezone.now() - dt.timedelta(days=1) if demo.load else None
            build_project(demo, snapshot, people, begun)
        project = Project.objects.get(slug=demo.slug)
        if demo.items and not project.qualifications.exists():
            _qualification(project, demo, people["admin"])
        if demo.suggestions and not has_suggestions(project):
            say(f"Suggesting passages for “{demo.title}”")
            load_suggestions(project, people["admin"], timezone.now())
        if demo.studies and not project.studies.exists():
            say(f"Loading the studies of “{demo.title}”")
            demo.studies(project, people, timezone.now())
    for finished, load_work in ((CROWD, _crowd), (ROUND, _round)):
        if not Project.objects.filter(slug=finished.slug).exists():
            say(f"Loading the project “{finished.title}”")
            load_work(snapshot, people)
    at_work = Project.objects.filter(slug__in=AT_WORK).in_bulk(field_name="slug")
    if len(at_work) == len(AT_WORK) and not Thread.objects.filter(project__slug=AT_WORK[-1]):
        say("Leaving work open")
        leave_work_open(at_work, people)
    first = [ROUND.slug, "demo-long"]  # where most is done
    projects = Project.objects.filter(slug__startswith=SLUG)
    order = sorted(projects, key=lambda project: (project.slug not in first, project.pk))
    start_reports(order, by=people["admin"], now=timezone.now())
    if not loaded:
        say("Computing the reports")
        compute_waiting_reports()


@transaction.atomic
def _crowd(snapshot: Snapshot, people: dict[str, User]) -> None:
    now = timezone.now()
    project = build_project(CROWD, snapshot, people, begun=now - dt.timedelta(weeks=1))
    load_participants(project, people["admin"], now)


@transaction.atomic
def _round(snapshot: Snapshot, people: dict[str, User]) -> None:
    now = timezone.now()
    project = build_project(ROUND, snapshot, people, begun=now - dt.timedelta(weeks=WEEKS))
    load_round(project, people, now)
    settle_round(project, people, now)


def _snapshot(say: Callable[[str], None]) -> Snapshot:
    archive = settings.AMBIT_DATA / "demo.zim"
    if not archive.exists():
        say("Building the demo Wikipedia")
        with embedded.writing_privately():
            build_demo_zim(archive)
    snapshot = Snapshot.objects.filter(name=SLUG).first()
    if snapshot is None or index_problem(snapshot) or is_outdated(index_dir(SLUG)):
        say("Indexing the demo Wikipedia")
        call_command("index_wikipedia", str(archive), name=SLUG, verbosity=0)
    if SLUG not in list_graphs():
        facts = str(HERE / "wikidata.json")
        call_command("wikidata_graph", facts, name=SLUG, processes=0, stdout=io.StringIO())
    return Snapshot.objects.get(name=SLUG)


def build_people() -> dict[str, User]:
    """Return the people of the demo by login; those who are missing are made."""
    secret = get_demo_password()
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


@dataclass(frozen=True)
class DemoProject:
    """A project of the demo and the files of `demo/files` it is made from, or, for a protocol
    with a package of its own, what loads its questions.
    """

    slug: str
    title: str
    protocol: str
    questions: str = ""
    format: str = ""
    items: str = ""
    exam: Mapping[str, Any] = field(default_factory=dict)
    studies: Callable[[Project, dict[str, User], dt.datetime], None] | None = None
    suggestions: bool = False
    roles: tuple[str, ...] = tuple(Role.values)
    load: Callable[[Project, Mapping[str, User], dt.datetime], None] | None = None


PROJECTS = (
    DemoProject(
        SLUG,
        "Demo",
        "ambigqa",
        "questions.jsonl",
        "jsonl",
        "qualification.json",
        {
            "kind": "generation",
            "about": "Three prompts that are not in the project. Search and read as in real work.",
            "submit_at": 1,
            "review_from": 2,
            "pass_at": 3,
            "show_question_score": True,
        },
        suggestions=True,
    ),
    DemoProject(
        "demo-long",
        "Demo: long answers",
        "asqa",
        "long_answers.json",
        "asqa",
        "long_answer_training.json",
        {
            "kind": "long_answer",
            "about": "Two samples to write and compare, a walk-through, then two questions as an "
            "exam.",
            "submit_at": 2,
            "review_from": 2,
            "pass_at": 2,
            "walk_through": True,
        },
        studies=load_studies,
    ),
    DemoProject("demo-lists", "Demo: lists", "qampari", load=qampari.demo.load_questions),
    DemoProject(
        "demo-nq",
        "Demo: Natural Questions",
        "nq",
        load=natural_questions.demo.load_questions,
        studies=load_verdicts,
    ),
)
# Questions for participants; the demo's annotators find nothing to do in it.
CROWD = DemoProject("demo-crowd", "Demo: participants", "ambigqa", "round.jsonl", "jsonl", roles=())
# Work that is done, for the reports. Nobody of the demo finds anything to do in it.
ROUND = DemoProject(
    "demo-round", "Demo: a finished round", "ambigqa", "round.jsonl", "jsonl", roles=("validator",)
)
WEEKS = 8
# Where somebody has begun.
AT_WORK = ("demo", "demo-long", "demo-nq")
# Of the demo with models, over the archive that AMBIT_SNAPSHOT names.
SONGS = "demo-songs"
SONG_PROJECTS = (
    DemoProject(SONGS, "Demo: songs", "ambigqa", "songs.jsonl", "jsonl"),
    DemoProject(f"{SONGS}-long", "Demo: songs, long answers", "asqa", "songs.json", "asqa"),
)
# Every project that is loaded, also with models, by its slug.
LOADED = tuple(each.slug for each in (*PROJECTS, CROWD, ROUND, *SONG_PROJECTS))


@transaction.atomic
def build_project(
    demo: DemoProject,
    snapshot: Snapshot,
    people: dict[str, User],
    begun: dt.datetime | None = None,
) -> Project:
    """Make a project with its members and questions, as it was begun; now without a time."""
    now = begun or timezone.now()
    project = create_project(
        slug=demo.slug,
        title=demo.title,
        protocol=demo.protocol,
        snapshot=snapshot,
        by=people["admin"],
        now=now,
    )
    Membership.objects.bulk_create(
        [
            Membership(user=people[person.login], project=project, role=role, created_at=now)
            for person in PEOPLE
            for role in person.roles
            if role in (*demo.roles, Role.RESEARCHER, Role.ADMIN)
        ],
        ignore_conflicts=True,
    )
    for user in User.objects.filter(memberships__project=project).distinct().order_by("pk"):
        agree_in_demo(project, user, now)
    if demo.load:
        demo.load(project, people, now)
        return project
    with (FILES / demo.questions).open("rb") as file:
        import_questions(
            project=project,
            file=file,
            format=demo.format,
            split="dev",
            strict=True,
            by=people["admin"],
            now=now,
        )
    contexts_services.start_after_import(project=project, by=people["admin"], now=now)
    return project


def _qualification(project: Project, demo: DemoProject, by: User) -> None:
    """Make a few items to try. No policy requires them, so the demo's people can begin at once."""
    now = timezone.now()
    first_steps = qualifications_services.create_qualification(
        project=project, title="First steps", max_attempts=0, by=by, now=now, **demo.exam
    )
    items = items_from_file((FILES / demo.items).read_bytes(), kind=demo.exam["kind"])
    qualifications_services.add_items(qualification=first_steps, items=items, by=by, now=now)
    qualifications_services.set_state(qualification=first_steps, state="open", by=by, now=now)
