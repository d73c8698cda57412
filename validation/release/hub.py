"""A release as a data set on the hub of Hugging Face, by its own library.

All files come in one commit, or none: files that were stored before a failure are not sent again,
and where nothing has changed there is no commit. A new data set is private unless asked otherwise.
"""

from importlib.util import find_spec
from typing import Any

from django.conf import settings

from annotation.core.refusals import Conflict
from validation.release.publishing import (
    HUB,
    Outgoing,
    Pushed,
    PushFailed,
    explain_silence,
    explain_status,
)


def check_library() -> None:
    """Raise Conflict if this installation cannot send anything to a hub."""
    if find_spec("huggingface_hub") is None:
        raise Conflict(
            "Sending to a hub needs the library huggingface_hub, which is not installed here. "
            "Install Ambit with the extra hub."
        )


def push_to_hub(outgoing: Outgoing, repository: str, token: str, *, public: bool) -> Pushed:
    """Send the files of a release. Raises PushFailed with the sentence to show.

    repository: ORG/NAME, made if it is not there. public: whether everyone may see a new one.
    """
    import httpx2  # of the library, which only this needs
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    api = HfApi(endpoint=settings.HUB_URL, token=token)
    try:
        return _send(api, outgoing, repository, public=public)
    except HfHubHTTPError as refusal:
        status = refusal.response.status_code
        said = refusal.server_message or ""
        raise PushFailed(explain_status(settings.HUB_URL, HUB, status, said)) from None
    except OfflineModeIsEnabled:
        raise PushFailed("HF_HUB_OFFLINE is set, so nothing was sent. Unset it.") from None
    except httpx2.TimeoutException:
        raise PushFailed(explain_silence(settings.HUB_URL, late=True)) from None
    except httpx2.HTTPError:
        raise PushFailed(explain_silence(settings.HUB_URL, late=False)) from None


def _send(api: Any, outgoing: Outgoing, repository: str, *, public: bool) -> Pushed:
    from huggingface_hub import CommitOperationAdd

    api.create_repo(repository, repo_type="dataset", private=not public, exist_ok=True)
    operations = [
        CommitOperationAdd(path_in_repo=file.name, path_or_fileobj=file.path)
        for file in outgoing.files
    ]
    api.create_commit(
        repository,
        operations,
        commit_message=f"{outgoing.title}, version {outgoing.version}",
        repo_type="dataset",
    )
    sent = [each.path_in_repo for each in operations if each._remote_oid != each._local_oid]
    address = f"{settings.HUB_URL}/datasets/{repository}"
    return Pushed(address, tuple(sent), len(operations) - len(sent))
