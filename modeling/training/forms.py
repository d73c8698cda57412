"""The form of a training set, for the page and the API."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotation.models import Split
from annotation.pages.forms import AmbitForm
from modeling.base import BadOption
from modeling.training.building import ExampleChoice, find_part, list_parts
from modeling.training.layouts import choose_layout
from modeling.training.mixing import read_also
from modeling.training.recipes import LAYOUTS, RECIPES
from modeling.training.trainings import TrainingChoice

_SPLITS = (Split.TRAIN, Split.DEV)
_LAYOUT_WORDS = {
    "seq2seq": "seq2seq: input and target, for encoder-decoders",
    "fid": "fid: passages read together, as Fusion-in-Decoder reads",
    "dpr": "dpr: passages with and without the answer, as Dense Passage Retrieval reads",
    "triplets": "triplets: question, passage with the answer, passage without, for "
    "sentence-transformers",
    "pages": "pages: questions with their own pages, boxes and annotations",
    "chat": "chat: messages, for language models",
}


class TrainingSetForm(AmbitForm):
    """Which weights are trained, and how the file is laid out. Empty fields take the usual."""

    part_field = "role"
    system = forms.ChoiceField(
        error_messages={"invalid_choice": "%(value)s is no system whose weights can be trained."}
    )
    role = forms.ChoiceField(
        required=False,
        choices=[("", ""), *((role, role) for role in RECIPES)],
        error_messages={"invalid_choice": f"A role is one of {', '.join(RECIPES)}."},
    )
    layout = forms.ChoiceField(
        label="Layout",
        required=False,
        choices=[("", "The model’s own"), *((key, _LAYOUT_WORDS[key]) for key in LAYOUTS)],
        error_messages={"invalid_choice": f"A layout is one of {', '.join(LAYOUTS)}."},
    )
    split = forms.ChoiceField(
        label="Split",
        required=False,
        choices=[(split.value, split.label) for split in _SPLITS],
        help_text="Dev is for choosing a checkpoint. Test is neither trained nor tuned on.",
        error_messages={"invalid_choice": "The split is train or dev: test is not trained on."},
    )
    keep_suggested = forms.BooleanField(
        label="Keep questions whose people saw suggestions of these weights",
        required=False,
        help_text="They are left out otherwise: the model would learn from itself.",
    )

    def add_fields(self) -> None:
        """Offer the systems with weights."""
        system = self.fields["system"]
        assert isinstance(system, forms.ChoiceField)
        system.choices = [(key, label) for key, label, _ in list_parts()]

    def clean(self) -> dict[str, Any]:
        """Refuse a part that the system does not have, and a layout that does not fit it."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        system, role = self._read_part(cleaned)
        if system:
            place = self.part_field
            try:
                recipe = find_part(system, role)
                place = "layout"
                choose_layout(recipe, cleaned.get("layout", ""))
            except BadOption as problem:
                self.add_error(place, str(problem))
        return cleaned

    def _read_part(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """Return the key of the baseline and its role, as far as they are known."""
        return values.get("system", ""), values.get("role", "")

    def get_choice(self) -> ExampleChoice:
        """Return what was chosen."""
        values = self.cleaned_data
        system, role = self._read_part(values)
        return ExampleChoice(
            system=system,
            role=role,
            split=values.get("split") or Split.TRAIN.value,
            keep_suggested=values["keep_suggested"],
        )


class TrainingSetPageForm(TrainingSetForm):
    """The same with one choice for a system and its part."""

    part_field = "part"
    system = None  # type: ignore[assignment]  # how Django leaves out a field of the class above
    role = None  # type: ignore[assignment]
    part = forms.ChoiceField(label="For the weights of")
    field_order: tuple[str, ...] = ("part",)

    def add_fields(self) -> None:
        """Offer each baseline with the roles that can be trained, under its name."""
        part = self.fields["part"]
        assert isinstance(part, forms.ChoiceField)
        groups: dict[str, list[tuple[str, str]]] = {}
        for key, label, role in list_parts():
            name = label if role == key else f"{label}: {role}"
            groups.setdefault(label, []).append((f"{key}:{role}", name))
        part.choices = _as_choices(groups)
        if "split" in self.fields:
            self.fields["split"].required = True

    def _read_part(self, values: Mapping[str, Any]) -> tuple[str, str]:
        system, _, role = values.get("part", "").partition(":")
        return system, role


class TrainForm(TrainingSetPageForm):
    """What is trained, from what, and what it is called."""

    layout = None  # type: ignore[assignment]
    split = None  # type: ignore[assignment]
    name = forms.CharField(
        label="Name of the weights",
        max_length=60,
        help_text="Small letters, digits and -. Baselines then name them trained:NAME.",
    )
    base = forms.CharField(
        label="Begin with",
        required=False,
        max_length=120,
        help_text="A model of the hub that is here, minilm, or trained:NAME. Empty: the paper’s.",
    )
    preset = forms.ChoiceField(
        label="Recipe",
        choices=[
            ("small", "small: batches of 8, three epochs at most, for a processor"),
            ("paper", "paper: as the paper has it, for a graphics card"),
            ("lora", "lora: adapters in place of the model, for a small graphics card"),
        ],
    )
    changes = forms.CharField(
        label="Changes",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="One per line, such as learning_rate=1e-4. Leave empty for the usual.",
    )
    also = forms.CharField(
        label="Other projects",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="Whose train is learnt from as well, of which you are staff. One per line, with "
        "how often in an epoch, such as nq:2. The name is the one in the project’s address.",
    )
    seed = forms.IntegerField(label="Seed", min_value=0, max_value=1_000_000, initial=0)
    no_dev = forms.BooleanField(
        label="Keep the last step",
        required=False,
        help_text="Instead of the checkpoint that is best on dev, which needs 20 questions.",
    )
    field_order = ("part", "name", "base", "preset", "changes", "also", "seed")

    def clean_changes(self) -> dict[str, str]:
        """Read lines of name=value."""
        changes = {}
        for line in filter(str.strip, self.cleaned_data["changes"].splitlines()):
            name, equals, value = (part.strip() for part in line.partition("="))
            if not equals:
                raise forms.ValidationError(f"“{line.strip()[:60]}”: write it as name=value.")
            changes[name] = value
        return changes

    def clean_also(self) -> dict[str, int]:
        """Read lines of PROJECT:N."""
        lines = map(str.strip, self.cleaned_data["also"].splitlines())
        try:
            return read_also([line for line in lines if line])
        except BadOption as problem:
            raise forms.ValidationError(str(problem)) from None

    def get_training(self) -> TrainingChoice:
        """Return what was chosen."""
        values = self.cleaned_data
        return TrainingChoice(
            examples=self.get_choice(),
            key=values["name"],
            base=values["base"],
            preset=values["preset"],
            changes=values["changes"],
            seed=values["seed"],
            no_dev=values["no_dev"],
            also=values["also"],
        )


def _as_choices(groups: dict[str, list[tuple[str, str]]]) -> Sequence[tuple[str, Any]]:
    """Return choices, those of a baseline with several parts as a group."""
    return [(label, parts) if len(parts) > 1 else parts[0] for label, parts in groups.items()]
