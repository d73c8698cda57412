"""Forms for people: invite a person, give a role, make an account from an invitation."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError

from accounts.fields import OneLineField
from accounts.models import User
from annotation.core.models.people import OFFERED_ROLES
from annotation.pages.forms import AmbitForm
from annotation.people.invited_lines import MOST_LINES


class InviteForm(AmbitForm):
    """A list of people, a person a line, and what is the same for all of them."""

    people = forms.CharField(
        label="One person a line",
        max_length=100_000,
        help_text=(
            "An address is enough. A name and roles can follow, as in “Nora North "
            "<nora@example.org>, annotator, validator”. Lines copied from a spreadsheet work too."
        ),
        error_messages={"required": "write at least one address."},
        widget=forms.Textarea(
            attrs={
                "rows": 8,
                "class": "input raw",
                "autocomplete": "off",
                "spellcheck": "false",
                "placeholder": "nora@example.org",
            }
        ),
    )
    role = forms.ChoiceField(label="Role, where a line has none", choices=OFFERED_ROLES)
    days = forms.TypedChoiceField(label="Open for", coerce=int)
    message = forms.CharField(
        label="A few words from you",
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    copies = forms.BooleanField(
        label="Send no e-mails. I copy the links and send them myself.", required=False
    )

    def add_fields(self) -> None:
        usual = settings.INVITATION_MAX_AGE.days
        days = self.fields["days"]
        assert isinstance(days, forms.TypedChoiceField)
        days.choices = [
            (each, f"{each} day{'' if each == 1 else 's'}") for each in sorted({3, 14, 30, usual})
        ]
        days.initial = usual

    def clean_people(self) -> str:
        """Refuse more lines than one press is for."""
        people: str = self.cleaned_data["people"].replace("\0", "")
        if len([line for line in people.splitlines() if line.strip()]) > MOST_LINES:
            raise ValidationError(f"write at most {MOST_LINES} lines, and the others after them.")
        return people


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
