"""The form that brings in a file of judgments made elsewhere."""

from django import forms

from evaluation.imports.forms import FileField, UploadForm
from evaluation.judgments.setups import MOST_RATERS


class JudgmentsForm(UploadForm):
    """A file of judgments made elsewhere."""

    title = forms.CharField(
        label="Title of the study",
        max_length=120,
        required=False,
        help_text="An export of Ambit names its study.",
    )
    file = FileField(
        label="File",
        max_length=255,
        help_text="JSON, JSON lines or CSV in the kit’s columns, or an export of judgments.",
    )
    raters = forms.IntegerField(
        label="People for each pair",
        min_value=1,
        max_value=MOST_RATERS,
        required=False,
        help_text="For a set-up file, whose pairs are yet to be judged. Empty: one.",
    )
