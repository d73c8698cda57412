"""Write the audit row of a decision, in the caller's transaction."""

import datetime as dt
from typing import Any

from django.db import models
from django.db.models import F, Func, JSONField, QuerySet, TextField, Value

from accounts.models import User
from annotation.core.models.audit import AuditEntry
from annotation.core.models.projects import Project


def record_action(
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


def record_of_installation(action: str, *, by: User, now: dt.datetime, **data: Any) -> AuditEntry:
    """Record what was done to the installation itself, of which no row tells."""
    return AuditEntry.objects.create(
        at=now, actor=by.pk, action=action, target="installation:1", data=data
    )


def replace_address(entries: QuerySet[AuditEntry], address: str) -> None:
    """Replace the e-mail address in rows that have one. Nothing else in the log ever changes."""
    email = Func(
        Value("email"), Value(address, output_field=TextField()), function="jsonb_build_object"
    )
    data = Func(F("data"), email, template="%(expressions)s", arg_joiner=" || ")
    data.output_field = JSONField()
    entries.filter(data__has_key="email").update(data=data)
