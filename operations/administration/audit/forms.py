"""What the audit is narrowed down to."""

from django import forms

from annotation.core.models.audit import STAFF_ACTIONS
from annotation.pages.forms import AmbitForm
from operations.administration.audit.queries import AuditFilter

KINDS = [("", "Everything"), *((kind, kind.capitalize()) for kind in STAFF_ACTIONS)]


class AuditFilterForm(AmbitForm):
    """A word, a kind and days; what cannot be read narrows nothing."""

    q = forms.CharField(label="Person, project or word", max_length=254, required=False)
    kind = forms.ChoiceField(choices=KINDS, required=False)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def read_filter(self) -> AuditFilter:
        """Return the filter."""
        self.is_valid()
        values = self.cleaned_data
        return AuditFilter(
            text=values.get("q", "").replace("\0", "").strip(),
            kind=values.get("kind", ""),
            since=values.get("since"),
            until=values.get("until"),
        )
