"""The parts of a page of work that are the same whatever its question is.

The page of a question on which nothing was done yet is mostly that of the one before: its fields,
its dialogs, its empty reader. It marks these parts (`data-stays`) and has a name for all of them
(`data-frame`). Whoever submits says which frame the browser has; where the next page has the same
one, it only holds a place for each part (`data-of`), and `carry.js` puts it there.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage

from annotation.access.loaders import UserRequest
from annotation.core.models.work import Assignment


def name_frame(request: UserRequest, assignment: Assignment, shown: Mapping[str, Any]) -> str:
    """Return the name of the frame of a page that shows these values, "" for one without.

    Frames with the same name are drawn the same but for the address of the assignment, so it is
    made of all that their templates look at. `untouched` of a sheet says that its fields are empty,
    and that nothing is said of them.
    """
    user = request.user
    if not shown.get("untouched") or shown.get("last") or assignment.has_log or user.is_participant:
        return ""
    looked_at = (
        settings.VERSION,
        getattr(staticfiles_storage, "manifest_hash", ""),
        request.META.get("CSRF_COOKIE"),
        (user.pk, user.single_keys, user.keys),
        (assignment.policy_id, assignment.limit_ends_at is None, assignment.changing_until is None),
        (shown["park_time"], shown["reference_date"]),
    )
    return blake2b(repr(looked_at).encode(), digest_size=12).hexdigest()
