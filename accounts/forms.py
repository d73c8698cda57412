"""Account forms: text to values."""

from django import forms

from accounts.fields import OneLineField


class SettingsForm(forms.Form):
    """Name and single-key shortcuts."""

    name = OneLineField(
        label="Name",
        max_length=150,
        error_messages={"required": "Write the name colleagues know you by."},
    )
    single_keys = forms.BooleanField(label="Single-key shortcuts", required=False)
