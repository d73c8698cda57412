"""The page that compares the answers of systems by automatic metrics."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.models import Split
from annotation.policies.projects import check_can_manage
from annotation.views.loaders import UserRequest, get_project
from annotation.views.tabs import project_page
from evaluation import scoring
from evaluation.views.systems import TAB

MOST_ANSWERS = 3_000  # a thousand take about a second


@require_safe
def system_scores(request: UserRequest, slug: str) -> HttpResponse:
    """The figures of all systems on one split, each with its interval."""
    project = get_project(request, slug, check_can_manage)
    counts = scoring.answers_by_split(project)
    asked = request.GET.get("split", "")
    usual = Split.DEV.value if Split.DEV in counts else next(iter(counts), "")
    split = asked if asked in counts else usual
    many = counts.get(split, 0) > MOST_ANSWERS
    rows = []
    if counts and not many:
        answering = project.systems.filter(outputs__question__split=split).distinct()
        rows = scoring.scores(project, split, list(answering))
    shown = [name for name in scoring.FIGURES if any(name in row.figures for row in rows)]
    context = project_page(request, project, TAB) | {
        "splits": [(key, Split(key).label) for key in counts],
        "split": split,
        "many": many,
        "most": MOST_ANSWERS,
        "columns": [scoring.FIGURES[name] for name in shown],
        "rows": [(row, [row.figures.get(name) for name in shown]) for row in rows],
    }
    return render(request, "evaluation/system_scores.html", context)
