"""The form that brings a file of questions in."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.formats import FORMATS
from annotation.forms.base import AmbitForm
from annotation.models import Split
from annotation.uploads import too_large

NOT_ANNOTATED = "Only AmbigNQ files hold answers. Choose AmbigNQ, or clear this box."


class ImportForm(AmbitForm):
    """A file of questions, its format, and the split it goes into."""

    format = forms.ChoiceField(
        choices=[(format.key, format.label) for format in FORMATS.values()], label="Format"
    )
    split = forms.ChoiceField(choices=Split.choices, initial=Split.DEV, label="Into split")
    file = forms.FileField(
        label="File",
        max_length=255,
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
        label="Take the answers of the file as accepted work",
        help_text="AmbigNQ files only. Nobody is asked to answer these questions.",
    )

    def __init__(self, *args: Any, refused: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "import-%s")
        self.refused = refused  # why the file was not received at all
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Say of a file that was passed over why, rather than that none was chosen."""
        if self.refused:
            self.fields["file"].error_messages["required"] = self.refused

    def clean_file(self) -> "UploadedFile[bytes]":
        """Refuse a file over IMPORT_MAX_BYTES."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.IMPORT_MAX_BYTES:
            raise forms.ValidationError(too_large(file.size or 0))
        return file

    def clean(self) -> dict[str, Any]:
        """Refuse to take answers from a format that holds none."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        format = FORMATS.get(found.get("format", ""))
        if found.get("finished") and format and not format.annotated:
            self.add_error("finished", NOT_ANNOTATED)
        return found


class SplitForm(forms.Form):
    """Which split an export holds; none means all."""

    split = forms.ChoiceField(choices=[("", "all"), *Split.choices], required=False)
