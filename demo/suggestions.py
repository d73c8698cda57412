"""Suggestions of the demo: BM25 finds passages for the questions that its annotators meet first.

It needs no packages besides those of the demo, and takes less than a second.
"""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.models import Project, Suggestion
from annotation.projects.services import change_policy
from annotation.stages import registry as stages
from modeling import registry
from modeling.services.running import SUGGEST, Choice, Run, record_run
from modeling.services.storing import RunReport

BASELINE = "bm25"
SPLIT = "dev"


def has_suggestions(project: Project) -> bool:
    """Return whether the baseline has ever suggested anything in the project."""
    stored = Suggestion.objects.filter(
        question__project=project, system=registry.get_baseline(BASELINE).label
    )
    return stored.exists()


@transaction.atomic
def load_suggestions(project: Project, by: User, now: dt.datetime) -> None:
    """Suggest passages for the questions of a split, and show them where nothing is chosen yet.

    No question is held out: whoever looks at the demo is to see them.
    """
    run, report = Run(project, SUGGEST, Choice(BASELINE, SPLIT, missing=True)), RunReport()
    run.answer_all(report, by=by, now=lambda: now)
    record_run(run=run, report=report, now=now)
    for policy in project.policies.filter(split=SPLIT, suggestions=""):
        if "passage" in stages.get_stage(policy.stage).suggested:
            change_policy(policy=policy, changes={"suggestions": run.store.name}, by=by, now=now)
