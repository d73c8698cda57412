"""Trainings as jobs of workers with models, each in a process of its own."""

import datetime as dt
import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from evaluation.systems.policies import check_can_import_outputs
from modeling.base import BadOption, MissingModel
from modeling.pace import describe_duration
from modeling.training.apart import ApartRun
from modeling.training.building import ExampleChoice
from modeling.training.checkpoints import find_last_step
from modeling.training.curves import read_curve
from modeling.training.estimates import TIMED_STEPS, estimate_training
from modeling.training.recipes import ON_PAGES, Recipe
from modeling.training.runs import CURVE, read_result
from modeling.training.trainings import (
    ProjectTraining,
    TrainingChoice,
    check_can_begin,
    list_use_options,
)
from modeling.weights import PROVENANCE, is_folder, trained_folder

TRAINING: Final = "training"
ESTIMATE: Final = "training-estimate"
_TASK: Final = "modeling.tasks.run_job"


@transaction.atomic
def start_training_job(
    *, project: Project, choice: TrainingChoice, by: User, now: dt.datetime
) -> Job:
    """Make the job that trains, or return the one under way with the same name.

    Staff only. Raises MissingModel where it cannot begin here, Conflict where the name is taken.
    Whether there are enough examples is known when the job has read them.
    """
    recipe = _check_choice(project, choice, by)
    open_ones = Job.objects.filter(kind=TRAINING, state__in=jobs_services.UNFINISHED)
    for job in open_ones.order_by("pk"):
        if job.options["key"] == choice.key:
            if job.project_id == project.pk and read_choice(job) == choice:
                return job
            raise Conflict(f"Weights of the name {choice.key} are being trained already.")
    return _create_job(project, TRAINING, choice, recipe, by, now)


@transaction.atomic
def start_estimate_job(
    *, project: Project, choice: TrainingChoice, by: User, now: dt.datetime
) -> Job:
    """Make the job that says what a training would take here; it trains nothing.

    Staff only. Raises what `start_training_job` raises, but for trainings under way.
    """
    recipe = _check_choice(project, choice, by)
    return _create_job(project, ESTIMATE, choice, recipe, by, now)


def _check_choice(project: Project, choice: TrainingChoice, by: User) -> Recipe:
    check_can_import_outputs(by, project)
    if is_folder(choice.base):
        raise BadOption(f"“{choice.base[:40]}”: only manage.py train can name folders.")
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks, one job
    return check_can_begin(project, choice, by)


def _create_job(
    project: Project, kind: str, choice: TrainingChoice, recipe: Recipe, by: User, now: dt.datetime
) -> Job:
    return jobs_services.create_job(
        project=project,
        kind=kind,
        options=asdict(choice) | {"role": recipe.role},
        file_name=f"{choice.key}, for {recipe.role}",
        unit="steps",
        by=by,
        now=now,
    )


def read_choice(job: Job) -> TrainingChoice:
    """Return what a job was asked to train."""
    options = {name: value for name, value in job.options.items() if name != "role"}
    return TrainingChoice(**options | {"examples": ExampleChoice(**options["examples"])})


def run_job(work: jobs_services.RunningJob) -> None:
    """Train from where a killed job stopped, then name the weights."""
    choice = read_choice(work.job)
    if _is_published(work.job):
        return
    try:
        with jobs_services.keep_heartbeat(work):
            training = ProjectTraining(work.job.project, choice)
            # Windows of pages are counted when they are cut.
            on_pages = training.recipe.learns in ON_PAGES
            steps = "" if on_pages else f", {training.steps:,} steps at most"
            work.write_log_line(f"{len(training.train):,} examples{steps}.")
            _take_steps(work, training)
            result = read_result(training.folder)
            facts = training.publish(result, job=work.job.pk)
            figures = {**result.figures, **facts["dev"]}
            work.save(result=_describe(training) | {"figures": figures, "step": result.step})
    except (Conflict, MissingModel) as problem:
        raise jobs_services.JobProblem(str(problem)) from None
    except OSError as error:
        raise jobs_services.JobProblem(f"A file cannot be written: {error.strerror}.") from None
    record_training(training, by=work.job.created_by, now=work.clock())


def record_training(training: ProjectTraining, *, by: User | None, now: dt.datetime) -> None:
    """Write into the log of every project that its data trained weights."""
    others = training.others
    used = {training.project: len(training.train) - sum(o.times * len(o.examples) for o in others)}
    for project, examples in (used | {o.project: len(o.examples) for o in others}).items():
        audit.record_action(
            "weights_trained", project, by=by, now=now, project=project,
            name=training.choice.key, role=training.recipe.role, examples=examples,
        )  # fmt: skip


def run_estimate_job(work: jobs_services.RunningJob) -> None:
    """Read what would be learnt from, take a few steps, and say what all of them would take."""
    try:
        with jobs_services.keep_heartbeat(work):
            training = ProjectTraining(work.job.project, read_choice(work.job))
            estimate = estimate_training(training, apart=True)
        taken = min(TIMED_STEPS, estimate.steps)
        said = {"estimate": asdict(estimate), "sentences": estimate.describe()}
        work.save(done=taken, total=taken, result=said)
    except (Conflict, MissingModel) as problem:
        raise jobs_services.JobProblem(str(problem)) from None
    except OSError as error:
        raise jobs_services.JobProblem(f"A file cannot be written: {error.strerror}.") from None


def _take_steps(work: jobs_services.RunningJob, training: ProjectTraining) -> None:
    before, advanced = find_last_step(training.folder), False
    with training.start_apart() as run:
        first, began, total = 0, 0.0, training.steps
        try:
            for done, total in run.iterate_steps():
                first, began = (first, began) if first else (done, time.monotonic())
                each = (time.monotonic() - began) / max(done - first, 1)
                left = describe_duration(each * (total - done)) if done > first else ""
                said = _describe(training) | {"left": left}
                work.write_heartbeat(done=done, total=total, result=said)
                if not advanced and find_last_step(training.folder) > before:
                    work.note_advance()
                    advanced = True
        except jobs_services.JobCancelled:
            _save_checkpoint(run)
            raise
        if not run.wait():
            raise Conflict("The training was told to stop. It continues when it is tried again.")
    work.save(done=total, total=total, result=_describe(training))


def _save_checkpoint(run: ApartRun) -> None:
    run.tell_to_stop()
    for _ in run.iterate_steps():
        pass
    run.wait()


def _describe(training: ProjectTraining) -> dict[str, Any]:
    """Return what the page of the job shows: the name, and the curve in few points."""
    return read_curve(training.folder / CURVE, training.recipe.metric) | {
        "name": training.choice.key,
        "system": training.choice.examples.system,
        "use": list_use_options(
            training.choice.examples.system, training.recipe.role, training.choice.key
        ),
    }


def _is_published(job: Job) -> bool:
    """Return whether a worker before this one was lost after it had named the weights."""
    path = trained_folder(job.options["key"]) / PROVENANCE
    return path.is_file() and json.loads(path.read_text()).get("job") == job.pk


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    """Make a job that goes on where one that failed or was stopped has its last checkpoint."""
    start = start_training_job if job.kind == TRAINING else start_estimate_job
    return start(project=job.project, choice=read_choice(job), by=by, now=now)


def task_of(options: Mapping[str, Any]) -> str:
    """Return the Celery task that runs such jobs: that of workers with models."""
    return _TASK
