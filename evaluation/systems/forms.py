"""The forms that bring in what systems answered: from a file, or the long answers of people."""

from django import forms

from annotation.imports.records import context_of, load_object
from annotation.models import StagePolicy
from annotation.pages.forms import AmbitForm
from evaluation.imports.forms import FileField, UploadForm
from evaluation.systems.models import System
from evaluation.systems.services import ANY

MOST_OPTIONS = 10_000


class SystemForm(AmbitForm):
    """Which system it is."""

    name = forms.CharField(label="Name", max_length=80)
    version = forms.CharField(label="Version", max_length=40, required=False)


class OutputsForm(UploadForm, SystemForm):
    """A file of what a system answered."""

    name = forms.CharField(
        label="Name",
        max_length=80,
        help_text="To add answers to an existing system, use its name and version.",
    )
    version = forms.CharField(label="Version", max_length=40, required=False)
    kind = forms.ChoiceField(label="Kind", choices=System.Kind.choices)
    file = FileField(
        label="File",
        max_length=255,
        help_text="JSON: an object with a text for each question’s id, or records with “id” and "
        "“answer”, as a list or one per line.",
    )
    annotation = forms.IntegerField(
        label="Annotation",
        required=False,
        min_value=1,
        max_value=100,
        help_text="Only for a file of ASQA: which of its long answers per question, from 1.",
    )
    options = forms.CharField(
        label="Settings",
        required=False,
        max_length=MOST_OPTIONS,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text='How it was run, as a JSON object: {"model": "T5", "passages": 5}.',
    )

    def clean_options(self) -> dict[str, object] | None:
        """Read the settings; None where there are none."""
        return options_of(self.cleaned_data["options"])

    def clean_annotation(self) -> int:
        """Return which annotation, 0 for a file of a system."""
        return self.cleaned_data["annotation"] or 0


def options_of(text: str) -> dict[str, object] | None:
    """Read settings of a system from JSON. Raises ValidationError with a sentence."""
    if not text.strip():
        return None
    try:
        return context_of(load_object(text.encode("utf-8", "surrogatepass")))
    except ValueError as error:
        raise forms.ValidationError(f"The settings cannot be read. {error}") from None


class ReferenceForm(SystemForm):
    """Which of the project's long answers make a human reference."""

    inputs = forms.ChoiceField(
        label="Written by people who were given",
        choices=[(ANY, "Anything"), *StagePolicy.Inputs.choices],
    )
    nth = forms.IntegerField(
        label="Which long answer",
        initial=1,
        min_value=1,
        max_value=100,
        help_text="One for each question: 1 is the one that was written first.",
    )
