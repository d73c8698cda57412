"""The forms that participants fill in."""

from typing import Any

from django import forms

from annotation.pages.forms import AmbitForm
from crowds.questions import RATHER_NOT, OptionQuestion

LONGEST_ANSWER = 200
# With more options than this, a list that opens is easier to use than radio buttons.
MOST_RADIOS = 6


class ConsentForm(AmbitForm):
    """Both boxes, or no one begins."""

    adult = forms.BooleanField(
        label="I am 18 or older.",
        error_messages={"required": "Only people who are 18 or older can take part."},
    )
    agreed = forms.BooleanField(
        label="I have read this page and want to take part.",
        error_messages={"required": "Tick the box if you want to take part."},
    )


class AboutForm(AmbitForm):
    """The team's questions about a participant; each can be left unsaid."""

    def __init__(self, *args: Any, asked: list[OptionQuestion], **kwargs: Any) -> None:
        self.asked = asked
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Add a field for each question, named by its place."""
        for number, asked in enumerate(self.asked, 1):
            self.fields[f"about-{number}"] = _field(asked)

    @property
    def said(self) -> dict[str, str]:
        """What was said, by the wording of the question; only of a valid form."""
        return {
            asked.label: self.cleaned_data[f"about-{number}"]
            for number, asked in enumerate(self.asked, 1)
        }


class CheckForm(AmbitForm):
    """One attention check."""

    def __init__(self, *args: Any, asked: OptionQuestion, **kwargs: Any) -> None:
        self.asked = asked
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Add the question."""
        self.fields["check"] = forms.ChoiceField(
            label=self.asked.label,
            choices=[(option, option) for option in self.asked.options],
            widget=forms.RadioSelect,
            error_messages={"required": "Choose one of the answers."},
        )


def _field(asked: OptionQuestion) -> forms.Field:
    missing = {"required": f"Choose an answer, or “{RATHER_NOT}”."}
    if not asked.options:
        return forms.CharField(
            label=asked.label,
            max_length=LONGEST_ANSWER,
            required=False,
            help_text="Leave it empty if you would rather not say.",
        )
    choices = [(option, option) for option in (*asked.options, RATHER_NOT)]
    if len(choices) <= MOST_RADIOS:
        return forms.ChoiceField(
            label=asked.label, choices=choices, widget=forms.RadioSelect, error_messages=missing
        )
    return forms.ChoiceField(
        label=asked.label, choices=[("", "Choose"), *choices], error_messages=missing
    )
