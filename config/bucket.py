"""Files of people in a bucket of S3, or of a server that speaks like it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

from annotation.uploads.storage import StorageDown

logger = logging.getLogger(__name__)

MEMORY_BYTES = 1024 * 1024  # of a file that is read; what is longer goes to a temporary file
CONNECT_SECONDS, READ_SECONDS, TRIES = 5, 30, 3


class Bucket(S3Storage):  # type: ignore[misc]
    """A bucket that is asked for no longer than somebody waits, and says so when it is down.

    Files are never served from it, and a name is never given twice.
    """

    def __init__(self, **options: Any) -> None:
        own_server = bool(options.get("endpoint_url"))
        super().__init__(
            **options,
            file_overwrite=False,
            max_memory_size=MEMORY_BYTES,
            client_config=Config(
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"total_max_attempts": TRIES, "mode": "standard"},
                signature_version="s3v4",
                s3={"addressing_style": "path" if own_server else "auto"},
                # Many servers other than Amazon's refuse the newer sums that come after the body.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def _open(self, name: str, mode: str = "rb") -> Any:
        with _asked():
            file = super()._open(name, mode)
            if "r" in mode:
                _ = file.file  # fetched now: once it is read, nothing can go wrong any more
            return file

    def _save(self, name: str, content: Any) -> str:
        with _asked():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        with _asked():
            super().delete(name)

    def exists(self, name: str) -> bool:
        """Say whether there is a file of this name."""
        with _asked():
            return bool(super().exists(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of folders and of files in a folder."""
        with _asked():
            folders, files = super().listdir(path)
            return folders, files

    def check_storage(self) -> None:
        """Ask for the name of one file. Raises StorageDown if that is not answered."""
        with _asked():
            self.connection.meta.client.list_objects_v2(
                Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1
            )


@contextmanager
def _asked() -> Iterator[None]:
    """Turn whatever the library raises for a server into one exception."""
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as error:
        # The library's sentences name server, bucket and key, and no secret.
        logger.error("the storage cannot be used: %s", error)
        raise StorageDown(type(error).__name__) from error
