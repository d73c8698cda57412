"""Write the audit row of a decision, in the caller's transaction."""

import datetime as dt
from typing import Any

from django.db import models

from accounts.models import User
from annotation.models import AuditEntry, Project


def record(
    action: str,
    target: models.Model,
    *,
    by: User | None,
    now: dt.datetime,
    project: Project | int | None = None,
    **data: Any,
) -> AuditEntry:
    """Record that `by` (None: a scheduled job) did `action` to `target`."""
    project_id = project.pk if isinstance(project, Project) else project
    return AuditEntry.objects.create(
        at=now,
        actor=by.pk if by else None,
        project=project_id,
        action=action,
        target=f"{target._meta.model_name}:{target.pk}",
        data=data,
    )
