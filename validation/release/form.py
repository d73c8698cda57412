"""What a release is asked for, by the page and by the API."""

from django import forms

from annotation.exports.forms import SplitForm
from validation.release.tables import JSON, KINDS


class ReleaseForm(SplitForm):
    """The split of a release (empty: all) and the kind of its tables (empty: JSON)."""

    tables = forms.ChoiceField(choices=list(KINDS.items()), required=False)

    def clean_tables(self) -> str:
        """Return the kind of tables."""
        return self.cleaned_data["tables"] or JSON
