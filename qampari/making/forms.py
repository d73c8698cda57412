"""The form on which questions are made."""

import json
from typing import Any

from django import forms

from annotation.pages.forms import AmbitForm
from qampari.making.choices import BadChoice, MakingChoice, read_choice
from qampari.making.jobs import JUDGES
from qampari.making.relations import list_shipped_relations
from qampari.making.splitting import DEV, RULES, TEST, TRAIN
from qampari.records import COMPOSITION, INTERSECTION, SIMPLE

MOST_BYTES = 1_000_000
_SIZES = {TRAIN: (100, 20, 20), DEV: (20, 5, 5), TEST: (20, 5, 5)}
_KINDS = {SIMPLE: "simple", INTERSECTION: "intersections", COMPOSITION: "compositions"}


class MakingForm(AmbitForm):
    """A graph, relations, numbers, and how evidence is judged."""

    graph = forms.ChoiceField(label="Graph")
    relations = forms.FileField(
        label="Choices from a file",
        required=False,
        help_text="JSON with your own relations, and anything else that differs from below "
        f"(docs/generation.md). Without it, the {len(list_shipped_relations())} relations that "
        "come with Ambit are asked about.",
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

    def __init__(self, *args: Any, graphs: list[str], **kwargs: Any) -> None:
        self._graphs = graphs
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the graphs that are here, and a number for each split and kind."""
        graph = self.fields["graph"]
        assert isinstance(graph, forms.ChoiceField)
        graph.choices = [(name, name) for name in self._graphs]
        for split, numbers in _SIZES.items():
            for (kind, label), number in zip(_KINDS.items(), numbers, strict=True):
                self.fields[f"{split}_{kind}"] = forms.IntegerField(
                    label=f"{split}, {label}", min_value=0, max_value=100_000, initial=number
                )

    def get_choice(self) -> MakingChoice:
        """Return what was chosen; a file decides what it says. Raises BadChoice or BadRelation."""
        values = self.cleaned_data
        names = ("least", "most", "share", "threshold", "split", "seed")
        document = {name: values[name] for name in names}
        document["sizes"] = {
            split: {kind: values[f"{split}_{kind}"] for kind in _KINDS} for split in _SIZES
        }
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
