"""The forms that score systems: with a reader, or with a file of what one answered."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotation.models import Split
from annotation.pages.forms import AmbitForm
from evaluation.imports.forms import FileField, UploadForm
from evaluation.scores.reading import LONGEST_NAME, ReaderOption
from evaluation.scores.values import Kinds
from evaluation.scoring import side_by_side
from evaluation.systems.models import System

NO_READER = "No reader, so no Disambig-F1"


class ScoreForm(AmbitForm):
    """Which split, and with which reader."""

    split = forms.ChoiceField(label="Split")
    reader = forms.ChoiceField(
        label="Reader",
        required=False,
        help_text="It answers each disambiguated question from each text, for Disambig-F1 and DR. "
        "This is slow; texts it has already read are skipped.",
    )

    def __init__(
        self, *args: Any, splits: Sequence[str], readers: Sequence[ReaderOption], **kwargs: Any
    ) -> None:
        self.splits, self.readers = splits, readers
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the splits that have answers, and the readers, if there are any."""
        split, reader = self.fields["split"], self.fields["reader"]
        assert isinstance(split, forms.ChoiceField)
        assert isinstance(reader, forms.ChoiceField)
        split.choices = [(key, Split(key).label) for key in self.splits]
        if not self.readers:
            del self.fields["reader"]
        reader.choices = [("", NO_READER), *((row.key, row.label) for row in self.readers)]


class AnswersForm(UploadForm):
    """A file of what a reader answered from the texts of a system."""

    system = forms.ChoiceField(label="System")
    reader = forms.CharField(
        label="Reader",
        max_length=LONGEST_NAME,
        help_text="Its name and version. Figures by different readers are not compared.",
    )
    file = FileField(
        label="File",
        max_length=255,
        help_text="JSON: an answer for each key, such as “q1_0” for the first disambiguation of "
        "the question q1.",
    )

    def __init__(self, *args: Any, systems: Sequence[System], **kwargs: Any) -> None:
        self.systems = systems
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the systems."""
        super().add_fields()
        system = self.fields["system"]
        assert isinstance(system, forms.ChoiceField)
        system.choices = [(str(row.pk), str(row)) for row in self.systems]

    def clean_system(self) -> System:
        """Return the system."""
        return next(row for row in self.systems if str(row.pk) == self.cleaned_data["system"])


class SideBySideForm(AmbitForm):
    """Which systems are shown beside each other, and which of their questions come first."""

    systems = forms.MultipleChoiceField(
        label="Systems",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "A chosen system has no answers here. Choose again."},
    )
    order = forms.ChoiceField(
        label="Order",
        choices=[
            (side_by_side.IMPORTED, "As imported"),
            (side_by_side.WORST, "Worst first"),
            (side_by_side.DIFFERING, "Differing most first"),
        ],
    )
    figure = forms.ChoiceField(label="By the score")

    def __init__(self, *args: Any, offered: Sequence[System], kinds: Kinds, **kwargs: Any) -> None:
        self.offered, self.kinds = offered, kinds
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the systems that answered, and the figures that there are."""
        systems, figure = self.fields["systems"], self.fields["figure"]
        assert isinstance(systems, forms.MultipleChoiceField)
        assert isinstance(figure, forms.ChoiceField)
        systems.choices = [(str(row.pk), str(row)) for row in self.offered]
        figure.choices = [
            (side_by_side.RANKED, "As on the leaderboard"),
            *((name, kind.label) for name, kind in self.kinds.items()),
        ]

    def clean_systems(self) -> list[System]:
        """Return the chosen systems, in the order in which they are offered."""
        chosen = set(self.cleaned_data["systems"])
        if len(chosen) > side_by_side.MOST_SYSTEMS:
            raise forms.ValidationError(f"Choose up to {side_by_side.MOST_SYSTEMS} systems.")
        return [row for row in self.offered if str(row.pk) in chosen]
