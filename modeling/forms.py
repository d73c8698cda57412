"""The form that runs a baseline."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms

from annotation.models import Split
from annotation.pages.forms import AmbitForm
from modeling.registry import BaselineEntry
from modeling.retrieval import RETRIEVAL_OPTIONS
from modeling.roles import ROLES
from modeling.services.running import Choice
from modeling.weights import TRAINED, is_folder

# Whoever may use this page may not read files of the server, which other options name.
OPTIONS = (
    *("top", "passages", "tokens", "json", "threshold", "least", "most", "cutoff"),
    *("train", "examples", "words", "boxes", "vote", "without"),
    "trained",
    *RETRIEVAL_OPTIONS,
)
# These may name weights that were trained here, and no others: the installation chooses those.
WEIGHTS = ("model", *ROLES)


def find_option_problem(options: Mapping[str, str], splits: Collection[str]) -> str:
    """Return why an option cannot be set by whoever may read no file of the server, "" for none.

    splits: those of the project, which `train` can name.
    """
    for name, value in options.items():
        said = f"“{name}={value}"[:61] + "”"
        if (name in WEIGHTS and value.startswith(TRAINED)) or (name == "of" and _are_ours(value)):
            continue
        if name not in OPTIONS:
            return f"“{name[:60]}” cannot be set here. What can: {', '.join(OPTIONS)}."
        if name == "train" and value not in splits:
            return (
                f"{said}: name a split of this project: {', '.join(splits)}. Only manage.py "
                "predict can name a file."
            )
        if is_folder(value):
            return f"{said}: only manage.py predict can name folders of the server."
    return ""


def _are_ours(members: str) -> bool:
    """Return whether all that vote have their usual weights, or such as were trained here."""
    names = (member.strip().partition("@") for member in members.split(","))
    return all(not at or weights.startswith(TRAINED) for _, at, weights in names)


class RunForm(AmbitForm):
    """A baseline, its options, and the questions."""

    baseline = forms.ChoiceField(label="Baseline")
    split = forms.ChoiceField(label="Split")
    options = forms.CharField(
        label="Options",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="One per line, such as top=20 (how many passages). Leave empty for the usual.",
    )
    missing = forms.BooleanField(
        label="Only questions without an answer",
        required=False,
        initial=True,
        help_text="Leave out questions that this version of the baseline has answered.",
    )

    def __init__(
        self, *args: Any, entries: Sequence[BaselineEntry], splits: Sequence[str], **kwargs: Any
    ) -> None:
        self.entries, self.splits = entries, splits
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the baselines that can run, and the splits that have questions."""
        baseline, split = self.fields["baseline"], self.fields["split"]
        assert isinstance(baseline, forms.ChoiceField)
        assert isinstance(split, forms.ChoiceField)
        baseline.choices = [(entry.key, entry.label) for entry in self.entries]
        split.choices = [(value, Split(value).label) for value in self.splits]
        split.initial = Split.DEV.value if Split.DEV in self.splits else None

    def clean_options(self) -> dict[str, str]:
        """Read lines of name=value."""
        options = {}
        for line in filter(str.strip, self.cleaned_data["options"].splitlines()):
            name, equals, value = (part.strip() for part in line.partition("="))
            if not equals:
                raise forms.ValidationError(f"“{line.strip()[:60]}”: write it as name=value.")
            options[name] = value
        if problem := find_option_problem(options, self.splits):
            raise forms.ValidationError(problem)
        return options

    def get_choice(self) -> Choice:
        """Return what was chosen."""
        values = self.cleaned_data
        return Choice(values["baseline"], values["split"], values["options"], values["missing"])


class SuggestForm(RunForm):
    """The same for suggestions, which are never changed: only new ones are made."""

    missing = None  # type: ignore[assignment]  # how Django leaves out a field of the class above

    def add_fields(self) -> None:
        """Offer all splits as well."""
        super().add_fields()
        split = self.fields["split"]
        assert isinstance(split, forms.ChoiceField)
        split.required = False
        split.choices = [("", "All splits"), *((key, Split(key).label) for key in self.splits)]
        split.initial = ""

    def get_choice(self) -> Choice:
        """Return what was chosen."""
        values = self.cleaned_data
        return Choice(values["baseline"], values["split"], values["options"], missing=True)
