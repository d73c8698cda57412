"""Forms of the FAQ."""

from django import forms

from annotation.faq.services import LONGEST_ANSWER, LONGEST_QUESTION
from annotation.pages.forms import AmbitForm


class FaqForm(AmbitForm):
    """One entry."""

    question = forms.CharField(max_length=LONGEST_QUESTION, label="Question")
    answer = forms.CharField(
        max_length=LONGEST_ANSWER,
        label="Answer in Markdown",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "true"}),
    )
