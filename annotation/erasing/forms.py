"""A person is erased by whoever writes their address: it cannot be undone."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.pages.forms import AmbitForm


class EraseForm(AmbitForm):
    """The address of the person, to show that they are meant."""

    email = forms.CharField(
        label="E-mail address of the person",
        max_length=254,
        help_text="Write it to confirm. This cannot be undone.",
        error_messages={"required": "write the address of the person to erase."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, expected: str, **kwargs: Any) -> None:
        self.expected = expected
        super().__init__(*args, **kwargs)

    def clean_email(self) -> str:
        """Refuse the address of anyone else."""
        email = str(self.cleaned_data["email"]).strip()
        if email.lower() != self.expected.lower():
            raise ValidationError("this is not the address of this person. Look again.")
        return email
