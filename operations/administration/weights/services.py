"""Removes weights that no role names."""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.models.jobs import Job
from annotation.core.refusals import Conflict
from annotation.jobs.services import UNFINISHED
from operations.administration.people.policies import check_administers
from operations.administration.weights.queries import is_hub_name, is_used, list_cached_models


@transaction.atomic
def remove_weights(*, name: str, by: User, now: dt.datetime) -> int:
    """Delete a model from the hub's cache on this host; return the bytes that it took.

    Raises Conflict where a role names it, an unfinished job asks for it, or it is not in the cache.
    """
    check_administers(by)
    if not is_hub_name(name) or is_used(name):
        raise Conflict("A role runs on these weights. Set another in AMBIT_MODELS first.")
    unfinished = Job.objects.filter(state__in=UNFINISHED).values_list("options", flat=True)
    if any(name in str(options) for options in unfinished):
        raise Conflict("A job that is not finished asks for these weights. Stop it first.")
    repo = next((repo for repo in list_cached_models() if repo.repo_id == name), None)
    if repo is None:
        raise Conflict("These weights are not on this host any more.")
    audit.record_of_installation("weights_removed", by=by, now=now, name=name)
    transaction.on_commit(lambda: _delete(repo))
    return int(repo.size_on_disk)


def _delete(repo: object) -> None:
    from huggingface_hub import scan_cache_dir  # a second; only this press needs it

    revisions = [each.commit_hash for each in repo.revisions]  # type: ignore[attr-defined]
    scan_cache_dir().delete_revisions(*revisions).execute()
