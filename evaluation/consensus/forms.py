"""The form in which experts write what they agreed on."""

from django import forms

from annotation.pages.forms import AmbitForm
from evaluation.consensus.models import Consensus


class ConsensusForm(AmbitForm):
    """One verdict and why."""

    verdict = forms.ChoiceField(
        label="Verdict",
        choices=Consensus.Verdict.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "choose one of the three."},
    )
    justification = forms.CharField(
        label="Justification",
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "say why this is the verdict."},
    )
