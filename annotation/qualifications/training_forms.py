"""The form that marks a walk-through as held."""

from django import forms

from annotation.pages.forms import AmbitForm


class WalkThroughForm(AmbitForm):
    """The day it was held, and notes for the person."""

    held_on = forms.DateField(
        label="Held on", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    notes = forms.CharField(
        max_length=5000,
        required=False,
        label="Notes",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "true"}),
        help_text="Shown to the person on the qualification’s page.",
    )
