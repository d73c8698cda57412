"""The few figures of agreement that people look for first."""

from annotation.figures.panel import Column, Panel, of_shown
from annotation.figures.registry import Request
from evaluation.reports import every_figure

# By their names in validation.agreement.reporting: what it says, and what the number is.
FIGURES = {
    "generators.f1_answer": ("Two people agree", "F1-answer"),
    "generators.exact": ("All gave the same answers", "% of questions"),
    "validation.passed": ("Passed unchanged", "% of validated questions"),
    "audit.f1_answer": ("Experts agree with what is accepted", "F1-answer"),
    "agreement.rouge_lsum": ("Two people agree", "ROUGE-L"),
    "answers.found": ("Short answers found in the text", "% of short answers, as STR-EM"),
    "attributability.with_disambiguations": ("Words that the evidence has", "% of words"),
}


def build_headline_panel(request: Request) -> Panel:
    """Return those of the figures that have a value."""
    figures = {
        figure.name: figure
        for group in request.once(every_figure.find_groups)
        for figure in group.figures
        if figure.value is not None
    }
    shown = [(text, of_shown(figures[name])) for name, text in FIGURES.items() if name in figures]
    return Panel(
        columns=(
            Column("figure", "Figure"),
            Column("value", "Value", "score"),
            Column("is", "Is"),
        ),
        rows=[(name, value, about) for (name, about), value in shown],
        n=max((value.n for _, value in shown), default=0),
        definition="In points of 100, with 95 % intervals. Every figure, at the end, defines them.",
        needs="2 people on 1 question",
        tiles=True,
    )
