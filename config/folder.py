"""Files of people in a folder, perhaps one that several hosts have mounted."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

from annotation.uploads.storage import StorageDown

logger = logging.getLogger(__name__)


class Folder(FileSystemStorage):
    """A folder that says so when it cannot be used, and keeps no half of a file."""

    def _open(self, name: str, mode: str = "rb") -> Any:
        with _asked():
            return super()._open(name, mode)  # type: ignore[misc]

    def _save(self, name: str, content: Any) -> str:
        try:
            with _asked():
                return str(super()._save(name, content))  # type: ignore[misc]
        except StorageDown:
            with suppress(OSError):
                os.unlink(self.path(name))  # nothing names it, and it takes up a full disk
            raise

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        with _asked():
            super().delete(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of folders and of files in a folder."""
        with _asked():
            return super().listdir(path)

    def check_storage(self) -> int | None:
        """Return how many bytes are free. Raises StorageDown if nothing can be written."""
        folder = Path(self.location)
        while not folder.exists():  # it is made for the first file
            folder = folder.parent
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise StorageDown("cannot be written")
        disk = os.statvfs(folder)
        return disk.f_bavail * disk.f_frsize


@contextmanager
def _asked() -> Iterator[None]:
    """Turn whatever the disk says, except that there is no such file, into one exception."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        logger.error("the storage cannot be used: %s", error)
        raise StorageDown(error.strerror or type(error).__name__) from error
