"""The form on the page of context paragraphs."""

from django import forms

from annotation.pages.forms import AmbitForm


class ThresholdForm(AmbitForm):
    """The similarity from which a paragraph is shown."""

    threshold = forms.DecimalField(
        min_value=0,
        max_value=1,
        max_digits=3,
        decimal_places=2,
        help_text="From 0 to 1, in hundredths. At 0 every paragraph that holds an answer is shown.",
        widget=forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"}),
    )
