"""What came of an import, and what comes next."""

from typing import Any

from django.db.models import Count, Q

from annotation.core.models.jobs import Job
from annotation.core.models.people import Role
from annotation.core.models.projects import StagePolicy
from annotation.core.models.questions import Question
from annotation.imports.adapters import list_left_out
from annotation.imports.downloads import can_be_copied
from annotation.imports.not_taken import list_not_taken
from annotation.imports.query_filters import FILTERS
from annotation.stages import registry as stages


def describe_done(job: Job) -> dict[str, Any]:
    """Return the context of the page of a finished import. Three queries."""
    result = job.result or {}
    project, first = job.project, stages.first_of(job.project.protocol)
    splits = (
        Question.objects.filter(project=project)
        .order_by()
        .values_list("split")
        .annotate(new=Count("pk", filter=Q(job=job)), in_all=Count("pk"))
    )
    new = sorted(row for row in splits if row[1])
    policies = StagePolicy.objects.filter(
        project=project, stage=first.key if first else "", split__in=[split for split, _, _ in new]
    )
    workers = project.memberships.filter(role__in=[Role.ANNOTATOR, Role.VALIDATOR])
    return {
        "result": result,
        "left_out": list_left_out(result.get("left_out", {})),
        "not_taken": list_not_taken(result.get("not_taken", {})),
        "parts": result.get("parts", []),
        "fits": [(FILTERS[key].label, number) for key, number in result.get("fits", {}).items()],
        "filtered": bool(result.get("filtered")),
        "can_copy": can_be_copied(job),
        "new": new,
        "policies": list(policies),
        "first": first,
        "workers": workers.values("user").distinct().count(),
        "seconds": (job.ended_at - job.started_at).total_seconds()
        if job.ended_at and job.started_at
        else 0,
    }
