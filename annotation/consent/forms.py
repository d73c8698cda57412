"""Forms of consent: a text, and an answer to it."""

from typing import Any

from django import forms

from accounts.fields import OneLineField
from annotation.consent.models import ConsentText
from annotation.consent.policies import CHANGED
from annotation.consent.services import Agreement, ConsentWords
from annotation.pages.forms import AmbitForm

LONGEST_BODY = 50_000
YES_OR_NO = [("yes", "Yes"), ("no", "No")]


class AgreeForm(AmbitForm):
    """The boxes below a text. `text` is what the person reads."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    of_age = forms.BooleanField(
        error_messages={"required": "Confirm your age. Younger people cannot take part."}
    )
    agreed = forms.BooleanField(
        label="I have read what is kept about me, and I want to take part.",
        error_messages={"required": "Say that you have read it and want to take part."},
    )
    may_train = forms.ChoiceField(
        label="May your answers train models?",
        choices=YES_OR_NO,
        widget=forms.RadioSelect,
        help_text="Your work and your pay are the same if you say no, and you can change this "
        "answer at any time.",
        error_messages={"required": "Choose yes or no."},
    )

    def __init__(self, *args: Any, text: ConsentText, **kwargs: Any) -> None:
        self.text = text
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Leave out what the text does not ask."""
        self.initial.setdefault("version", self.text.version)
        if self.text.minimum_age:
            self.fields["of_age"].label = f"I am {self.text.minimum_age} or older."
        else:
            del self.fields["of_age"]
        if not self.text.asks_training:
            del self.fields["may_train"]

    def clean(self) -> dict[str, Any]:
        """Refuse an answer to a text that has changed since it was read."""
        if self.cleaned_data.get("version") != self.text.version:
            self.add_error(None, CHANGED)
        return self.cleaned_data

    @property
    def agreement(self) -> Agreement:
        """What the person agrees to. The form is valid."""
        trains = self.cleaned_data.get("may_train")
        return Agreement(
            version=self.cleaned_data["version"],
            of_age=self.cleaned_data.get("of_age", False),
            may_train=trains == "yes" if trains else None,
        )


class ConsentTextForm(AmbitForm):
    """A new version of a project's text."""

    body = forms.CharField(
        max_length=LONGEST_BODY,
        label="What is kept",
        help_text="In Markdown: what people will do, what you keep and publish, until when, and "
        "how they can leave.",
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "true", "class": "input tall"}),
    )
    contact = OneLineField(
        required=False,
        max_length=200,
        label="Questions about data go to",
        help_text="An e-mail address, or a name and an address.",
    )
    ethics = OneLineField(
        required=False,
        max_length=200,
        label="Ethics approval",
        help_text="The board and its number.",
    )
    minimum_age = forms.IntegerField(
        label="Minimum age",
        min_value=0,
        max_value=99,
        help_text="People confirm that they are as old as this. 0 does not ask.",
    )
    asks_training = forms.BooleanField(
        required=False,
        label="Ask whether answers may train models",
        help_text="Each person says yes or no, and works either way. Without this question, no "
        "answer trains a model.",
    )
    asks = forms.BooleanField(
        required=False,
        label="Ask everyone again",
        help_text="They get no work until they have agreed to this version. Leave it empty after "
        "a correction that changes nothing for them.",
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def clean_body(self) -> str:
        """Return the text with plain ends of lines."""
        text: str = self.cleaned_data["body"].replace("\r\n", "\n")
        return text

    @property
    def words(self) -> ConsentWords:
        """What the new version says and asks. The form is valid."""
        values = self.cleaned_data
        return ConsentWords(**{name: values[name] for name in ConsentWords.__annotations__})
