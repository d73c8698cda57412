"""The form on which questions are made."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms

from annotation.pages.forms import AmbitForm
from qampari.making.choices import BadChoice, MakingChoice, read_choice
from qampari.making.jobs import JUDGES
from qampari.making.previews import RelationPreview
from qampari.making.relations import AskedRelation, key_of_relation, write_relation
from qampari.making.splitting import DEV, RULES, TEST, TRAIN
from qampari.making.table_queries import TABLE_COMPOSITION, TABLE_KINDS, TABLE_SIMPLE
from qampari.records import COMPOSITION, INTERSECTION, SIMPLE

MOST_BYTES = 1_000_000
SPLITS = (TRAIN, DEV, TEST)
_SIZES = {TRAIN: (100, 20, 20, 0, 20), DEV: (20, 5, 5, 5, 5), TEST: (20, 5, 5, 5, 5)}
KINDS = {
    SIMPLE: "simple",
    INTERSECTION: "intersections",
    COMPOSITION: "compositions",
    TABLE_SIMPLE: "simple, from tables",
    TABLE_COMPOSITION: "compositions, from tables",
}


class MakingForm(AmbitForm):
    """A graph, relations, numbers, and how evidence is judged."""

    graph = forms.ChoiceField(label="Graph")
    asked = forms.MultipleChoiceField(
        label="Relations",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Each with a question that this graph can answer. Only relations that are "
        "included in this project and have one are listed.",
    )
    relations = forms.FileField(
        label="Choices from a file",
        required=False,
        help_text="JSON with your own relations and wordings, and anything else that differs from "
        "below. What it says goes before this page.",
    )
    tables = forms.BooleanField(
        label="Use tables as well",
        required=False,
        help_text="Questions are also made from the tables of pages named “List of …”: what is on "
        "the list, and what on it shares a value. A page shows an answer if a sentence of it, with "
        "the two before, has the words of the title; no model reads it.",
    )
    least = forms.IntegerField(label="Answers, at least", min_value=1, max_value=2_000, initial=5)
    most = forms.IntegerField(label="Answers, at most", min_value=1, max_value=2_000, initial=200)
    share = forms.FloatField(
        label="Share of the answers with evidence, at least",
        min_value=0,
        max_value=1,
        initial=0.8,
        help_text="A question is kept where this share of the graph’s answers has a sentence that "
        "shows them. The others are left out of its list.",
    )
    judge = forms.ChoiceField(label="Evidence is judged by", choices=list(JUDGES.items()))
    threshold = forms.FloatField(
        label="A sentence counts from",
        min_value=0,
        max_value=1,
        initial=0.5,
        help_text="How sure the model has to be, from 0 to 1. Words are 0 or 1.",
    )
    split = forms.ChoiceField(label="Splits", choices=list(RULES.items()))
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**31,
        initial=0,
        help_text="The same graph, pages, choices and seed make the same questions.",
    )

    def __init__(
        self,
        *args: Any,
        graphs: list[str],
        relations: Sequence[AskedRelation],
        previews: list[RelationPreview],
        **kwargs: Any,
    ) -> None:
        self._graphs, self._relations, self._previews = graphs, relations, previews
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer graphs and relations, and a number for each split and kind."""
        graph, asked = self.fields["graph"], self.fields["asked"]
        assert isinstance(graph, forms.ChoiceField)
        assert isinstance(asked, forms.MultipleChoiceField)
        graph.choices = [(name, name) for name in self._graphs]
        asked.choices = [(each.key, each.sentence) for each in self._previews]
        asked.initial = [each.key for each in self._previews]
        if not self._previews:
            del self.fields["asked"]
            self.fields["relations"].help_text = (
                "JSON with your own relations and wordings: this graph has no question of those "
                "that are included here. What it says goes before this page."
            )
        for split, numbers in _SIZES.items():
            for (kind, label), number in zip(KINDS.items(), numbers, strict=True):
                name = f"{split}, {label}"
                if (split, kind) == (TRAIN, TABLE_SIMPLE):
                    continue  # they are for dev and test alone
                self.fields[f"{split}_{kind}"] = forms.IntegerField(
                    label=name,
                    min_value=0,
                    max_value=100_000,
                    initial=number,
                    required=kind not in TABLE_KINDS,
                    widget=forms.NumberInput(attrs={"aria-label": name}),
                )

    def plain_fields(self) -> list[forms.BoundField]:
        """Return the fields without the numbers of questions, in their order."""
        sizes = {f"{split}_{kind}" for split in _SIZES for kind in KINDS}
        return [field for field in self if field.name not in sizes]

    def list_size_fields(self) -> list[tuple[str, list[forms.BoundField | None]]]:
        """Return the numbers of questions of each kind, a field for each split that has it."""
        own = {name: self[name] for name in self.fields}
        return [
            (label, [own.get(f"{split}_{kind}") for split in SPLITS])
            for kind, label in KINDS.items()
        ]

    def get_choice(self) -> MakingChoice:
        """Return what was chosen; a file decides what it says. Raises BadChoice or BadRelation."""
        values = self.cleaned_data
        names = ("tables", "least", "most", "share", "threshold", "split", "seed")
        document = {name: values[name] for name in names}
        document["sizes"] = {
            split: {kind: values.get(f"{split}_{kind}") or 0 for kind in KINDS} for split in _SIZES
        }
        document["relations"] = [
            write_relation(each)
            for each in self._relations
            if key_of_relation(each) in values.get("asked", ())
        ]
        return read_choice(document | self._read_file())

    def _read_file(self) -> dict[str, Any]:
        file = self.cleaned_data["relations"]
        if not file:
            return {}
        if file.size > MOST_BYTES:
            raise BadChoice(f"The file of choices is larger than {MOST_BYTES:,} bytes.")
        try:
            document = json.loads(file.read().decode("utf-8"))
        except ValueError:
            raise BadChoice("The file of choices is not JSON.") from None
        if not isinstance(document, dict):
            raise BadChoice("The file of choices is no object of JSON.")
        return document
