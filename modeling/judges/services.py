"""Add judge models to a study, allow what they are sent, ask them, and remove them."""

import datetime as dt

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import Job
from evaluation.models import Study
from modeling.base import MissingModel
from modeling.judges import talkers
from modeling.judges.models import JudgeModel, JudgeRun
from modeling.judges.prompts import PROMPT
from modeling.judges.queries import find_open_job, read_pending_items

JUDGE = "judge_study"
NOT_ALLOWED = (
    "Nobody allows any more that items of this study are sent to this model. Allow it first."
)


@transaction.atomic
def add_judge(
    *,
    study: Study,
    talker: str,
    allowed: bool,
    as_json: bool = True,
    reasons: bool = False,
    by: User,
    now: dt.datetime,
) -> JudgeModel:
    """Add the model that `talker` names to a study, and allow that it is sent the items.

    Staff only. Raises Conflict for a draft, for a model that the study has, for one that is not
    here, and where it was not allowed.
    """
    check_can_import(by, study.project)
    if study.state == Study.State.DRAFT:
        raise Conflict("A draft has no items yet. Start the study, then add judge models.")
    if not allowed:
        raise Conflict("Nothing is sent unless you allow it. Check the box, or leave the model.")
    try:
        offer = talkers.describe_talker(talker)
    except MissingModel as problem:
        raise Conflict(str(problem)) from None
    try:
        with transaction.atomic():
            judge = JudgeModel.objects.create(
                study=study,
                talker=talker,
                model=offer.model,
                host=offer.host,
                prompt=PROMPT,
                as_json=as_json,
                reasons=reasons,
                allowed_by=by,
                allowed_at=now,
                added_by=by,
                added_at=now,
            )
    except IntegrityError:
        raise Conflict(f"{offer.model} judges this study already.") from None
    _record("judge_added", judge, by=by, now=now)
    return judge


@transaction.atomic
def change_allowance(*, judge: JudgeModel, allowed: bool, by: User, now: dt.datetime) -> None:
    """Allow that a model is sent the items of its study, or no longer. Staff only.

    A run finds out before the next item.
    """
    check_can_manage(by, judge.study.project)
    judge = JudgeModel.objects.select_for_update().select_related("study__project").get(pk=judge.pk)
    if allowed == (judge.allowed_at is not None):
        return
    judge.allowed_by, judge.allowed_at = (by, now) if allowed else (None, None)
    judge.save(update_fields=["allowed_by", "allowed_at"])
    _record("judge_allowed" if allowed else "judge_disallowed", judge, by=by, now=now)


@transaction.atomic
def remove_judge(*, judge: JudgeModel, by: User, now: dt.datetime) -> None:
    """Remove a judge model with what it said. Staff only. Raises Conflict while it is asked.

    What it replied stays known, so adding it again costs nothing.
    """
    check_can_manage(by, judge.study.project)
    judge = _lock(judge)
    if find_open_job(judge):
        raise Conflict(f"{judge.model} is being asked. Stop that first.")
    _record("judge_removed", judge, by=by, now=now)
    judge.delete()


@transaction.atomic
def start_run(*, judge: JudgeModel, by: User, now: dt.datetime) -> Job:
    """Make the job that asks a judge what it has not been asked, or return the one under way.

    Staff only. Raises Conflict where that is not allowed, and where nothing is left.
    """
    check_can_import(by, judge.study.project)
    judge = _lock(judge)
    if job := find_open_job(judge):
        return job
    if judge.allowed_at is None:
        raise Conflict(NOT_ALLOWED)
    if next(read_pending_items(judge), None) is None:
        raise Conflict(f"{judge.model} has judged every item of this study.")
    # Whatever job had the run before is over, though it may not have been able to say so.
    JudgeRun.objects.filter(judge=judge, ended_at=None).update(ended_at=now)
    job = jobs_services.create_job(
        project=judge.study.project,
        kind=JUDGE,
        options={"study": judge.study_id, "judge": judge.pk},
        file_name=f"{judge.model}, {judge.study.title}",
        unit="judgments",
        by=by,
        now=now,
    )
    JudgeRun.objects.create(judge=judge, job=job)
    return job


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    """Start a run like one that failed or was stopped."""
    rows = JudgeModel.objects.select_related("study__project")
    judge = rows.filter(pk=job.options["judge"], study__project=job.project).first()
    if judge is None:
        raise Conflict("This judge model was removed.")
    return start_run(judge=judge, by=by, now=now)


def end_run(job: Job, /, *, now: dt.datetime) -> None:
    """Note that a run has done its work."""
    JudgeRun.objects.filter(job=job, ended_at=None).update(ended_at=now)


def _lock(judge: JudgeModel) -> JudgeModel:
    rows = JudgeModel.objects.select_for_update(of=["self"]).select_related("study__project")
    found = rows.filter(pk=judge.pk).first()
    if found is None:
        raise Conflict("This judge model was removed.")
    return found


def _record(action: str, judge: JudgeModel, *, by: User, now: dt.datetime) -> None:
    audit.record_action(
        action, judge.study, by=by, now=now, project=judge.study.project,
        title=judge.study.title, model=judge.model, host=judge.host,
    )  # fmt: skip
