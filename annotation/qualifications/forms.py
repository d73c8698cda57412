"""Forms of qualifications: settings, items, files of items."""

from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotation.long_answers.response import MAX_TEXT
from annotation.pages.forms import AmbitForm
from annotation.protocols import registry as protocols
from annotation.qualifications.items import (
    MAX_EXPLANATION,
    MAX_HINT,
    MAX_SECONDS,
    Item,
    check_item,
    items_from_file,
)
from annotation.qualifications.models import Part
from annotation.qualifications.prepared_text import read_text, write_text
from annotation.sheets.answers import MAX_QUESTION
from annotation.text.cleaning import ResponseError, line_of, passage_of

LONGEST_FILE = 1024 * 1024
_PREPARED = ("accepted", "seeded", "qa_pairs", "model_answer", "shown", "verdict")
_TEXT = 20_000


def build_text_box(rows: int) -> forms.Textarea:
    """Return a text box with this many rows."""
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "true"})


class NewQualificationForm(AmbitForm):
    """A new qualification."""

    title = forms.CharField(max_length=120, label="Name")
    kind = forms.ChoiceField(
        label="What people do in it", help_text="This cannot be changed later."
    )

    def __init__(self, *args: Any, protocol: str, **kwargs: Any) -> None:
        self.protocol = protocol
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the kinds that make sense in the project."""
        kinds = cast(forms.ChoiceField, self.fields["kind"])
        offered = protocols.get_protocol(self.protocol).exams
        kinds.choices = [(kind, exam.label) for kind, exam in offered.items()]


class QualificationForm(AmbitForm):
    """The settings of a qualification."""

    title = forms.CharField(max_length=120, label="Name")
    about = forms.CharField(
        max_length=5000,
        required=False,
        label="Introduction",
        widget=build_text_box(3),
        help_text="Markdown.",
    )
    submit_at = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Items needed to submit",
        help_text="Items that must pass (or be answered, if results come at the end) before the "
        "attempt can be submitted.",
    )
    review_from = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Items needed for a review",
        help_text="With this many the team reviews the attempt. With fewer, the person may ask for "
        "one review.",
    )
    pass_at = forms.IntegerField(min_value=1, max_value=100, label="Items to pass")
    max_attempts = forms.IntegerField(
        min_value=0, max_value=100, label="Attempts per person", help_text="0 means no limit."
    )
    days_between = forms.IntegerField(min_value=0, max_value=365, label="Days between two attempts")
    instant_feedback = forms.BooleanField(
        required=False,
        label="Show at once whether an item passes",
        help_text="With a button on each item. Each press is counted.",
    )
    by_hand = forms.BooleanField(
        required=False,
        label="The team grades every attempt by hand",
        help_text="The numbers above then decide nothing, but the team sees them.",
    )
    show_question_score = forms.BooleanField(
        required=False,
        label="Show how close the questions are to the prepared ones",
        help_text="EDIT-F1, next to the verdict. It does not affect the result.",
    )
    walk_through = forms.BooleanField(
        required=False,
        label="A walk-through comes before the exam",
        help_text="The team goes through the full instructions with each person, and marks it.",
    )
    rules = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Rules an answer must satisfy",
        help_text="The rules of the work page, without those about pages read.",
    )

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Keep only the fields that this kind has."""
        for name in protocols.exam_of(self.kind).unused:
            del self.fields[name]
        if "rules" in self.fields:
            rules = cast(forms.MultipleChoiceField, self.fields["rules"])
            rules.choices = [
                (check.key, check.title) for check in protocols.exam_of(self.kind).checks
            ]
        if protocols.exam_of(self.kind).by_hand:
            self.fields["submit_at"].help_text = "Number of exam items that must be answered."

    def clean(self) -> dict[str, Any]:
        """Check that the thresholds are in ascending order."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        submit, review = cleaned.get("submit_at"), cleaned.get("review_from")
        enough = cleaned.get("pass_at")
        if submit is not None and review is not None and submit > review:
            self.add_error("review_from", "This must be at least the number needed to submit.")
        if review is not None and enough is not None and review > enough:
            self.add_error("pass_at", "This must be at least the number for a review by the team.")
        return cleaned

    def clean_rules(self) -> list[str]:
        """Return the chosen rules in the order of the registry."""
        chosen = set(self.cleaned_data["rules"])
        return [check.key for check in protocols.exam_of(self.kind).checks if check.key in chosen]


ACCEPTED_HELP = (
    "A line for each pair: the question, “ = ”, the forms of its answer with “|” between them. "
    "“|” also separates accepted phrasings of a question. One clear answer begins with “=”; "
    "“none” says that there is no answer. An empty line begins another prepared answer, which is "
    "also right."
)


class ItemForm(AmbitForm):
    """One item; the kind decides what kind of answers it has."""

    part = forms.ChoiceField(
        choices=[
            (Part.EXAM, "The exam"),
            (Part.STUDY, "Self-study, before it"),
        ],
        label="What it is for",
        help_text="For a self-study sample, the prepared answers are shown once it is submitted.",
    )
    prompt = forms.CharField(max_length=MAX_QUESTION, label="Prompt")
    accepted = forms.CharField(
        max_length=_TEXT,
        required=False,
        strip=False,
        label="Prepared answers",
        widget=build_text_box(6),
        help_text=ACCEPTED_HELP,
    )
    seeded = forms.CharField(
        max_length=_TEXT,
        required=False,
        strip=False,
        label="Annotations to judge",
        widget=build_text_box(8),
        help_text="Each begins with a line “correct” or “incorrect”. Below it, a line for each "
        "pair: the question, “ = ”, the forms of its answer with “|” between them. One clear "
        "answer begins with “=”; “none” says that there is no answer. An empty line ends it.",
    )
    qa_pairs = forms.CharField(
        max_length=4 * _TEXT,
        required=False,
        strip=False,
        label="Disambiguations",
        widget=build_text_box(8),
        help_text="A line for each: the question, “ = ”, the accepted forms of its short answer "
        "with “|” between them. Lines below it that begin with “>” are its context; the title "
        "of its page comes first, in brackets.",
    )
    model_answer = forms.CharField(
        max_length=MAX_TEXT,
        required=False,
        label="Model answer",
        widget=build_text_box(5),
        help_text="A model long answer. Shown with a submitted sample, and with an item that "
        "has passed.",
    )
    shown = forms.CharField(
        max_length=_TEXT,
        required=False,
        label="Text to judge",
        widget=build_text_box(5),
        help_text="What people see beside the prompt, such as an answer and its evidence.",
    )
    verdict = forms.ChoiceField(label="The verdict that is right")
    threshold = forms.FloatField(
        min_value=0.01,
        max_value=1,
        label="Score needed to pass",
        help_text="F1 of the answers, or the share of correct verdicts, from 0 to 1.",
    )
    hint = forms.CharField(
        max_length=MAX_HINT, required=False, label="Hint", widget=build_text_box(2)
    )
    hint_seconds = forms.IntegerField(
        min_value=0, max_value=MAX_SECONDS, label="Seconds until the hint can be opened"
    )
    explanation = forms.CharField(
        max_length=MAX_EXPLANATION,
        required=False,
        label="Explanation",
        widget=build_text_box(3),
        help_text="Shown once the item has passed, and with the result.",
    )
    pages = forms.CharField(
        max_length=5000,
        required=False,
        label="Pages that hold the answer",
        widget=build_text_box(2),
        help_text="One title on each line. They are linked next to the prompt.",
    )

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Keep only the fields that this kind of item has."""
        exam = protocols.exam_of(self.kind)
        own = exam.item_fields
        for name in {*_PREPARED} - {*own}:
            del self.fields[name]
        self.fields[own[0]].required = True
        if exam.by_hand or exam.options:
            del self.fields["threshold"]
        if exam.options:
            cast(forms.ChoiceField, self.fields["verdict"]).choices = [
                ("", "Choose"),
                *exam.options.items(),
            ]

    @staticmethod
    def initial_of(item: Item) -> dict[str, Any]:
        """Return the form's initial values for an item."""
        expected = {name: write_text(name, item.expected) for name in _PREPARED}
        return {**vars(item), **expected, "pages": "\n".join(item.pages)}

    def clean(self) -> dict[str, Any]:
        """Put the item together."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        expected = {name: self._read(name) for name in _PREPARED if name in cleaned}
        if self.errors:
            return cleaned
        titles = map(str.strip, cleaned["pages"].splitlines())
        try:
            cleaned["item"] = check_item(
                Item(
                    prompt=line_of(cleaned["prompt"], MAX_QUESTION, "The prompt"),
                    part=cleaned["part"],
                    expected={name: value for name, value in expected.items() if value},
                    threshold=cleaned.get("threshold", 1.0),
                    hint=passage_of(cleaned["hint"], MAX_HINT, "The hint"),
                    hint_seconds=cleaned["hint_seconds"],
                    explanation=passage_of(
                        cleaned["explanation"], MAX_EXPLANATION, "The explanation"
                    ),
                    pages=tuple(dict.fromkeys(filter(None, titles))),
                ),
                kind=self.kind,
                options=protocols.exam_of(self.kind).options,
            )
        except ResponseError as error:
            raise forms.ValidationError(str(error)) from None
        return cleaned

    def _read(self, name: str) -> object:
        try:
            return read_text(name, self.cleaned_data[name])
        except ResponseError as error:
            self.add_error(name, str(error))
            return None


class ItemsFileForm(AmbitForm):
    """A file of items."""

    file = forms.FileField(
        label="Items from a file",
        help_text="JSON. Either all of its items are added, or none.",
        error_messages={
            "required": "Choose a file.",
            "missing": "Choose a file.",
            "empty": "The file is empty.",
        },
    )

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(*args, **kwargs)

    def clean_file(self) -> list[Item]:
        """Read the items; each problem is a separate sentence."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > LONGEST_FILE:
            raise forms.ValidationError("The file is longer than 1 MB. Cut it into several.")
        try:
            options = protocols.exam_of(self.kind).options
            return items_from_file(file.read(), kind=self.kind, options=options)
        except ResponseError as error:
            raise forms.ValidationError(str(error).split("\n")) from None
