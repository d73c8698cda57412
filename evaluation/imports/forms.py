"""What forms with a file have in common."""

from typing import Any

from django import forms

from annotation.pages.forms import AmbitForm


class FileField(forms.FileField):
    """A file, with our sentences; `refused` says why an upload was discarded."""

    default_error_messages = {
        "required": "Choose a file.",
        "missing": "Choose a file.",
        "empty": "The file is empty.",
        "max_length": "The name of the file is longer than 255 characters. Rename it.",
        "invalid": "The file did not arrive. Choose it again.",
    }


class UploadForm(AmbitForm):
    """A form with a file, which may have been discarded because it is too large."""

    def __init__(self, *args: Any, refused: str = "", **kwargs: Any) -> None:
        self.refused = refused
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Say why an upload was discarded."""
        if self.refused:
            self.fields["file"].error_messages["required"] = self.refused
