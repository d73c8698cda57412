"""The form that draws a sample for the audit."""

from typing import Any

from django import forms

from annotation.models import Split
from annotation.pages.forms import AmbitForm
from validation.audits.models import AuditSample
from validation.audits.services import MOST, MOST_SEED


class AuditDrawForm(AmbitForm):
    """How many questions, from where."""

    size = forms.IntegerField(min_value=1, max_value=MOST, initial=50, label="How many")
    counted_in = forms.ChoiceField(
        choices=[("questions", "Questions"), ("percent", "Percent of the questions there are")],
        initial="questions",
        required=False,
        label="Counted in",
    )
    split = forms.ChoiceField(choices=Split.choices, initial=Split.DEV, label="From split")
    population = forms.ChoiceField(
        choices=AuditSample.Population.choices,
        initial=AuditSample.Population.VALIDATED,
        label="From which questions",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_SEED,
        label="Seed",
        help_text="Leave empty for a random seed (it is saved). The same seed draws the same "
        "questions again.",
    )
    again = forms.BooleanField(required=False, label="Include questions of earlier samples")

    def service_arguments(self) -> dict[str, Any]:
        """Return the cleaned values as arguments of `draw_sample`."""
        values = dict(self.cleaned_data)
        return values | {"percent": values.pop("counted_in") == "percent"}
