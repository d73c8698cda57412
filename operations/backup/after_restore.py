"""What ends with a restore, and what it leaves to be done, a sentence for each thing."""

import datetime as dt
from collections.abc import Iterator

from allauth.mfa.models import Authenticator
from django.db.models import Q
from knox.models import AuthToken

from annotation.core.models.people import INVITATION_OPEN
from annotation.jobs import services as jobs_services
from annotation.models import Delivery, Invitation, Job
from operations.backup import manifest as manifests
from operations.backup.making import list_archives, list_indexes
from operations.backup.manifest import Manifest
from operations.backup.values import BACKUP


def list_to_do(manifest: Manifest, *, now: dt.datetime) -> Iterator[str]:
    """Yield what is to be done now that the backup of this manifest is the database."""
    same_key = manifest.keys.get("SECRET_KEY") == manifests.key_fingerprints()["SECRET_KEY"]
    if not same_key:
        yield (
            "SECRET_KEY is another one than before: links in e-mails and invitations that were "
            "sent no longer work."
        )
    yield from _came_back(manifest.made_at, with_invitations=same_key, now=now)
    yield from _not_here(manifest)


def _came_back(made_at: str, *, with_invitations: bool, now: dt.datetime) -> Iterator[str]:
    """Yield what is as it was at that time, though somebody may have ended it since."""
    valid = Q(expiry=None) | Q(expiry__gt=now)
    if tokens := AuthToken.objects.filter(valid).count():
        yield (
            f"{_count(tokens, 'API token is', 'API tokens are')} valid as of {made_at}: revoke "
            "again what has been revoked since."
        )
    open_ones = Invitation.objects.filter(INVITATION_OPEN, expires_at__gt=now)
    if with_invitations and (invitations := open_ones.count()):
        yield (
            f"{_count(invitations, 'invitation is', 'invitations are')} open as of {made_at}: "
            "withdraw again what has been withdrawn since."
        )
    if factors := Authenticator.objects.exclude(type="recovery_codes").count():
        yield (
            f"{_count(factors, 'second factor is', 'second factors are')} there as of {made_at}, "
            "and so are passwords: remove and change again what was removed or changed since."
        )
    if waiting := Delivery.objects.filter(due_at__isnull=False, webhook__stopped_at=None).count():
        yield (
            f"Messages to webhooks that wait: {waiting}. They are sent once a worker runs, those "
            "sent since the backup a second time, with the same id. If a project removed an "
            "address since then, remove it again first."
        )


def end_backup_jobs(now: dt.datetime) -> None:
    """Stop the job that made the backup which was restored: in its own file it is not over."""
    for job in Job.objects.filter(kind=BACKUP, state__in=jobs_services.UNFINISHED):
        jobs_services.end_job(job=job, state=Job.State.CANCELLED, now=now)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _not_here(manifest: Manifest) -> Iterator[str]:
    """Yield what is not in a backup and not on this host."""
    here = {archive.snapshot: archive for archive in list_archives()}
    built = {index.name: index.fingerprint for index in list_indexes()}
    for archive in manifest.archives:
        found = here.get(archive.snapshot)
        if found is None or (archive.checksum and found.checksum is None):
            yield (
                f"The archive of snapshot “{archive.snapshot}” is not at {archive.path}. Put it "
                f"there, or name its place: manage.py index_wikipedia FILE --name "
                f"{archive.snapshot}. Its checksum is {archive.checksum}."
            )
        elif archive.checksum and (found.uuid, found.checksum) != (archive.uuid, archive.checksum):
            yield (
                f"{archive.path} is another archive than the one of snapshot "
                f"“{archive.snapshot}”, whose checksum is {archive.checksum}."
            )
    for index in manifest.indexes:
        if built.get(index.name) != index.fingerprint:
            command = "index_wikipedia" if index.kind == "zim" else "index_passages"
            yield (
                f"The search index “{index.name}” is not on this host. Build it again: manage.py "
                f"{command} FILE --name {index.name}"
            )
