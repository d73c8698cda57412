"""Uploads over the limit are never written to disk, whoever sends them to whatever address."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

FORM_BYTES = 1024 * 1024  # what a form has around its file


class CappedUpload(FileUploadHandler):
    """Passes over the files of a request that is longer than the longest import."""

    too_long = False

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> None:
        """Judge the request by its announced length, before anything is read."""
        self.too_long = content_length > settings.IMPORT_MAX_BYTES + FORM_BYTES
        if self.too_long and self.request is not None:
            self.request.refused_upload = content_length  # type: ignore[attr-defined]

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Leave the file to the handlers behind this one, or to nobody."""
        super().new_file(*args, **kwargs)
        if self.too_long:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Hand the bytes on."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Have no file of its own to give."""


def too_large(size: int) -> str:
    """Say that a file of this many bytes cannot be taken."""
    most = settings.IMPORT_MAX_BYTES / 1024**2
    return (
        f"The file has {size / 1024**2:,.0f} MB. The maximum is {most:,.0f} MB. "
        "Cut it into several files."
    )


def refusal(request: HttpRequest) -> str:
    """Return the sentence about a file that was passed over, "" when none was."""
    size = getattr(request, "refused_upload", 0)
    return too_large(size) if size else ""
