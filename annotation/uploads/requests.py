"""Uploads over the limit are never written to disk, at any address.

Forms are read before anyone knows whether their sender may do what they ask for. So only pages that
take files get large ones, and only from people who are signed in.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, TemporaryFileUploadHandler
from django.http import HttpRequest

FORM_BYTES = 1024 * 1024  # allowance for the rest of the form
V = TypeVar("V", bound=Callable[..., Any])


def takes_files(view: V) -> V:
    """Mark a view, or a class of views, as one to which people upload files."""
    view.takes_files = True  # type: ignore[attr-defined]
    return view


def _most(request: HttpRequest | None) -> int:
    """Return how many bytes this request may have."""
    match = getattr(request, "resolver_match", None)
    user = getattr(request, "user", None)
    view = getattr(match, "func", None)
    takes = getattr(getattr(view, "cls", view), "takes_files", False)
    known = user is not None and user.is_authenticated and not user.is_participant
    return FORM_BYTES + (settings.IMPORT_MAX_BYTES if takes and known else 0)


class CappedUpload(FileUploadHandler):
    """Discards the files of a request that is longer than its page takes."""

    too_long = False

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> None:
        """Check the announced length of the request before anything is read."""
        self.too_long = content_length > _most(self.request)
        if self.too_long and self.request is not None:
            self.request.refused_upload = content_length  # type: ignore[attr-defined]

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Pass the file on to the next handlers, or discard it."""
        super().new_file(*args, **kwargs)
        if self.too_long:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass the bytes on."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Return None: this handler makes no file."""


class LongUpload(TemporaryFileUploadHandler):
    """A temporary file that is deleted at once where the disk has no room for all of it.

    Django leaves it until its memory is cleared up, and the disk is full for so long.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece."""
        try:
            self.file.write(raw_data)
        except OSError:
            self._give_up()
            raise

    def file_complete(self, file_size: int) -> Any:
        """Return the file, ready to be read from its beginning."""
        try:
            return super().file_complete(file_size)
        except OSError:
            self._give_up()
            raise

    def _give_up(self) -> None:
        with suppress(OSError):  # of what could not be written even now
            self.file.close()


def too_large(size: int) -> str:
    """Return the sentence that a file of this many bytes is too large."""
    most = settings.IMPORT_MAX_BYTES / 1024**2
    return (
        f"The file has {size / 1024**2:,.0f} MB. The maximum is {most:,.0f} MB. "
        "Cut it into several files."
    )


def upload_refusal(request: HttpRequest) -> str:
    """Return the sentence about a discarded file, "" if there is none."""
    size = getattr(request, "refused_upload", 0)
    return too_large(size) if size else ""
