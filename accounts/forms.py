"""Account forms: text to values."""

from django import forms

from accounts.models import User


class SettingsForm(forms.ModelForm[User]):
    """Name and single-key shortcuts."""

    name = forms.CharField(
        label="Name",
        max_length=150,
        error_messages={"required": "Write the name colleagues know you by."},
    )
    single_keys = forms.BooleanField(label="Single-key shortcuts", required=False)

    class Meta:
        model = User
        fields = ["name", "single_keys"]
