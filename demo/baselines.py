"""The demo with models (`make demo MODELS=1`): what baselines with weights need, and their runs.

Passages are found by MiniLM's vectors and read by SmolLM2. The runs are jobs, so the demo can be
used while they go on. Where AMBIT_SNAPSHOT names an archive about Ray Charles, there are two more
projects, over it. Loading it again changes nothing and continues what was not finished.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.models import Job, Project
from annotation.projects.services import change_policy
from annotation.stages import registry as stages
from config.env import env_str
from demo.loading import SONG_PROJECTS, SONGS, build_people, build_project
from demo.suggestions import BASELINE
from modeling import registry
from modeling.base import MissingModel
from modeling.services import running
from modeling.services.running import Choice
from wikipedia.models import Snapshot
from wikipedia.snapshots.queries import index_problem

ARTICLE = "Ray Charles"
DENSE: Mapping[str, str] = {"retriever": "dense", "encoder": "minilm"}
# Baselines with their options. The reader also suggests.
READER: tuple[str, Mapping[str, str]] = ("llm-plain", DENSE)
ANSWERING: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("question-x8", {}),
    ("bm25", {}),
    ("dense", {"encoder": "minilm"}),
)
HELD_OUT = 20


def load_baselines(say: Callable[[str], None]) -> None:
    """Load what the demo with models has besides the demo, and start its jobs."""
    people = build_people()
    by = people["admin"]
    slugs = ["demo", "demo-long"]
    if archive := env_str("AMBIT_SNAPSHOT"):
        snapshot = _snapshot(Path(archive).expanduser(), say)
        for demo in SONG_PROJECTS:
            slugs.append(demo.slug)
            if not Project.objects.filter(slug=demo.slug).exists():
                say(f"Loading the project “{demo.title}”")
                build_project(demo, snapshot, people)
    projects = [Project.objects.select_related("snapshot").get(slug=slug) for slug in slugs]
    for name in dict.fromkeys(project.snapshot.name for project in projects):
        _index(name, say)
    for project in projects:  # what takes seconds first
        if _is_scored(project):
            for key, options in ANSWERING:
                _predict(project, key, options, by, say)
    for project in projects:
        _suggest(project, by, say)
        if _is_scored(project):
            _predict(project, *READER, by, say)


def _index(name: str, say: Callable[[str], None]) -> None:
    say(f"Indexing the passages of “{name}” by MiniLM")
    call_command("index_vectors", name, encoder="minilm", verbosity=0)


def _snapshot(archive: Path, say: Callable[[str], None]) -> Snapshot:
    """Return the snapshot of the archive, which is looked at before anything is made of it."""
    if not archive.is_file():
        _refuse(archive, "where there is no file. Set it to a ZIM archive.")
    try:
        from libzim.reader import Archive  # under the GPL: only where an archive is read

        fits = Archive(str(archive)).has_entry_by_title(ARTICLE)
    except RuntimeError:
        _refuse(archive, "which is no ZIM archive.")
    if not fits:
        _refuse(
            archive,
            f"which has no article “{ARTICLE}”. The questions of the demo are about his songs: set "
            "it to an archive that has them, or to nothing.",
        )
    snapshot = Snapshot.objects.filter(name=SONGS).first()
    if snapshot is None or index_problem(snapshot):
        say(f"Indexing {archive.name}")
        call_command("index_wikipedia", str(archive), name=SONGS, verbosity=0)
    return Snapshot.objects.get(name=SONGS)


def _refuse(archive: Path, reason: str) -> NoReturn:
    raise CommandError(f"AMBIT_SNAPSHOT names “{archive}”, {reason}", returncode=2)


def _suggest(project: Project, by: User, say: Callable[[str], None]) -> None:
    """Start suggestions, and show them at the stages that show any and where none are chosen.

    The first time they take the place of those of the demo without models.
    """
    key, options = READER
    shown = [
        policy for policy in project.policies.all() if stages.get_stage(policy.stage).suggested
    ]
    if not shown:
        return
    before = Job.objects.filter(project=project, kind=running.SUGGEST, options__baseline=key)
    replaced = {"", *([] if before.exists() else [registry.get_baseline(BASELINE).label])}
    _start(running.start_suggestion_job, project, Choice(key, "", options, missing=True), by, say)
    changes = {"suggestions": registry.get_baseline(key).label, "suggestions_held_out": HELD_OUT}
    for policy in shown:
        if policy.suggestions in replaced:
            change_policy(policy=policy, changes=changes, by=by, now=timezone.now())


def _is_scored(project: Project) -> bool:
    """Return whether its questions came with disambiguations."""
    return any("qa_pairs" in row for row in project.questions.values_list("context", flat=True))


def _predict(
    project: Project,
    key: str,
    options: Mapping[str, str],
    by: User,
    say: Callable[[str], None],
) -> None:
    _start(
        running.start_prediction_job, project, Choice(key, "dev", options, missing=True), by, say
    )


def _start(
    job: Callable[..., object],
    project: Project,
    choice: Choice,
    by: User,
    say: Callable[[str], None],
) -> None:
    """Start a job, unless it has nothing to do."""
    try:
        job(project=project, choice=choice, by=by, now=timezone.now())
    except Conflict:
        pass  # every question has been answered
    except MissingModel as problem:
        say(f"“{choice.baseline}” cannot run: {problem}")
