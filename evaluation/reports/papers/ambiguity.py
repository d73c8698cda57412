"""AmbigQA's table 1: the types of ambiguity of a labelled sample (A75)."""

from collections.abc import Sequence

from django.urls import reverse

from annotation.figures.panel import Chart, Column, Link, Panel, share_with_interval
from annotation.figures.registry import Request
from evaluation.labelling.models import Ambiguity
from evaluation.reports.papers import reading


def build_ambiguity_panel(request: Request) -> Panel:
    """Return table 1."""
    rows = Ambiguity.objects.filter(project=request.project, labelled_at__isnull=False)
    if split := reading.chosen_split(request):
        rows = rows.filter(question__split=split)
    page = reverse("ambiguity-sample", args=[request.project.slug])
    return tabulate_types(list(rows.values_list("types", flat=True)), page)


def tabulate_types(labelled: Sequence[Sequence[str]], page: str) -> Panel:
    """Return how many of the labelled questions have each type; one can have several."""
    counts = {value: sum(value in row for row in labelled) for value in Ambiguity.Type.values}
    most = max(counts, key=lambda value: counts[value])
    return Panel(
        columns=(
            Column("type", "Type"),
            Column("questions", "Questions", "count"),
            Column("share", "Share", "share"),
        ),
        rows=[
            [label, counts[value], share_with_interval(counts[value], len(labelled))]
            for value, label in Ambiguity.Type.choices
            if labelled
        ],
        n=len(labelled),
        definition=(
            "Questions with several accepted answers, drawn at random and labelled by the team. A "
            "question can have more than one type, so the shares can add up to more than 100 %."
        ),
        needs="1 question whose types of ambiguity are labelled",
        summary=(
            f"“{Ambiguity.Type(most).label}” is the most frequent type, with "
            f"{100 * counts[most] / len(labelled):.0f} % of {len(labelled):,} questions."
            if labelled and most != Ambiguity.Type.OTHER
            else ""
        ),
        chart=Chart("bars", x="type", y="share"),
        page=Link("Label questions", page),
    )
