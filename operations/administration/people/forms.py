"""What administrators write and choose about people."""

from typing import Any

from django import forms

from accounts.models import User
from annotation.core.models.people import OFFERED_ROLES
from annotation.core.models.projects import Project
from annotation.pages.forms import AmbitForm
from operations.administration.people.queries import STATES, PeopleFilter, asks_for_factor

REASON_LENGTH = 200


class ReasonForm(AmbitForm):
    """Why something is done to an account; it goes into the audit."""

    reason = forms.CharField(
        label="Reason",
        max_length=REASON_LENGTH,
        help_text="Goes into the audit.",
        error_messages={"required": "write why. It goes into the audit."},
    )


class FactorForm(ReasonForm):
    """How an administrator knows that it is the person who has lost their second factor."""

    def add_fields(self) -> None:
        self.fields["reason"].label = "How do you know that it is them?"
        self.fields["reason"].error_messages["required"] = "Write how you know."


class AddRoleForm(AmbitForm):
    """A role in a project for a person."""

    project = forms.ModelChoiceField(Project.objects.none(), empty_label=None)
    role = forms.ChoiceField(choices=OFFERED_ROLES)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        projects = Project.objects.exclude(state=Project.State.ARCHIVED).order_by("title", "pk")
        field = self.fields["project"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = projects


class PeopleFilterForm(AmbitForm):
    """What the list of people is narrowed down to; anything else is left out of the address."""

    q = forms.CharField(label="Name or e-mail address", max_length=254, required=False)
    project = forms.ModelChoiceField(
        Project.objects.order_by("title", "pk"), required=False, empty_label="All projects"
    )
    factor = forms.ChoiceField(label="Two-factor", required=False)
    state = forms.ChoiceField(choices=STATES, required=False)

    def add_fields(self) -> None:
        lacking = [("lacking", "Without, but required")] if asks_for_factor() else []
        field = self.fields["factor"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", "With and without second factor"),
            ("with", "With"),
            ("without", "Without"),
            *lacking,
        ]

    def read_filter(self) -> PeopleFilter:
        """Return the filter; a field that cannot be read narrows nothing."""
        self.is_valid()
        values = self.cleaned_data
        return PeopleFilter(
            text=values.get("q", "").replace("\0", "").strip(),
            project=values.get("project"),
            factor=values.get("factor", ""),
            state=values.get("state", ""),
        )
