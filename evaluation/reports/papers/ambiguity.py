"""AmbigQA's table 1: the types of ambiguity of a labelled sample (A75)."""

from collections.abc import Sequence

from django.urls import reverse

from annotation.figures.panel import Chart, Column, Link, Panel, share_with_interval
from annotation.figures.registry import Request
from evaluation.labelling import queries as labelling_queries
from evaluation.labelling.schemes import AMBIGUITY, NONE_KEYS, find_scheme
from evaluation.reports.papers import reading


def build_ambiguity_panel(request: Request) -> Panel:
    """Return table 1."""
    found = labelling_queries.find_ambiguity(request.project)
    split = reading.chosen_split(request) or ""
    rows = labelling_queries.read_finished(found.sample, split) if found else []
    page = reverse("ambiguity-sample", args=[request.project.slug])
    return tabulate_types([row.final for row in rows if row.final], page)


def tabulate_types(labelled: Sequence[Sequence[str]], page: str) -> Panel:
    """Return how many of the labelled questions have each type; one can have several."""
    scheme = find_scheme(AMBIGUITY)
    assert scheme is not None
    types = {each.key: each.label for each in scheme.categories}
    counts = {key: sum(key in row for row in labelled) for key in types}
    most = max(counts, key=lambda value: counts[value])
    return Panel(
        columns=(
            Column("type", "Type"),
            Column("questions", "Questions", "count"),
            Column("share", "Share", "share"),
        ),
        rows=[
            [label, counts[value], share_with_interval(counts[value], len(labelled))]
            for value, label in types.items()
            if labelled
        ],
        n=len(labelled),
        definition=(
            "Questions with several accepted answers, drawn at random and labelled by the team. A "
            "question can have more than one type, so the shares can add up to more than 100 %."
        ),
        needs="1 question whose types of ambiguity are labelled",
        summary=(
            f"“{types[most]}” is the most frequent type, with "
            f"{100 * counts[most] / len(labelled):.0f} % of {len(labelled):,} questions."
            if labelled and most not in NONE_KEYS
            else ""
        ),
        chart=Chart("bars", x="type", y="share"),
        page=Link("Label questions", page),
    )
