"""The settings of gold items."""

from typing import Any

from django import forms

from annotation.golds.models import MOST_RATE, GoldPlan
from annotation.pages.forms import AmbitForm
from annotation.stages.gold_items import Golds, sources_of


class GoldForm(AmbitForm):
    """How gold items are mixed into a stage, and who is paused. For a stage without gold items it
    has the rule alone.
    """

    rate = forms.IntegerField(
        min_value=0,
        max_value=MOST_RATE,
        label="Gold items (% of the work)",
        help_text="0 means none. Unused items are drawn again when you save.",
    )
    source = forms.ChoiceField(
        choices=GoldPlan.Source.choices,
        label="Where they come from",
        help_text="Copies show something that belongs to another question. Finished questions are "
        "those whose answer is known.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**62,
        help_text="Decides which tasks get a gold item. A new seed draws again.",
    )
    enough = forms.IntegerField(
        min_value=1,
        max_value=1000,
        label="Gold items seen before anyone is flagged",
        help_text="Counted anew after each flag.",
    )
    missed = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        label="Flag people with at least this many misses",
    )
    share = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100,
        label="Flag people with at least this share of misses (%)",
    )
    pauses = forms.BooleanField(required=False, label="Pause people who are flagged")

    def __init__(self, *args: Any, golds: Golds | None, **kwargs: Any) -> None:
        self.golds = golds
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer only what the stage can do."""
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
