"""The forms of exports: which part of a project, in which format."""

import datetime as dt
from typing import Any

from django import forms

from annotation.access.pseudonyms import people_by_pseudonym
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question, Split
from annotation.exports.selection import Selection
from annotation.pages.forms import AmbitForm
from annotation.protocols import registry as protocols


class SplitForm(forms.Form):
    """The split of an export; empty means all."""

    split = forms.ChoiceField(choices=[("", "all"), *Split.choices], required=False)


_DAY = {"invalid": "Write a day as 2026-03-01: year, month, day."}


class ExportForm(AmbitForm):
    """The part of a project that an export holds, for the page, the API and the command."""

    split = forms.ChoiceField(
        label="Split",
        choices=[("", "All splits"), *Split.choices],
        required=False,
        error_messages={"invalid_choice": "The split is train, dev or test."},
    )
    state = forms.ChoiceField(
        label="State of the question",
        choices=[("", "Any state"), *Question.State.choices],
        required=False,
        error_messages={
            "invalid_choice": f"A question’s state is one of {', '.join(Question.State.values)}."
        },
    )
    person = forms.ChoiceField(
        label="Person",
        required=False,
        error_messages={"invalid_choice": "No one who worked in this project has this pseudonym."},
    )
    since = forms.DateField(
        label="From",
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="First day of submission, in UTC.",
        error_messages=_DAY,
    )
    until = forms.DateField(
        label="To",
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Last day of submission, in UTC.",
        error_messages=_DAY,
    )

    study = forms.ChoiceField(
        label="Study",
        required=False,
        help_text="Only for judgments.",
        error_messages={"invalid_choice": "This project has no study %(value)s with judgments."},
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "export-%s")
        self.project = project
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the people who worked in the project, and its studies."""
        self.people = people_by_pseudonym(self.project)
        field = self.fields["person"]
        assert isinstance(field, forms.ChoiceField)
        people = sorted((user.name, name) for name, user in self.people.items())
        field.choices = [("", "Everyone"), *((name, f"{who} ({name})") for who, name in people)]
        study = self.fields["study"]
        assert isinstance(study, forms.ChoiceField)
        listed = {export.studies for export in protocols.protocol_of(self.project).exports}
        studies = dict(row for each in listed for row in each(self.project))
        study.choices = [("", "All studies"), *studies.items()]
        if not studies:
            study.widget = forms.HiddenInput()

    def clean(self) -> dict[str, Any]:
        """Refuse days in the wrong order, and a last day that has no day after it."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", "The last day is before the first.")
        if until == dt.date.max:
            self.add_error("until", _DAY["invalid"])
        return cleaned

    @property
    def selection(self) -> Selection:
        """Return the selection that the form asks for. Only once it is valid."""
        cleaned = self.cleaned_data
        user = self.people.get(cleaned["person"])
        return Selection(
            split=cleaned["split"],
            state=cleaned["state"],
            person=cleaned["person"],
            user=user.pk if user else None,
            since=cleaned["since"],
            until=cleaned["until"],
            study=int(cleaned["study"]) if cleaned["study"] else None,
        )


class ExportPageForm(ExportForm):
    """The export form with a choice of format."""

    format = forms.ChoiceField(label="Format")
    field_order = ("format",)

    def add_fields(self) -> None:
        """Offer the formats that fit the project."""
        super().add_fields()
        field = self.fields["format"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (export.key, export.label) for export in protocols.protocol_of(self.project).exports
        ]
