"""The settings of gold items."""

from typing import Any

from django import forms

from annotation.golds.models import MOST_RATE, GoldPlan
from annotation.pages.forms import AmbitForm
from annotation.stages.gold_items import Golds, sources_of

# Their labels are not shown: the words around them are.
_IN_SENTENCE = ("rate", "source", "enough", "missed", "both", "share")


class GoldForm(AmbitForm):
    """How gold items are mixed into a stage, and who is paused. For a stage without gold items it
    has the rule alone.
    """

    rate = forms.IntegerField(min_value=0, max_value=MOST_RATE, label="Gold items (% of the work)")
    source = forms.ChoiceField(choices=GoldPlan.Source.choices, label="Where they come from")
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**62,
        help_text="Decides which tasks get a gold item. A new seed draws again.",
    )
    enough = forms.IntegerField(min_value=1, max_value=1000, label="Gold items seen at least")
    missed = forms.IntegerField(
        required=False, min_value=1, max_value=1000, label="Missed at least (number)"
    )
    both = forms.TypedChoiceField(
        choices=[("1", "and"), ("0", "or")],
        coerce=lambda value: value == "1",
        label="Number and share",
    )
    share = forms.IntegerField(
        required=False, min_value=1, max_value=100, label="Missed at least (%)"
    )
    pauses = forms.BooleanField(
        required=False,
        label="Pause people who are flagged until the team has looked at their work.",
    )

    def __init__(self, *args: Any, golds: Golds | None, **kwargs: Any) -> None:
        self.golds = golds
        if "both" in (kwargs.get("initial") or {}):
            kwargs["initial"]["both"] = "1" if kwargs["initial"]["both"] else "0"
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer only what the stage can do, in fields as wide as what they hold."""
        for name in ("rate", "enough", "missed", "share"):
            self.fields[name].widget.attrs["class"] = "input tiny"
        for name in ("source", "both"):
            self.fields[name].widget.attrs["class"] = "input auto"
        for name in _IN_SENTENCE:
            self.fields[name].widget.attrs["aria-label"] = self.fields[name].label
        sources = sources_of(self.golds)
        if not sources:
            for name in ("rate", "source", "seed"):
                del self.fields[name]
            return
        labels = dict(GoldPlan.Source.choices)
        source = self.fields["source"]
        assert isinstance(source, forms.ChoiceField)
        source.choices = [(value, labels[value]) for value in sources]
        if self.initial.get("source") not in sources:
            self.initial["source"] = sources[0]
