"""The form that brings a file of questions in."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.formats import FORMATS
from annotation.forms.base import AmbitForm
from annotation.models import Project, Split
from annotation.policies import Conflict
from annotation.services.fitting import check_format, formats_of
from annotation.uploads import too_large

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
        label="Take the answers of the file as accepted work",
        help_text="{name} files only. Nobody is asked to answer these questions.",
    )

    def __init__(self, *args: Any, project: Project, refused: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "import-%s")
        self.project = project
        self.refused = refused  # why the file was not received at all
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer what fits the project, and say of a file that was passed over why it was."""
        found = formats_of(self.project)
        holds = [each for each in found if each.annotates == self.project.protocol]
        self.annotated = holds[0].label.partition(",")[0] if holds else ""
        format, finished = self.fields["format"], self.fields["finished"]
        assert isinstance(format, forms.ChoiceField)
        format.choices = [(each.key, each.label) for each in found]
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
        found: dict[str, Any] = super().clean() or self.cleaned_data
        format = FORMATS.get(found.get("format", ""))
        if found.get("finished") and format and format.annotates != self.project.protocol:
            self.add_error("finished", NOT_ANNOTATED.format(name=self.annotated))
        elif format:
            try:
                check_format(self.project, format.key)
            except Conflict as refusal:
                self.add_error("format", str(refusal))
        return found


class SplitForm(forms.Form):
    """Which split an export holds; none means all."""

    split = forms.ChoiceField(choices=[("", "all"), *Split.choices], required=False)
