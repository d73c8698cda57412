"""Data sets as answers to a request: streamed, never cached."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse

from annotation.exports import services as exports
from annotation.exports.dataset import Dataset
from annotation.exports.files import zip_blocks

ZIP = "application/zip"


def send_export(export: exports.Export) -> StreamingHttpResponse:
    """Return an export as an attachment, sent block by block."""
    return send_blocks(export.blocks(), export.file_name, export.content_type)


def send_zip(dataset: Dataset) -> StreamingHttpResponse:
    """Return data and its companions as one ZIP."""
    name = dataset.file_name.rpartition(".")[0]
    return send_blocks(zip_blocks(dataset), f"{name}.zip", ZIP)


def send_blocks(blocks: Iterator[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    """Return blocks of bytes as a file that is not cached."""
    response = StreamingHttpResponse(blocks, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response
