"""Make studies, change drafts of them, start and close them."""

import datetime as dt
import secrets
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.models import AuditEntry, Project
from annotation.work import tasks
from evaluation.studies import design, items, results_job
from evaluation.studies.models import KEPT_FOR, DeletedDraft, Study
from evaluation.studies.pool import draw_questions, plan_study_items, read_eligible_questions
from evaluation.studies.preview import find_problems
from evaluation.systems.models import System

CRITERIA = (
    {
        "key": "comp",
        "label": "Completeness",
        "wording": "Which answer makes clearer that the question has several answers, and covers "
        "more of them?",
    },
    {
        "key": "fluency",
        "label": "Fluency",
        "wording": "Which answer reads better: clear, without repetition, one thing following from "
        "another?",
    },
    {
        "key": "overall",
        "label": "Overall",
        "wording": "Which answer would you rather receive?",
    },
)
DESIGN = (
    *("split", "size", "stratified", "pairing", "reference", "raters", "repeats", "criteria"),
    *("steps", "accuracy", "shown", "minutes"),
)
_FIELDS = {"title", "seed", *DESIGN}
_KEPT = ("seed", *DESIGN)
_ONE_CHANGE = dt.timedelta(minutes=10)
"""A draft is saved while somebody types: changes this close together are one line of the log."""


def new_seed() -> int:
    """Return a seed nobody has chosen."""
    return secrets.randbelow(2**31)


@transaction.atomic
def create_study(
    *,
    project: Project,
    source: Study | None = None,
    form_key: uuid.UUID | None = None,
    by: User,
    now: dt.datetime,
) -> Study:
    """Make a draft, with the design of another study of the project if one is given.

    Its seed is new. form_key: of the page on which it is designed. Staff only.
    """
    check_can_manage(by, project)
    if source is not None and source.project_id != project.pk:
        raise Conflict("This study belongs to another project.")
    same = {field: getattr(source, field) for field in DESIGN} if source else {}
    study = Study.objects.create(
        **{"criteria": list(CRITERIA), **same},
        project=project,
        title=name_next_study(project),
        seed=new_seed(),
        form_key=form_key,
        created_by=by,
        created_at=now,
    )
    study.systems.set(source.systems.all() if source else [])
    audit.record_action("study_created", study, by=by, now=now, title=study.title, project=project)
    return study


def name_next_study(project: Project) -> str:
    """Return the name of a new study, until it is given another. One query."""
    return f"Study {Study.objects.filter(project=project).count() + 1}"


@transaction.atomic
def keep_draft(
    *,
    project: Project,
    form_key: uuid.UUID,
    changes: Mapping[str, Any],
    systems: Sequence[System],
    by: User,
    now: dt.datetime,
) -> Study:
    """Save the design on the page of a new study: its first change makes the draft.

    Raises Conflict as `change_study` does. Staff only.
    """
    made = Study.objects.select_related("project").filter(project=project, form_key=form_key)
    study = made.first()
    if study is None:
        try:
            with transaction.atomic():
                study = create_study(project=project, form_key=form_key, by=by, now=now)
        except IntegrityError:  # another change made it at the same time
            study = made.get()
    change_study(study=study, changes=changes, systems=systems, by=by, now=now)
    return study


@transaction.atomic
def make_study(
    *,
    project: Project,
    changes: Mapping[str, Any],
    systems: Sequence[System],
    by: User,
    now: dt.datetime,
) -> Study:
    """Make a draft with a whole design. Raises Conflict as `change_study` does. Staff only."""
    study = create_study(project=project, by=by, now=now)
    change_study(study=study, changes=changes, systems=systems, by=by, now=now)
    return study


@transaction.atomic
def change_study(
    *,
    study: Study,
    changes: Mapping[str, Any],
    systems: Sequence[System],
    by: User,
    now: dt.datetime,
) -> None:
    """Change the design of a draft. Raises Conflict once it has started: what people judge, and
    the words they are asked in, stay as they are. Staff only.
    """
    check_can_manage(by, study.project)
    if unknown := set(changes) - _FIELDS:
        raise ValueError(f"not part of a design: {', '.join(sorted(unknown))}")
    reference = changes.get("reference")
    if any(row.project_id != study.project_id for row in (*systems, reference) if row):
        raise Conflict("A chosen system belongs to another project.")
    if changes.get("pairing") == Study.Pairing.ALONE:
        changes = {**changes, "accuracy": True}  # there is nothing else to ask
    draft = Study.objects.filter(pk=study.pk, state=Study.State.DRAFT)
    if not draft.update(**changes, saved_at=now):
        raise Conflict("This study has started. Its design cannot be changed; make a copy of it.")
    study.systems.set(systems)
    study.refresh_from_db()
    items.ensure_policy(study)  # so that its pay can be set before it starts
    if not _was_changed_just_now(study, by, now):
        audit.record_action(
            "study_changed", study, by=by, now=now, title=study.title, project=study.project_id
        )


def _was_changed_just_now(study: Study, by: User, now: dt.datetime) -> bool:
    """Whether the last line of the log on a study says that the same person changed it."""
    last = AuditEntry.objects.filter(target=f"study:{study.pk}").order_by("-id").first()
    return (
        last is not None
        and (last.action, last.actor) == ("study_changed", by.pk)
        and last.at > now - _ONE_CHANGE
    )


@transaction.atomic
def delete_study(*, study: Study, by: User, now: dt.datetime) -> DeletedDraft:
    """Delete a draft; it can be brought back for `KEPT_FOR`. Staff only.

    Raises Conflict once it has started.
    """
    check_can_manage(by, study.project)
    draft = Study.objects.select_for_update().filter(pk=study.pk, state=Study.State.DRAFT).first()
    if draft is None:
        raise Conflict("This study has started, so it cannot be deleted. Close it instead.")
    audit.record_action(
        "study_deleted", draft, by=by, now=now, project=study.project_id, title=draft.title
    )
    DeletedDraft.objects.filter(deleted_at__lte=now - KEPT_FOR).delete()
    deleted = DeletedDraft.objects.create(
        project_id=draft.project_id,
        number=draft.pk,
        title=draft.title,
        design={field: getattr(draft, f"{field}_id", getattr(draft, field)) for field in _KEPT},
        systems=list(draft.systems.order_by("pk").values_list("pk", flat=True)),
        created_by=draft.created_by,
        created_at=draft.created_at,
        deleted_by=by,
        deleted_at=now,
    )
    results_job.place_results(draft).find_rows().delete()
    draft.delete()
    return deleted


@transaction.atomic
def restore_draft(*, deleted: DeletedDraft, by: User, now: dt.datetime) -> Study:
    """Bring a deleted draft back, under its old number and without systems deleted since.

    Raises Conflict where it was brought back already or `KEPT_FOR` is over. Staff only.
    """
    check_can_manage(by, deleted.project)
    row = DeletedDraft.objects.select_for_update().filter(
        pk=deleted.pk, deleted_at__gt=now - KEPT_FOR
    )
    kept = row.first()
    if kept is None:
        raise Conflict("This draft has been brought back already, or can no longer be.")
    systems = System.objects.filter(project=kept.project_id, pk__in=kept.systems)
    design = dict(kept.design)
    reference = System.objects.filter(project=kept.project_id, pk=design.pop("reference") or 0)
    if (first := reference.first()) is None and design["pairing"] == Study.Pairing.REFERENCE:
        design["pairing"] = Study.Pairing.ALL
    study = Study.objects.create(
        pk=kept.number,
        project_id=kept.project_id,
        title=kept.title,
        reference=first,
        created_by=kept.created_by,
        created_at=kept.created_at,
        saved_at=now,
        **design,
    )
    study.systems.set(systems)
    row.delete()
    audit.record_action(
        "study_restored", study, by=by, now=now, project=study.project_id, title=study.title
    )
    return study


@transaction.atomic
def start_study(*, study: Study, by: User, now: dt.datetime) -> None:
    """Draw the questions, plan the items and open their tasks; from now on nothing changes.

    Staff only. Raises Conflict if it has started, or cannot be made of the answers there are.
    """
    check_can_manage(by, study.project)
    if study.project.over:
        raise Conflict("This project is over. Run it again to start a study.")
    begun = Study.objects.filter(pk=study.pk, state=Study.State.DRAFT)
    if not begun.update(state=Study.State.RUNNING, started_at=now):
        raise Conflict("This study has started already.")
    study.refresh_from_db()
    # The lock makes an import of their answers wait.
    chosen = System.objects.filter(studies=study).order_by("name", "version", "pk")
    systems = list(chosen.select_for_update(of=("self",), no_key=True))
    questions = read_eligible_questions(study, systems)
    if problems := find_problems(study, systems, len(questions)):
        raise Conflict(" ".join(problem.sentence for problem in problems))
    try:
        written = items.write_items(
            study, plan_study_items(study, systems, draw_questions(study, questions))
        )
    except design.DesignError as error:
        raise Conflict(str(error)) from None
    items.open_items(study, written, now)
    audit.record_action(
        "study_started",
        study,
        by=by,
        now=now,
        project=study.project_id,
        title=study.title,
        items=len(written),
        questions=study.size,
        drawn_from=len(questions),
        seed=study.seed,
        systems=[str(system) for system in systems],
    )


@transaction.atomic
def start_given_study(
    *,
    project: Project,
    title: str,
    split: str,
    systems: Sequence[System],
    plan: Sequence[design.PlannedItem],
    raters: int,
    accuracy: bool,
    by: User | None,
    now: dt.datetime,
) -> Study:
    """Make a study of pairs that were chosen elsewhere, and start it; sides are drawn.

    The caller has locked the systems. Staff only (`by=None`: a command). Raises Conflict where the
    project is over.
    """
    if by is not None:
        check_can_manage(by, project)
    if project.over:
        raise Conflict("This project is over. Run it again to start a study.")
    study = Study.objects.create(
        project=project,
        title=title,
        state=Study.State.RUNNING,
        split=split,
        size=len({planned.question for planned in plan}),
        seed=new_seed(),
        pairing=Study.Pairing.MATCHING,
        raters=raters,
        repeats=0,
        criteria=list(CRITERIA),
        accuracy=accuracy,
        created_by=by,
        created_at=now,
        started_at=now,
    )
    study.systems.set(systems)
    written = items.write_items(study, design.draw_sides(plan, study.seed))
    items.open_items(study, written, now)
    audit.record_action(
        "study_started",
        study,
        by=by,
        now=now,
        project=project,
        title=title,
        items=len(written),
        questions=study.size,
        drawn_from=study.size,
        seed=study.seed,
        systems=[str(system) for system in systems],
    )
    return study


@transaction.atomic
def close_study(*, study: Study, by: User, now: dt.datetime) -> None:
    """Ask for no more judgments. Whoever has an item in hand can still submit it. Staff only."""
    check_can_manage(by, study.project)
    running = Study.objects.filter(pk=study.pk, state=Study.State.RUNNING)
    if not running.update(state=Study.State.CLOSED, closed_at=now):
        raise Conflict("Only a running study can be closed.")
    study.refresh_from_db()
    units = [item.unit for item in study.items.all()]
    tasks.ask_no_more(stage=study.stage, project=study.project, units=units)
    audit.record_action(
        "study_closed", study, by=by, now=now, title=study.title, project=study.project_id
    )
    results_job.start_results_job(study=study, by=by, now=now)
