"""Draw a random sample of finished questions for experts to answer again."""

import datetime as dt
import math
import random
import secrets

from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit as log
from annotation.core.refusals import Conflict
from annotation.core.states import ANY_ACCEPTED
from annotation.exports.rows import fetch_rows
from annotation.generation.stage import GENERATION
from annotation.models import Project, StagePolicy
from annotation.work import tasks
from validation.audits.models import AuditItem, AuditSample
from validation.audits.statements import AUDIT_POOL
from validation.audits.values import AUDIT, Auditing

MOST = 1000
MOST_SEED = 2**53  # the largest number that JSON and every language read exactly


@transaction.atomic
def draw_sample(
    *,
    project: Project,
    split: str,
    size: int,
    percent: bool = False,
    population: str = AuditSample.Population.VALIDATED,
    again: bool = False,
    seed: int | None = None,
    by: User,
    now: dt.datetime,
) -> AuditSample:
    """Draw `size` questions, or that percentage of those there are, without replacement, and open
    them for experts. Half of what validators decided is `size=50, percent=True` (A60).

    Questions of earlier draws are included only with `again`; they then get a new task, for another
    person. The same seed on the same questions draws the same sample. Staff only; raises Conflict
    if there are too few questions.
    """
    check_can_manage(by, project)
    if not 1 <= size <= (100 if percent else MOST):
        raise Conflict("Draw 1 to 100 percent." if percent else f"Draw 1 to {MOST:,} questions.")
    if seed is None:
        seed = secrets.randbelow(2**31)
    if not 0 <= seed <= MOST_SEED:
        raise Conflict(f"A seed is a whole number from 0 to {MOST_SEED:,}.")
    people = _policy(project, split).people
    pool = _pool(project, split, population, again=again, people=people)
    if percent:
        size = _take_share(len(pool), size)
    if not pool or len(pool) < size:
        raise Conflict(_too_few(project, len(pool), size, people))
    chosen = random.Random(seed).sample(pool, size)  # noqa: S311 - to be repeated, not guessed
    sample = AuditSample.objects.create(
        project=project,
        split=split,
        population=population,
        again=again,
        seed=seed,
        drawn_from=len(pool),
        drawn_by=by,
        created_at=now,
    )
    AuditItem.objects.bulk_create(
        AuditItem(sample=sample, question_id=question, position=position)
        for position, question in enumerate(chosen)
    )
    units = [(question, sample.unit) for question in chosen]
    tasks.open_units(stage=AUDIT, project=project, units=units, now=now)
    log.record_action(
        "audit_sample_drawn",
        sample,
        by=by,
        now=now,
        project=project,
        split=split,
        size=size,
        population=population,
        again=again,
        seed=seed,
        drawn_from=len(pool),
    )
    return sample


def _policy(project: Project, split: str) -> StagePolicy:
    """Lock and return the policy of the audit on a split, made if there is none.

    The lock makes simultaneous draws wait for each other, so that they get different questions.
    """
    StagePolicy.objects.get_or_create(
        project=project, stage=AUDIT, split=split, defaults={"people": 1}
    )
    return StagePolicy.objects.select_for_update(no_key=True).get(
        project=project, stage=AUDIT, split=split
    )


def _pool(project: Project, split: str, population: str, *, again: bool, people: int) -> list[int]:
    values = {
        "project": project.pk,
        "split": split,
        "generation": GENERATION,
        "answered": sorted(ANY_ACCEPTED),
        "all": population == AuditSample.Population.ACCEPTED,
        "again": again,
        "people": people,
        "role": Auditing.role,
    }
    return [row[0] for row in fetch_rows(AUDIT_POOL, values)]


def _take_share(there: int, percent: int) -> int:
    """Return how many questions that percentage is, rounded up. Raises Conflict for too many."""
    size = math.ceil(there * percent / 100)
    if size > MOST:
        raise Conflict(
            f"{percent} % of {there:,} questions are {size:,}. Draw at most {MOST:,} at once."
        )
    return size


def _too_few(project: Project, there: int, size: int, people: int) -> str:
    if project.memberships.filter(role=Auditing.role).count() < people:
        many = "an expert" if people == 1 else f"{people} experts"
        return f"Each question needs {many}. Invite experts under Members, then draw the sample."
    experts = "an expert" if people == 1 else f"{people} experts"
    which = (
        f"a question counts when {experts} of this project never worked on it, something is "
        "accepted for it, and it was not drawn before"
    )
    if there == 0:
        return f"There is no question to draw from: {which}."
    return f"There are {there:,} questions to draw from, and you asked for {size:,}: {which}."
