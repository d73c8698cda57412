"""The forms of the page where types of ambiguity are labelled."""

from django import forms

from annotation.models import Split
from annotation.pages.forms import AmbitForm
from evaluation.labelling.models import Ambiguity
from evaluation.labelling.services import MOST_AT_ONCE


class AmbiguityDrawForm(AmbitForm):
    """How many questions are drawn, and from which split."""

    split = forms.ChoiceField(label="Split", choices=Split.choices, initial=Split.DEV)
    size = forms.IntegerField(label="Questions", min_value=1, max_value=MOST_AT_ONCE, initial=100)


class TypesForm(AmbitForm):
    """The types of one question."""

    types = forms.MultipleChoiceField(
        label="Types",
        choices=Ambiguity.Type.choices,
        error_messages={"required": "choose at least one type, or “None of these”."},
    )
    seen = forms.DateTimeField(required=False)

    def clean_types(self) -> list[str]:
        """Refuse “none of these” together with one of them."""
        types: list[str] = self.cleaned_data["types"]
        if Ambiguity.Type.OTHER in types and len(types) > 1:
            raise forms.ValidationError("choose either types or “None of these”, not both.")
        return types
