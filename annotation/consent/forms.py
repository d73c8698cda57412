"""Forms of consent: a text, and an answer to it."""

from typing import Any

from django import forms

from accounts.fields import OneLineField
from annotation.consent.countries import list_countries
from annotation.consent.models import Background, ConsentText
from annotation.consent.policies import CHANGED
from annotation.consent.services import Agreement, BackgroundSaid, ConsentWords
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


SAID = [("", "I do not say"), *YES_OR_NO]


class BackgroundForm(AmbitForm):
    """What people say about themselves, if they wish (S16, Q6)."""

    native_speaker = forms.ChoiceField(
        choices=SAID, required=False, label="Is the language of the questions your first language?"
    )
    full_time = forms.ChoiceField(
        choices=SAID, required=False, label="Is this full-time work for you, 40 hours a week?"
    )
    country = forms.ChoiceField(required=False, label="Where do you live?")

    def add_fields(self) -> None:
        """Offer every country."""
        field = self.fields["country"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "I do not say"), *list_countries()]

    @property
    def said(self) -> BackgroundSaid:
        """What the person says. The form is valid."""
        values = self.cleaned_data
        return BackgroundSaid(
            native_speaker=_BOOLEANS[values["native_speaker"]],
            full_time=_BOOLEANS[values["full_time"]],
            country=values["country"],
        )


_BOOLEANS = {"": None, "yes": True, "no": False}
_WORDS = {said: word for word, said in _BOOLEANS.items()}


def fill_background(said: Background | None) -> dict[str, str]:
    """Return what the form begins with."""
    if said is None:
        return {}
    return {
        "native_speaker": _WORDS[said.native_speaker],
        "full_time": _WORDS[said.full_time],
        "country": said.country,
    }


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
    asks_background = forms.BooleanField(
        required=False,
        label="Ask people about themselves",
        help_text="Whether the language of the questions is their first, whether they work full "
        "time, and their country. Each may say nothing. You see shares, nobody’s answers.",
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
