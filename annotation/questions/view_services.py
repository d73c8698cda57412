"""Save and delete views of the list of questions. A view is a person's own matter: it is
not in the log of the project.
"""

import datetime as dt

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.questions.models import LONGEST_NAME, LONGEST_QUERY, MOST_VIEWS, SavedView
from annotation.questions.policies import check_can_delete_view


def save_view(
    *,
    project: Project,
    name: str,
    query: str,
    shared: bool,
    opens: bool,
    by: User,
    now: dt.datetime,
) -> SavedView:
    """Save a view under a name; one that the person has under this name is replaced. Staff only.

    query: from `build_query`. opens: the list opens with it, in place of any other.
    """
    check_can_manage(by, project)
    name = " ".join(name.replace("\x00", "").split())
    if not name or len(name) > LONGEST_NAME:
        raise Conflict(f"Give the view a name of 1 to {LONGEST_NAME} characters.")
    if len(query) > LONGEST_QUERY:
        raise Conflict("These filters are too long to be saved.")
    try:
        with transaction.atomic():
            return _write(
                project, by, name, {"query": query, "shared": shared, "opens": opens}, now
            )
    except IntegrityError as error:  # the same person saved in another window at this moment
        raise Conflict("Your views changed at this moment. Save it again.") from error


def _write(
    project: Project, by: User, name: str, values: dict[str, object], now: dt.datetime
) -> SavedView:
    own = SavedView.objects.filter(project=project, user=by)
    numbers = dict(own.values_list("name", "number"))
    if name not in numbers and len(numbers) >= MOST_VIEWS:
        raise Conflict(f"You have {MOST_VIEWS} views here, the maximum. Delete one first.")
    if values["opens"]:
        own.update(opens=False)
    free = next(n for n in range(1, MOST_VIEWS + 2) if n not in numbers.values())
    view, _ = SavedView.objects.update_or_create(
        project=project,
        user=by,
        name=name,
        defaults={**values, "changed_at": now, "number": numbers.get(name, free)},
    )
    return view


def delete_view(*, view: SavedView, by: User) -> None:
    """Delete a view; the questions stay as they are."""
    check_can_delete_view(by, view)
    SavedView.objects.filter(pk=view.pk).delete()


def forget_views(user: User, now: dt.datetime) -> None:
    """Delete the views of a person who is erased: they may search for someone's words."""
    SavedView.objects.filter(user=user).delete()
