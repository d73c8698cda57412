"""The card on which staff draw questions for the extended set."""

import random
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.models import Project, Split
from annotation.pages.forms import AmbitForm
from annotation.protocols import registry as protocols
from annotation.sheets.rules import format_count
from qampari import extended_set
from qampari.stages.extend import EXTEND


class SampleDrawForm(AmbitForm):
    """How many questions of which split, and the seed."""

    prefix = "draw"

    split = forms.ChoiceField(choices=Split.choices, initial=Split.TEST, label="Split")
    number = forms.IntegerField(min_value=1, label="Number of questions")
    seed = forms.IntegerField(
        min_value=0,
        max_value=extended_set.MOST_SEED,
        label="Seed",
        help_text="The same seed draws the same questions.",
    )


def extended_set_panel(project: Project) -> dict[str, Any]:
    """Return the context of _extended_set.html for the page of a project."""
    if EXTEND not in protocols.protocol_of(project).stages:
        return {}
    seed = random.randrange(10**6)  # noqa: S311 - to be repeated, not guessed
    return {
        "form": SampleDrawForm(initial={"seed": seed}),
        "questions": extended_set.in_set(project).count(),
        "done": extended_set.count_extended_questions(project),
    }


@require_POST
def extended_set_draw(request: UserRequest, slug: str) -> HttpResponse:
    """Put questions that are drawn at random into the extended set."""
    project = get_project(request, slug, check_can_manage)
    if EXTEND not in protocols.protocol_of(project).stages:
        raise Http404
    form = SampleDrawForm(request.POST)
    try:
        if not form.is_valid():
            raise Conflict(" ".join(sentence for _, sentence in form.problems()))
        drawn = extended_set.draw_questions(
            project=project, by=request.user, now=timezone.now(), **form.cleaned_data
        )
        words = format_count(len(drawn), "question")
        messages.success(request, f"Drawn: {words} of {form.cleaned_data['split']}.")
    except Conflict as refusal:
        messages.error(request, str(refusal))
    return redirect("project-overview", slug)
