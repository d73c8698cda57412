"""The form that brings a file of questions in."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.formats import FORMATS
from annotation.forms.base import AmbitForm
from annotation.models import Split


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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "import-%s")
        super().__init__(*args, **kwargs)

    def clean_file(self) -> "UploadedFile[bytes]":
        """Refuse a file over IMPORT_MAX_BYTES."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.IMPORT_MAX_BYTES:
            most = settings.IMPORT_MAX_BYTES // (1024 * 1024)
            raise forms.ValidationError(
                f"The file has {(file.size or 0) / 1024**2:,.0f} MB. The most is {most:,} MB. "
                "Cut it into several files."
            )
        return file


class SplitForm(forms.Form):
    """Which split an export holds; none means all."""

    split = forms.ChoiceField(choices=[("", "all"), *Split.choices], required=False)
