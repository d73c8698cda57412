"""What people send to be imported, and what they choose for it once it was recognised."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.core.files.base import ContentFile, File

from annotation.core.models.questions import Split
from annotation.imports.columns import USES
from annotation.imports.detection import MAPPED
from annotation.imports.drawn_splits import DEFAULT_SHARES
from annotation.imports.formats import all_formats
from annotation.imports.query_filters import FILTERS
from annotation.imports.recognition import DEFAULT_SPLIT
from annotation.pages.forms import AmbitForm
from annotation.uploads.requests import too_large

PASTED = "Pasted lines"
DRAWN = "drawn"  # in place of a split


class UploadForm(AmbitForm):
    """A file, or lines that were pasted."""

    file = forms.FileField(
        label="File with questions",
        required=False,
        max_length=255,
        error_messages={
            "empty": "The file is empty.",
            "max_length": "The name of the file is longer than 255 characters. Rename it.",
            "invalid": "The file did not arrive. Choose it again.",
        },
    )
    lines = forms.CharField(
        label="Lines",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "placeholder": "When did the ferry start?"}),
        help_text="One question a line, or lines copied from a file or a spreadsheet.",
        strip=False,
    )

    def __init__(self, *args: Any, refused: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "upload-%s")
        self.refused = refused  # why the upload was discarded, "" if it was received
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        """Ask for exactly one of the two, of a size that is taken."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        file, lines = cleaned.get("file"), cleaned.get("lines", "").strip()
        size = (file.size or 0) if file else 0
        if self.refused or size > settings.IMPORT_MAX_BYTES:
            self.add_error("file", self.refused or too_large(size))
        elif file and lines:
            self.add_error("lines", "Choose a file or paste lines, not both.")
        elif not file and not lines and not self.errors:
            self.add_error("file", "Choose a file, or paste lines.")
        return cleaned

    def make_file(self) -> "tuple[File[bytes], str]":
        """Return what was sent as a file, and its name."""
        if file := self.cleaned_data["file"]:
            return file, file.name
        return ContentFile(self.cleaned_data["lines"].encode()), PASTED


class ImportChoices(NamedTuple):
    """What was chosen for a file. `changes`: to the mapping of its columns, {} for none.

    `drawn`: the split is drawn, by `shares` and `seed` as they were written.
    """

    format: str
    changes: Mapping[str, Any]
    split: str
    strict: bool
    finished: bool
    closed: bool
    remember: bool
    filters: Sequence[str]
    drawn: bool
    shares: Mapping[str, str]
    seed: str


def read_choices(data: Mapping[str, Any], names: Sequence[str], chosen: bool) -> ImportChoices:
    """Return the choices in the fields of the page; the fields of a column have its number.

    chosen: whether the form was sent, so that a box that is absent was cleared.
    """
    uses = {
        name: data[f"use-{number}"]
        for number, name in enumerate(names)
        if data.get(f"use-{number}") in USES
    }
    splits = {}
    for number in range(20):
        value, split = data.get(f"value-{number}"), data.get(f"split-{number}")
        if value and split in Split.values:
            splits[value] = split
    changes: dict[str, Any] = {}
    if uses or splits:
        changes = {"uses": uses, "splits": splits}
    separator = data.get("separator")
    if separator is not None and len(separator) <= 5:
        changes["separator"] = separator
    format, split = data.get("as", ""), data.get("split", "")
    return ImportChoices(
        format=format if format == MAPPED or format in all_formats() else "",
        changes=changes,
        split=split if split in Split.values else DEFAULT_SPLIT,
        strict=bool(data.get("strict")),
        finished=bool(data.get("finished")),
        closed=bool(data.get("closed")),
        remember=bool(data.get("remember")) or not chosen,
        filters=[key for key in FILTERS if data.get(f"filter-{key}")],
        drawn=split == DRAWN,
        shares={
            name: data.get(f"share-{name}", str(share)).strip()
            for name, share in DEFAULT_SHARES.items()
        },
        seed=data.get("seed", "").strip() or "0",
    )
