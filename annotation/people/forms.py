"""Forms for people: invite a person, give a role, make an account from an invitation."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError

from accounts.fields import OneLineField
from accounts.models import User
from annotation.core.models.people import OFFERED_ROLES
from annotation.pages.forms import AmbitForm


class InviteForm(AmbitForm):
    """An address and a role."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages={
            "required": "write the address the invitation goes to.",
            "invalid": "write one whole address, such as nora@example.org.",
        },
    )
    role = forms.ChoiceField(label="Role", choices=OFFERED_ROLES)

    def add_fields(self) -> None:
        self.fields["email"].widget.attrs["autocomplete"] = "off"


class RoleForm(AmbitForm):
    """One role."""

    role = forms.ChoiceField(label="Role", choices=OFFERED_ROLES)


class JoinForm(AmbitForm):
    """Name and password of an invited person."""

    name = OneLineField(
        label="Name",
        max_length=150,
        help_text="Colleagues and admins see it. Exports carry a pseudonym instead.",
        error_messages={"required": "write the name colleagues know you by."},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least eight characters, not only digits, and not one that many people use.",
        error_messages={"required": "choose a password."},
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        self.email = email
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        """Refuse passwords that are easy to guess for this person."""
        password = self.cleaned_data.get("password")
        if password:
            user = User(email=self.email, name=self.cleaned_data.get("name", ""))
            try:
                password_validation.validate_password(password, user)
            except ValidationError as error:
                self.add_error("password", error)
        return self.cleaned_data
