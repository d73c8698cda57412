"""What only administrators do to whole projects."""

import datetime as dt

from django.db import transaction
from django.db.models import ProtectedError

from accounts.models import User
from annotation.core import audit
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.jobs.services import UNFINISHED
from annotation.models import Job
from operations.administration.people.policies import check_administers


@transaction.atomic
def delete_project(*, project: Project, by: User, now: dt.datetime) -> None:
    """Delete a project that nothing was imported into and where nobody worked.

    Its settings, guidelines, roles and invitations go with it; the log keeps what was done. Raises
    Conflict where it is not empty: whoever brings something in at this moment waits, or is waited
    for.
    """
    check_administers(by)
    project = Project.objects.select_for_update().get(pk=project.pk)
    if Job.objects.filter(project=project, state__in=UNFINISHED).exists():
        raise Conflict("A job of this project is not finished. Stop it first.")
    filled = Question.objects.filter(project=project), Assignment.objects.filter(project=project)
    if any(rows.exists() for rows in filled):
        raise Conflict("This project is not empty, so it cannot be deleted. Archive it instead.")
    pk, title = project.pk, project.title
    audit.record_action("project_deleted", project, by=by, now=now, project=pk, title=title)
    try:
        with transaction.atomic():
            project.delete()
    except ProtectedError:
        raise Conflict(
            "Something of this project has to be kept, such as pay or exams that people took. "
            "Archive it instead."
        ) from None
