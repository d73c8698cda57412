"""What validation did to the questions."""

from collections import Counter

from annotation.figures.panel import Chart, Column, Panel, share_with_interval
from annotation.figures.registry import Request
from evaluation.reports.agreement.over_time import count_outcomes
from metrics.agreement import ValidationOutcome

NAMES = {
    "automatic": "All answers match",
    "accepted": "Accepted as written",
    "edited": "Changed by an edit",
    "excluded": "Changed by an exclusion alone",
}


def build_outcomes_panel(request: Request) -> Panel:
    """Return how many questions passed validation, and how the others were changed."""
    results = request.once(count_outcomes)
    counts = Counter(_key(result) for _, result in results)
    passed, whole = counts["automatic"] + counts["accepted"], len(results)
    return Panel(
        columns=(
            Column("outcome", "Outcome"),
            Column("questions", "Questions", "count"),
            Column("share", "Share", "share"),
        ),
        rows=[
            (name, counts[key], share_with_interval(counts[key], whole))
            for key, name in NAMES.items()
            if whole
        ],
        n=whole,
        definition=(
            "Answered questions whose validation is complete, by what it changed. An edit that "
            "also excludes something is an edit. In the AmbigQA paper 37 % matched and needed no "
            "validator, 39 % were accepted as they were, and 24 % were changed."
        ),
        needs="1 question with a validation policy that is decided",
        summary=f"{100 * passed / whole:.0f} % passed unchanged." if whole else "",
        chart=Chart("bars", x="outcome", y="share"),
    )


def _key(result: ValidationOutcome) -> str:
    if result.automatic:
        return "automatic"
    if result.edited:
        return "edited"
    return "excluded" if result.excluded else "accepted"
