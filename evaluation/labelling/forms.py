"""The forms of samples, of labels, and of a team's own schemes."""

import re
from typing import Any

from django import forms

from annotation.models import Project, Split
from annotation.pages.forms import AmbitForm
from annotation.protocols import registry as protocols
from evaluation.labelling.models import MOST_LABELLERS, MOST_SEED
from evaluation.labelling.queries import list_answering_systems
from evaluation.labelling.schemes import KINDS, MOST_CATEGORIES, Category, Scheme
from evaluation.labelling.services import MOST_AT_ONCE
from evaluation.labelling.spans import BadSpans, Span, find_passage, read_spans

_LINE = re.compile(r"([^:]{1,60})(?::\s*(.{0,300}))?\Z")


class DrawForm(AmbitForm):
    """How many items are drawn, and from which split."""

    split = forms.ChoiceField(label="Split", choices=Split.choices, initial=Split.DEV)
    size = forms.IntegerField(min_value=1, max_value=MOST_AT_ONCE)

    def __init__(self, *args: Any, scheme: Scheme, **kwargs: Any) -> None:
        self.scheme = scheme
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Name what is drawn."""
        size = self.fields["size"]
        size.label, size.initial = "Questions", self.scheme.size


class FirstDrawForm(DrawForm):
    """The same for a sample that is not there yet: of which system, by whom, in which order."""

    labellers = forms.TypedChoiceField(
        label="People who label each item",
        coerce=int,
        required=False,
        choices=[(number, str(number)) for number in range(1, MOST_LABELLERS + 1)],
        help_text="They do not see each other’s labels before all have chosen.",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=MOST_SEED,
        required=False,
        help_text="The same seed on the same questions draws the same sample.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        self.project = project
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Ask for the system where the items are its answers."""
        super().add_fields()
        self.proposed = {"labellers": self.scheme.labellers, "seed": 0}
        for name, value in self.proposed.items():
            self.fields[name].initial = value
        if self.scheme.kind_of_item.of_system:
            systems = list_answering_systems(self.project)
            system = forms.ModelChoiceField(
                label="System",
                queryset=systems,
                empty_label=None,
                help_text="" if systems else "No system has answers yet. Import some first.",
                error_messages={
                    "required": "choose a system.",
                    "invalid_choice": "choose a system of this project that has answers.",
                },
            )
            self.fields = {"system": system, **self.fields}

    def clean(self) -> dict[str, Any]:
        """Fill in what was left open."""
        cleaned: dict[str, Any] = self.cleaned_data
        for name, value in self.proposed.items():
            if name in cleaned and cleaned[name] in (None, ""):
                cleaned[name] = value
        return cleaned


class LabelsForm(AmbitForm):
    """What one person says of an item. spans: JSON, as `spans.read_spans` reads it."""

    types = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": "choose from the list."}
    )
    spans = forms.CharField(required=False, widget=forms.HiddenInput)
    passage = forms.CharField(label="Words to highlight", required=False, strip=True)
    passage_category = forms.ChoiceField(label="Category of these words", required=False)
    seen = forms.DateTimeField(required=False)

    def __init__(self, *args: Any, scheme: Scheme, text: str, **kwargs: Any) -> None:
        self.scheme, self.text = scheme, text
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the categories of the scheme."""
        choices = [(each.key, each.label) for each in self.scheme.categories]
        types = self.fields["types"]
        types.label = "Types" if self.scheme.noun == "type" else "Categories"
        types.choices = choices  # type: ignore[attr-defined]
        marked = self.fields["passage_category"]
        marked.choices = [row for row in choices if row[0] in self.marking]  # type: ignore[attr-defined]

    @property
    def edits_spans(self) -> bool:
        """Whether a button of the highlights was pressed, which saves nothing yet."""
        return "add" in self.data or "remove" in self.data

    @property
    def marking(self) -> list[str]:
        """The categories in which words can be highlighted."""
        own = self.scheme.categories if self.scheme.spans else ()
        return [category.key for category in own if not category.is_alone]

    def clean_spans(self) -> list[Span]:
        """Read the highlights, and add the words that were typed."""
        posted = self.data.get("passage", "").strip()
        category = self.data.get("passage_category", "")
        try:
            spans = read_spans(self.cleaned_data["spans"], self.text, self.marking)
            if posted and category in self.marking:
                spans = sorted({*spans, find_passage(posted, self.text, category, spans)})
            if self.data.get("remove", "").isdecimal():
                place = int(self.data["remove"][:4])
                spans = spans[:place] + spans[place + 1 :]
        except BadSpans as problem:
            raise forms.ValidationError(str(problem)) from problem
        return spans

    def clean(self) -> dict[str, Any]:
        """Refuse categories that make no label."""
        cleaned: dict[str, Any] = self.cleaned_data
        if "types" in cleaned and "spans" in cleaned:
            chosen = {*cleaned["types"], *(span.category for span in cleaned["spans"])}
            cleaned["types"] = self.scheme.sort_categories(chosen)
            mistake = self.scheme.find_mistake(cleaned["types"])
            if mistake and not self.edits_spans:
                self.add_error("types", mistake[0].lower() + mistake[1:])
        return cleaned

    def list_chosen(self) -> list[str]:
        """Return what was chosen, whether it makes a label or not."""
        return self.data.getlist("types")  # type: ignore[no-any-return, attr-defined]


class SchemeForm(AmbitForm):
    """A scheme of the team's own: its categories are lines, each with what it means."""

    title = forms.CharField(label="Title", max_length=80)
    kind = forms.ChoiceField(
        label="What is labelled?", error_messages={"invalid_choice": "choose from the list."}
    )
    categories = forms.CharField(
        label="Categories",
        widget=forms.Textarea(attrs={"rows": 6, "class": "input tall"}),
        max_length=5_000,
        help_text=(
            f"Two to {MOST_CATEGORIES}, one to a line, each followed by a colon and what it means."
        ),
    )
    several = forms.BooleanField(
        label="Several categories can be chosen for an item", required=False
    )
    spans = forms.BooleanField(
        label="Words of the answer are highlighted",
        required=False,
        help_text="In long answers only. Several categories can then be chosen.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        self.project = project
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the kinds of item that the project has."""
        protocol = protocols.protocol_of(self.project)
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            (key, kind.label) for key, kind in KINDS.items() if protocol.has_feature(kind.needs)
        ]

    def clean_categories(self) -> list[Category]:
        """Read one category from each line."""
        lines = [line.strip() for line in self.cleaned_data["categories"].splitlines()]
        lines = [line for line in lines if line]
        if not 2 <= len(lines) <= MOST_CATEGORIES:
            raise forms.ValidationError(f"write two to {MOST_CATEGORIES}, one to a line.")
        found = [_LINE.match(line) for line in lines]
        rows = [(row[1].strip(), (row[2] or "").strip()) for row in found if row]
        if len(rows) < len(lines) or not all(label for label, _ in rows):
            raise forms.ValidationError(
                "begin each line with up to 60 characters for the category; what it means can have "
                "300."
            )
        if len({label.casefold() for label, _ in rows}) < len(rows):
            raise forms.ValidationError("give each category a name of its own.")
        return [Category(f"c{number}", *row) for number, row in enumerate(rows, start=1)]

    def clean(self) -> dict[str, Any]:
        """Let words be highlighted in long answers only."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("spans"):
            cleaned["several"] = True
            if cleaned.get("kind") != "long":
                self.add_error("spans", "words can be highlighted in long answers only.")
        return cleaned
