"""Uploads over the limit are never written to disk, at any address."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

FORM_BYTES = 1024 * 1024  # allowance for the rest of the form


class CappedUpload(FileUploadHandler):
    """Discards the files of a request that is longer than the longest import."""

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
        self.too_long = content_length > settings.IMPORT_MAX_BYTES + FORM_BYTES
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


def too_large(size: int) -> str:
    """Return the sentence that a file of this many bytes is too large."""
    most = settings.IMPORT_MAX_BYTES / 1024**2
    return (
        f"The file has {size / 1024**2:,.0f} MB. The maximum is {most:,.0f} MB. "
        "Cut it into several files."
    )


def refusal(request: HttpRequest) -> str:
    """Return the sentence about a discarded file, "" if there is none."""
    size = getattr(request, "refused_upload", 0)
    return too_large(size) if size else ""
