"""Forms of the pay pages."""

from typing import Any

from django import forms

from annotation.pages.forms import AmbitForm, build_date_field
from annotation.pay.models import PayEntry
from annotation.pay.services import LONGEST_REASON, MOST

FIRST_YEAR, LAST_YEAR = 2000, 2100


class PeriodForm(AmbitForm):
    """A first and a last day, both included."""

    start = build_date_field(label="From", required=False)
    end = build_date_field(label="To", required=False)

    def clean(self) -> dict[str, Any]:
        """Require both days, in order, in years that a calendar page can show."""
        values = super().clean() or {}
        start, end = values.get("start"), values.get("end")
        if not self.errors and (start or end):
            if not (start and end):
                raise forms.ValidationError("Give both days, the first and the last.")
            if end < start:
                raise forms.ValidationError("The last day is before the first.")
            if not FIRST_YEAR <= start.year <= end.year <= LAST_YEAR:
                raise forms.ValidationError(f"Give days from {FIRST_YEAR} to {LAST_YEAR}.")
        return values


class EntryForm(AmbitForm):
    """A correction or a bonus. `key` makes two clicks one entry."""

    kind = forms.ChoiceField(
        choices=[
            (PayEntry.Kind.CORRECTION.value, "Correction"),
            (PayEntry.Kind.BONUS.value, "Bonus"),
        ]
    )
    amount = forms.DecimalField(
        max_digits=7,
        decimal_places=2,
        min_value=-MOST,
        max_value=MOST,
        help_text="A negative amount takes money back, as in -0.75.",
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$", max_length=3, help_text="Three-letter code, such as USD."
    )
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="The person sees it next to the amount.",
    )
    key = forms.UUIDField(widget=forms.HiddenInput)
    corrects = forms.IntegerField(required=False, widget=forms.HiddenInput)
