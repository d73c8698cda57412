"""Account forms: text to values."""

from django import forms


class SettingsForm(forms.Form):
    """Name and single-key shortcuts."""

    name = forms.CharField(
        label="Name",
        max_length=150,
        error_messages={"required": "Write the name colleagues know you by."},
    )
    single_keys = forms.BooleanField(label="Single-key shortcuts", required=False)
