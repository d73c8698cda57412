"""The forms of a public page: what it says, its release, teams, and predictions."""

from typing import Any

from django import forms

from accounts.fields import OneLineField
from annotation.models import Split
from annotation.pages.forms import AmbitForm
from evaluation.benchmark.models import HIDDEN, LONGEST_NAME, Benchmark, BenchmarkEntry
from evaluation.benchmark.queries import MULTIPLE, SINGLE
from evaluation.imports.forms import FileField, UploadForm

LONGEST_TEXT = 20_000


class PageForm(AmbitForm):
    """What the page says."""

    title = OneLineField(label="Title", max_length=120)
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown: what the questions are, who wrote the answers, and how.",
    )
    citation = forms.CharField(
        label="How to cite it",
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text="Shown as it is, such as BibTeX.",
    )
    licence = OneLineField(label="Licence of the files", max_length=120)
    is_indexed = forms.BooleanField(label="Search engines may list the page", required=False)


class LayoutForm(AmbitForm):
    """The layout of the release."""

    layout = forms.ChoiceField(label="Layout")

    def __init__(self, *args: Any, layouts: list[tuple[str, str]], **kwargs: Any) -> None:
        self.layouts = layouts
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the layouts."""
        layout = self.fields["layout"]
        assert isinstance(layout, forms.ChoiceField)
        layout.choices = self.layouts


class InviteForm(AmbitForm):
    """Whom to invite into which team."""

    team = OneLineField(label="Team", max_length=LONGEST_NAME)
    email = forms.EmailField(label="E-mail address")


class QuestionsForm(forms.Form):
    """What is looked for among the released questions."""

    q = forms.CharField(required=False, max_length=200)
    answers = forms.ChoiceField(
        required=False,
        choices=[("", "Any number"), (SINGLE, "One answer"), (MULTIPLE, "Several answers")],
    )
    split = forms.ChoiceField(
        required=False,
        choices=[("", "All splits"), *(row for row in Split.choices if row[0] != HIDDEN)],
    )
    after = forms.IntegerField(required=False, min_value=0, max_value=10**8)


class EntryForm(UploadForm):
    """Predictions for the test split."""

    name = OneLineField(label="Name of the system", max_length=LONGEST_NAME)
    shown = forms.ChoiceField(
        label="Who sees it",
        choices=BenchmarkEntry.Shown.choices,
        initial=BenchmarkEntry.Shown.PRIVATE,
        help_text="You can change this at any time.",
    )
    file = FileField(
        label="File",
        max_length=255,
        help_text="JSON, as for an import of answers: an answer for every id of the test split.",
    )


def describe_page(benchmark: Benchmark | None) -> dict[str, Any]:
    """Return the values that the form of a page begins with."""
    names = PageForm.base_fields
    return {name: getattr(benchmark, name) for name in names} if benchmark else {}
