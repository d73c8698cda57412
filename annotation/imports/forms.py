"""The form of an import."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.core.refusals import Conflict
from annotation.imports.adapters import (
    annotated_formats,
    check_closed,
    check_format,
    formats_of,
)
from annotation.imports.formats import all_formats
from annotation.pages.forms import AmbitForm
from annotation.uploads.requests import too_large

NOT_ANNOTATED = "Only {name} files hold answers. Choose {name}, or clear this box."


class ImportForm(AmbitForm):
    """A file of questions, its format, and the split it goes into."""

    format = forms.ChoiceField(label="Format")
    split = forms.ChoiceField(choices=Split.choices, initial=Split.DEV, label="Into split")
    file = forms.FileField(
        label="File",
        max_length=255,
        help_text="Records that name a split keep it; all others go into the one chosen.",
        error_messages={
            "required": "Choose a file.",
            "missing": "Choose a file.",
            "empty": "The file is empty.",
            "max_length": "The name of the file is longer than 255 characters. Rename it.",
            "invalid": "The file did not arrive. Choose it again.",
        },
    )
    strict = forms.BooleanField(
        required=False,
        initial=True,
        label="Import nothing if any line cannot be read",
    )

    finished = forms.BooleanField(
        required=False,
        label="Treat the file’s answers as accepted",
        help_text="{name} files only. No one will be asked to answer these questions.",
    )

    closed = forms.BooleanField(
        required=False,
        label="Do not open them to annotators yet",
        help_text="You open them later, on the page of the import or on the list of questions.",
    )

    def __init__(self, *args: Any, project: Project, refused: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "import-%s")
        self.project = project
        self.refused = refused  # why the upload was discarded, "" if it was received
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer what fits the project; explain why an upload was discarded."""
        self.formats = formats = formats_of(self.project)
        names = [each.label.partition(",")[0] for each in annotated_formats(self.project)]
        self.annotated = " or ".join(name.removesuffix(" export") for name in names)
        format, finished = self.fields["format"], self.fields["finished"]
        assert isinstance(format, forms.ChoiceField)
        format.choices = [(entry.key, entry.label) for entry in formats]
        finished.help_text = str(finished.help_text).format(name=self.annotated)
        if self.refused:
            self.fields["file"].error_messages["required"] = self.refused

    def clean_file(self) -> "UploadedFile[bytes]":
        """Refuse a file over IMPORT_MAX_BYTES."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.IMPORT_MAX_BYTES:
            raise forms.ValidationError(too_large(file.size or 0))
        return file

    def clean(self) -> dict[str, Any]:
        """Refuse a format that does not fit, and answers from one that holds none."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        format = all_formats().get(cleaned.get("format", ""))
        if cleaned.get("finished") and format and format not in annotated_formats(self.project):
            self.add_error("finished", NOT_ANNOTATED.format(name=self.annotated))
        elif format:
            try:
                check_format(self.project, format.key)
            except Conflict as refusal:
                self.add_error("format", str(refusal))
        try:
            finished, closed = (bool(cleaned.get(name)) for name in ("finished", "closed"))
            check_closed(self.project, closed=closed, finished=finished)
        except Conflict as refusal:
            self.add_error("closed", str(refusal))
        return cleaned
