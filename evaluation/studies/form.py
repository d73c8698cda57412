"""The form of a study's design."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from accounts.fields import OneLineField
from annotation.models import Project, Split
from annotation.pages.forms import AmbitForm
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.studies.models import MOST_SEED, Study
from evaluation.studies.overview import AnswersThereAre
from evaluation.studies.services import new_seed
from evaluation.systems.models import System

MOST_CRITERIA = 8
_OF_DISAMBIGUATIONS = ("stratified", "accuracy")
PARTS = ("key", "label", "wording")  # of a criterion
PAIRINGS = {
    Study.Pairing.MATCHING: "as few judgments as possible, the design of the paper",
    Study.Pairing.BLOCKS: "half of all pairs per question, dealt equally",
    Study.Pairing.ALL: "every pair on every question",
    Study.Pairing.REFERENCE: "for one system against all others",
    Study.Pairing.ALONE: "whether each disambiguation can be answered; no win shares",
    Study.Pairing.EXPERT: "correct, debatable or wrong",
}


class CriterionFields(NamedTuple):
    """The fields of one criterion."""

    number: int
    key: BoundField
    label: BoundField
    wording: BoundField


class StudyForm(AmbitForm):
    """Everything that is chosen before a study starts."""

    title = OneLineField(max_length=120, label="Name")
    systems = forms.ModelMultipleChoiceField(
        queryset=System.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "A chosen system has been deleted. Choose again."},
    )
    split = forms.ChoiceField(choices=Split.choices)
    size = forms.IntegerField(min_value=1, max_value=5_000, label="Number of questions")
    seed = forms.IntegerField(min_value=0, max_value=MOST_SEED)
    stratified = forms.BooleanField(
        required=False, label="Keep the share of questions with 2, 3 and 4 or more disambiguations"
    )
    pairing = forms.ChoiceField(
        choices=Study.Pairing.choices, widget=forms.RadioSelect, label="What people see"
    )
    reference = forms.ModelChoiceField(
        queryset=System.objects.none(),
        required=False,
        empty_label="None",
        label="Compared with all others",
    )
    raters = forms.IntegerField(
        min_value=1,
        max_value=25,
        label="Raters per item",
        widget=forms.NumberInput(attrs={"aria-describedby": "hint-raters"}),
    )
    repeats = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Repeats, per cent",
        help_text="Pairs that the same person sees again at the end, sides swapped. They show how "
        "steady people are and are not counted as votes.",
    )
    minutes = forms.FloatField(
        min_value=0.1,
        max_value=120,
        label="Minutes per item",
        help_text="What you expect. Only the estimate uses it.",
    )
    accuracy = forms.BooleanField(
        required=False,
        label="First ask of each answer which disambiguations can be answered from it",
    )
    steps = forms.TypedChoiceField(
        coerce=int,
        choices=[
            (3, "3: one answer, the other, equally good"),
            (5, "5: each answer better or much better, equally good"),
        ],
        label="Steps to choose from",
    )
    shown = forms.ChoiceField(choices=Study.Shown.choices, label="How answers are shown")

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        project: Project,
        study: Study | None = None,
        systems: Sequence[System] | None = None,
        typed: QueryDict | None = None,
    ) -> None:
        """Read `data`; without it show a study's design, or what was typed, unchecked.

        systems: of a study that is not saved.
        """
        self.project = project
        values: dict[str, Any] = {}
        if study is not None:
            values = _initial(study, study.systems.all() if systems is None else systems)
        if typed is not None:
            values = {**typed.dict(), "systems": typed.getlist("systems")}
        super().__init__(data, initial=values)

    def add_fields(self) -> None:
        """Offer the project's systems, and a name and a wording for each criterion.

        Disambiguations are only spoken of where questions have some.
        """
        if not protocols.protocol_of(self.project).has_feature(Feature.DISAMBIGUATIONS):
            for name in _OF_DISAMBIGUATIONS:
                del self.fields[name]
        for name in ("systems", "reference"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = System.objects.filter(project=self.project)
        pairing = self.fields["pairing"]
        assert isinstance(pairing, forms.ChoiceField)
        pairing.choices = [(value, label) for value, label, _ in self.pairings]
        self.number = _number((self.data if self.is_bound else self.initial).get("criteria"))
        for place in range(self.number):
            self.fields[f"key_{place}"] = forms.CharField(required=False, widget=forms.HiddenInput)
            self.fields[f"label_{place}"] = OneLineField(max_length=40, label="Name")
            self.fields[f"wording_{place}"] = forms.CharField(
                max_length=500, label="Wording", widget=forms.Textarea(attrs={"rows": 2})
            )

    @property
    def pairings(self) -> list[tuple[str, str, str]]:
        """What people can see in this project: value, label and what it is good for."""
        stages = protocols.protocol_of(self.project).stages
        return [
            (value.value, str(value.label), hint)
            for value, hint in PAIRINGS.items()
            if Study(pairing=value).stage in stages
        ]

    @property
    def criterion_fields(self) -> Iterator[CriterionFields]:
        """The fields of each criterion, in order."""
        for place in range(self.number):
            yield CriterionFields(place, *(self[f"{part}_{place}"] for part in PARTS))

    def clean(self) -> dict[str, Any]:
        """Put the criteria together, and check what depends on two fields."""
        values = dict.fromkeys(_OF_DISAMBIGUATIONS, False) | self.cleaned_data
        rows = [
            {part: values.get(f"{part}_{place}", "") for part in PARTS}
            for place in range(self.number)
        ]
        labels = [row["label"].casefold() for row in rows]
        for place, label in enumerate(labels):
            if label and label in labels[:place]:
                self.add_error(f"label_{place}", "Another criterion has this name.")
        values["criteria"] = _keyed(rows)
        if values.get("pairing") == Study.Pairing.REFERENCE and not values.get("reference"):
            self.add_error("reference", "Choose the system that all others are compared with.")
        return values

    @property
    def design(self) -> dict[str, Any]:
        """The cleaned values as fields of a Study."""
        parts = {f"{part}_{place}" for part in PARTS for place in range(self.number)}
        return {k: v for k, v in self.cleaned_data.items() if k != "systems" and k not in parts}

    def offer_splits(self, there_are: AnswersThereAre) -> None:
        """Say of each split how many questions have answers."""
        field = self.fields["split"]
        assert isinstance(field, forms.ChoiceField)
        counts = {split: there_are.count_most(split) for split in Split.values}
        field.choices = [
            (split, f"{split}, {_count_questions(count)}") for split, count in counts.items()
        ]

    @property
    def chosen(self) -> list[System]:
        """The chosen systems, in the order of their names."""
        return list(self.cleaned_data["systems"])


def _count_questions(count: int) -> str:
    if not count:
        return "no answers yet"
    return f"{count:,} question{'' if count == 1 else 's'}"


def _number(value: object) -> int:
    """Return how many criteria a form has, 0 where that makes no sense."""
    given = str(value)
    return int(given) if given in map(str, range(MOST_CRITERIA + 1)) else 0


def _keyed(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Give each criterion without a usable key of its own the first that is free."""
    used = {row["key"] for row in rows}
    free = (key for number in range(1, 100) if (key := f"criterion{number}") not in used)
    taken: set[str] = set()
    for row in rows:
        if row["key"] in taken or not re.fullmatch(r"[a-z][a-z0-9_]{0,19}", row["key"]):
            row["key"] = next(free)
        taken.add(row["key"])
    return rows


def _initial(study: Study, systems: Iterable[System]) -> dict[str, Any]:
    """Return a design as values of the form."""
    plain = [name for name in StudyForm.base_fields if name != "systems"]
    values: dict[str, Any] = {name: getattr(study, name) for name in plain}
    values |= {"systems": list(systems), "criteria": len(study.criteria)}
    for place, row in enumerate(study.criteria):
        values |= {f"{part}_{place}": row.get(part, "") for part in PARTS}
    return values


def apply_press(data: QueryDict, press: str) -> QueryDict:
    """Return what was posted after a press that changes only the form.

    "seed" draws a new seed, "add" adds a criterion, "remove-1" removes the second one.
    """
    data = data.copy()
    number = _number(data.get("criteria"))
    if press == "seed":
        data["seed"] = str(new_seed())
    elif press == "add" and number < MOST_CRITERIA:
        data["criteria"] = str(number + 1)
    elif press.startswith("remove-"):
        kept = [place for place in range(number) if press != f"remove-{place}"]
        for part in PARTS:
            values = [data.get(f"{part}_{place}", "") for place in kept]
            for place, value in enumerate(values):
                data[f"{part}_{place}"] = value
        data["criteria"] = str(len(kept))
    return data
