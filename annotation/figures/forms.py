"""The filters of a report, for its page, its files and the API."""

import datetime as dt
from collections.abc import Collection
from typing import Any

from django import forms

from annotation.access.pseudonyms import people_by_pseudonym
from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.figures.filters import Filters, Name
from annotation.pages.forms import AmbitForm

_DAY = {"invalid": "Write a day as 2026-03-01: year, month, day."}
_PERSON = {"invalid_choice": "No one who worked in this project has this pseudonym."}
_SPLIT = {"invalid_choice": "The split is train, dev or test."}


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label,
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages=_DAY,
    )


class FilterForm(AmbitForm):
    """What a report is narrowed down to. It has the fields that the report knows."""

    split = forms.ChoiceField(
        label="Split",
        choices=[("", "All splits"), *Split.choices],
        required=False,
        error_messages=_SPLIT,
    )
    since = _day("From")
    until = _day("To")
    person = forms.ChoiceField(label="Person", required=False, error_messages=_PERSON)
    other = forms.ChoiceField(label="Compared with", required=False, error_messages=_PERSON)

    def __init__(
        self, *args: Any, project: Project, names: Collection[Name], **kwargs: Any
    ) -> None:
        self.project, self.names = project, names
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Drop the fields that the report does not know; offer the people of the project."""
        if "split" not in self.names:
            del self.fields["split"]
        if "period" not in self.names:
            del self.fields["since"], self.fields["until"]
        if "people" not in self.names:
            del self.fields["person"], self.fields["other"]
            return
        self.people = people_by_pseudonym(self.project)
        rows = sorted((user.name, key) for key, user in self.people.items())
        for name, empty in (("person", "Everyone"), ("other", "No one")):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("", empty), *((key, f"{who} ({key})") for who, key in rows)]

    def clean(self) -> dict[str, Any]:
        """Refuse days in the wrong order, and a comparison of someone with themselves or no one."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", "The last day is before the first.")
        if until == dt.date.max:
            self.add_error("until", _DAY["invalid"])
        person, other = cleaned.get("person"), cleaned.get("other")
        if other and not person:
            self.add_error("person", "Choose who to compare with this person.")
        elif other and other == person:
            self.add_error("other", "Choose another person to compare with.")
        return cleaned

    def filters(self) -> Filters:
        """Return the filters of a valid form."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        for name in {"person", "other"} & chosen.keys():
            chosen[name] = self.people[chosen[name]].pk
        return Filters(**chosen)

    def chosen(self) -> list[str]:
        """Return the names of the people that a valid form has."""
        keys = (self.cleaned_data.get(name) for name in ("person", "other"))
        return [self.people[key].name for key in keys if key]
